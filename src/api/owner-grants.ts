import { list } from './list.ts'
import { ownerRoute } from './route.ts'
import type { Schema } from './schema.ts'
import * as s from './schema.ts'

const GRANTS = '/v1/owner/grants'
const STATE = {
  object: s.constant('grant'),
  ...s.each(s.TEXT, 'grant_id', 'client_id', 'client_name'),
  created_at: s.TIME,
  ...s.each(s.orNull(s.TIME), 'expires_at', 'first_used_at', 'revoked_at'),
  ...s.each(s.FLAG, 'single_use', 'active'),
}
export const GRANT = s.named('Grant', STATE)
const NAME = s.orNull(s.textUpTo(200))
const NAMES: Schema<string[] | null> = {
  type: ['array', 'null'],
  minItems: 1,
  items: { type: 'string', minLength: 1 },
}

export const listGrants = ownerRoute('GET', GRANTS, { summary: 'The grants', reply: list(GRANT) })

export const createGrant = ownerRoute('POST', GRANTS, {
  summary: 'Makes a grant and its token',
  body: s.closed(
    { client_name: s.textUpTo(200) },
    {
      ...s.each(NAMES, 'connections', 'streams', 'fields', 'records'),
      ...s.each(NAME, 'since', 'until', 'expires_at'),
      single_use: s.FLAG,
    },
  ),
  reply: s.object({
    object: s.constant('grant'),
    ...s.each(s.TEXT, 'grant_id', 'client_id', 'access_token'),
  }),
})

export const readGrant = ownerRoute('GET', `${GRANTS}/:grant_id`, {
  summary: 'One grant with what it opens',
  reply: s.object({
    ...STATE,
    streams: s.listOf(
      s.object({
        ...s.each(s.TEXT, 'connection_id', 'connector_key', 'declaration_version', 'stream'),
        fields: s.listOf(s.TEXT),
        ...s.each(s.orNull(s.TIME), 'since', 'until'),
        record_ids: s.orNull(s.listOf(s.TEXT)),
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
  reply: list(
    s.object({ object: s.constant('client'), client_id: s.TEXT, name: s.TEXT, created_at: s.TIME }),
  ),
})
