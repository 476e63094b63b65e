import { list } from './list.ts'
import { ownerRoute } from './route.ts'
import {
  closed,
  constant,
  FLAG,
  listOf,
  named,
  object,
  orNull,
  type Schema,
  TEXT,
  TIME,
  textUpTo,
} from './schema.ts'

const GRANTS = '/v1/owner/grants'
const STATE = {
  object: constant('grant'),
  grant_id: TEXT,
  client_id: TEXT,
  client_name: TEXT,
  created_at: TIME,
  expires_at: orNull(TIME),
  single_use: FLAG,
  first_used_at: orNull(TIME),
  revoked_at: orNull(TIME),
  active: FLAG,
}
export const GRANT = named('Grant', object(STATE))
const NAME = orNull(textUpTo(200))
const NAMES: Schema<string[] | null> = { type: ['array', 'null'], minItems: 1, items: textUpTo(8_192) }

export const listGrants = ownerRoute('GET', GRANTS, { summary: 'The grants', reply: list(GRANT) })

export const createGrant = ownerRoute('POST', GRANTS, {
  summary: 'Makes a grant and its token',
  body: closed(
    object(
      { client_name: textUpTo(200) },
      {
        connections: NAMES,
        streams: NAMES,
        fields: NAMES,
        records: NAMES,
        since: NAME,
        until: NAME,
        expires_at: NAME,
        single_use: FLAG,
      },
    ),
  ),
  reply: object({ object: constant('grant'), grant_id: TEXT, client_id: TEXT, access_token: TEXT }),
})

export const readGrant = ownerRoute('GET', `${GRANTS}/:grant_id`, {
  summary: 'One grant with what it opens',
  reply: object({
    ...STATE,
    streams: listOf(
      object({
        connection_id: TEXT,
        connector_key: TEXT,
        declaration_version: TEXT,
        stream: TEXT,
        fields: listOf(TEXT),
        since: orNull(TIME),
        until: orNull(TIME),
        record_ids: orNull(listOf(TEXT)),
      }),
    ),
  }),
})

export const revokeGrant = ownerRoute('DELETE', `${GRANTS}/:grant_id`, {
  summary: 'Ends a grant',
  reply: GRANT,
})

export const listClients = ownerRoute('GET', '/v1/owner/clients', {
  summary: 'The clients',
  reply: list(object({ object: constant('client'), client_id: TEXT, name: TEXT, created_at: TIME })),
})
