import { list } from './list.ts'
import { ownerRoute } from './route.ts'
import { closed, constant, FLAG, named, object, type Schema, TEXT, TIME, textUpTo } from './schema.ts'

const CONNECTION = named(
  'Connection',
  object({
    object: constant('connection'),
    connection_id: TEXT,
    connector_key: TEXT,
    display_name: TEXT,
    created_at: TIME,
  }),
)
const DECLARATION: Schema<object> = { type: 'object' }
const NAME = textUpTo(200)
const DECLARATIONS = '/v1/owner/declarations'
const CONNECTIONS = '/v1/owner/connections'

export const listDeclarations = ownerRoute('GET', DECLARATIONS, {
  summary: 'Every version of every declaration',
  reply: list(DECLARATION),
})

export const registerDeclaration = ownerRoute('POST', DECLARATIONS, {
  summary: 'Registers what a connector delivers',
  body: DECLARATION,
  reply: object({ object: constant('declaration'), connector_key: TEXT, version: TEXT, created: FLAG }),
})

export const listConnections = ownerRoute('GET', CONNECTIONS, {
  summary: 'The connections',
  reply: list(CONNECTION),
})

export const createConnection = ownerRoute('POST', CONNECTIONS, {
  summary: 'Makes a connection',
  body: closed(object({ connector_key: NAME }, { display_name: NAME })),
  reply: CONNECTION,
})

export const readConnection = ownerRoute('GET', `${CONNECTIONS}/:connection_id`, {
  summary: 'One connection',
  reply: CONNECTION,
})

export const changeConnection = ownerRoute('PATCH', `${CONNECTIONS}/:connection_id`, {
  summary: 'Renames a connection',
  body: closed(object({ display_name: NAME })),
  reply: CONNECTION,
})

export const deleteConnection = ownerRoute('DELETE', `${CONNECTIONS}/:connection_id`, {
  summary: 'Deletes a connection and everything of it',
})
