import { list } from '../list.ts'
import { ownerRoute } from '../route.ts'
import * as s from '../schema.ts'
import { GRANT_STATE } from './grants.ts'

const TOKENS = '/v1/owner/tokens'
const TOKEN = { object: s.constant('owner_token'), token_id: s.TEXT, created_at: s.TIME }

export const listOwnerTokens = ownerRoute('GET', TOKENS, {
  summary: 'The owner tokens',
  reply: list(s.object(TOKEN)),
})

export const createOwnerToken = ownerRoute('POST', TOKENS, {
  summary: 'Creates an owner token',
  reply: s.object({ ...TOKEN, token: s.TEXT }),
})

export const revokeOwnerToken = ownerRoute('DELETE', `${TOKENS}/:token_id`, {
  summary: 'Revokes an owner token',
})

export const introspectToken = ownerRoute('POST', `${TOKENS}/introspect`, {
  summary: 'What a token gives access to',
  body: s.closed({ token: s.TEXT }),
  reply: s.object(
    { object: s.constant('token'), active: s.FLAG, grants: s.listOf(GRANT_STATE) },
    { kind: s.choice(['client', 'owner']) },
  ),
})

export const createSignInLink = ownerRoute('POST', '/v1/owner/sign-in-links', {
  summary: 'Creates a one-time link that signs the owner in',
  body: s.closed({}, { first_only: s.FLAG }),
  reply: s.object({ object: s.constant('sign_in_link'), url: s.orNull(s.TEXT) }),
})
