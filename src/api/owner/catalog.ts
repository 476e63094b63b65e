import { list } from '../list.ts'
import { ownerRoute } from '../route.ts'
import type { Schema } from '../schema.ts'
import * as s from '../schema.ts'

const CONNECTION = s.named('Connection', {
  object: s.constant('connection'),
  ...s.each(s.TEXT, 'connection_id', 'source_id', 'connector_key', 'display_name'),
  created_at: s.TIME,
})
const DECLARATION: Schema<object> = { type: 'object' }
const DECLARATIONS = '/v1/owner/declarations'
const CONNECTIONS = '/v1/owner/connections'

export const listDeclarations = ownerRoute('GET', DECLARATIONS, {
  summary: 'Every version of every declaration',
  reply: list(DECLARATION),
})

export const registerDeclaration = ownerRoute('POST', DECLARATIONS, {
  summary: 'Registers what a source delivers',
  body: DECLARATION,
  reply: s.object({
    object: s.constant('declaration'),
    ...s.each(s.TEXT, 'source_id', 'connector_key', 'declaration_version'),
    created: s.FLAG,
  }),
})

export const listConnections = ownerRoute('GET', CONNECTIONS, {
  summary: 'The connections',
  reply: list(CONNECTION),
})

export const createConnection = ownerRoute('POST', CONNECTIONS, {
  summary: 'Makes a connection',
  body: s.closed({ source_id: s.textUpTo(2_000) }, { display_name: s.orNull(s.NAME) }),
  reply: CONNECTION,
})

export const readConnection = ownerRoute('GET', `${CONNECTIONS}/:connection_id`, {
  summary: 'One connection',
  reply: CONNECTION,
})

export const changeConnection = ownerRoute('PATCH', `${CONNECTIONS}/:connection_id`, {
  summary: 'Renames a connection',
  body: s.closed({ display_name: s.NAME }),
  reply: CONNECTION,
})

export const deleteConnection = ownerRoute('DELETE', `${CONNECTIONS}/:connection_id`, {
  summary: 'Deletes a connection and everything in it',
})
