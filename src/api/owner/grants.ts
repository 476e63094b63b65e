import { ACCESS_MODES, type Grant } from '../../model/access/grant.ts'
import { list } from '../list.ts'
import { ownerRoute } from '../route.ts'
import type { Schema } from '../schema.ts'
import * as s from '../schema.ts'

const GRANTS = '/v1/owner/grants'
const STATE = {
  object: s.constant('grant'),
  ...s.each(s.TEXT, 'grant_id', 'client_id', 'client_name'),
  created_at: s.TIME,
  ...s.each(s.orNull(s.TIME), 'expires_at', 'consumed_at', 'revoked_at'),
  access_mode: s.choice(ACCESS_MODES),
  active: s.FLAG,
}
export const GRANT_STATE = s.named('GrantState', STATE)
/** A grant as PDPP Core defines it. */
const GRANT: Schema<Grant> = {
  title: 'Grant',
  type: 'object',
  required: [
    'version',
    'grant_id',
    'issued_at',
    'subject',
    'client',
    'source',
    'source_declaration',
    'purpose_code',
    'access_mode',
    'streams',
  ],
}
const NAME = s.orNull(s.NAME)
const SOME_NAMES: Schema<string[]> = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } }
const NAMES = s.orNull(SOME_NAMES)
const CLIENTS = '/v1/owner/clients'

const WHOLE_GRANT = s.object({ ...STATE, grant: s.orNull(GRANT) })

export const listGrants = ownerRoute('GET', GRANTS, {
  summary: 'The grants, with what they give access to',
  reply: list(WHOLE_GRANT),
})

export const createGrant = ownerRoute('POST', GRANTS, {
  summary: 'Creates a grant for each connection, and one token for all of them',
  body: s.closed(
    { client_name: s.NAME },
    {
      ...s.each(NAMES, 'connections', 'streams', 'fields', 'records'),
      ...s.each(NAME, 'since', 'until', 'expires_at'),
      single_use: s.FLAG,
      purpose_code: s.orNull(s.textUpTo(2_000)),
    },
  ),
  reply: s.object({
    object: s.constant('access'),
    ...s.each(s.TEXT, 'client_id', 'access_token'),
    grants: s.listOf(GRANT),
  }),
})

export const readGrant = ownerRoute('GET', `${GRANTS}/:grant_id`, {
  summary: 'One grant, with what it gives access to',
  reply: WHOLE_GRANT,
})

export const replaceGrant = ownerRoute('POST', `${GRANTS}/:grant_id/replace`, {
  summary: 'Replaces a grant with a narrower one, or with one that ends at another time',
  body: s.closed(
    {},
    { streams: s.listOf(s.closed({ name: s.TEXT }, { fields: NAMES, since: NAME })), expires_at: NAME },
  ),
  reply: WHOLE_GRANT,
})

export const revokeGrant = ownerRoute('DELETE', `${GRANTS}/:grant_id`, {
  summary: 'Ends a grant',
  reply: GRANT_STATE,
})

export const listClients = ownerRoute('GET', CLIENTS, {
  summary: 'The clients, with the connections that each can read now',
  reply: list(
    s.object({
      object: s.constant('client'),
      ...s.each(s.TEXT, 'client_id', 'name'),
      created_at: s.TIME,
      answers_to: s.orNull(s.TEXT),
      connection_ids: s.listOf(s.TEXT),
      extendable: s.FLAG,
    }),
  ),
})

export const addSources = ownerRoute('POST', `${CLIENTS}/:client_id/sources`, {
  summary: 'Lets a connected client read more sources, with the tokens that it has',
  body: s.closed(
    { connections: SOME_NAMES },
    { ...s.each(NAMES, 'streams', 'fields'), ...s.each(NAME, 'since', 'until') },
  ),
  reply: s.object({ object: s.constant('added_sources'), client_id: s.TEXT, grants: s.listOf(GRANT) }),
})
