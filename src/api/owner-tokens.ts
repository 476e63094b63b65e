import { list } from './list.ts'
import { GRANT } from './owner-grants.ts'
import { ownerRoute } from './route.ts'
import { choice, closed, constant, FLAG, listOf, object, orNull, TEXT, TIME } from './schema.ts'

const TOKENS = '/v1/owner/tokens'
const TOKEN = { object: constant('owner_token'), token_id: TEXT, created_at: TIME }

export const listOwnerTokens = ownerRoute('GET', TOKENS, {
  summary: 'The owner tokens',
  reply: list(object(TOKEN)),
})

export const createOwnerToken = ownerRoute('POST', TOKENS, {
  summary: 'Makes an owner token',
  reply: object({ ...TOKEN, token: TEXT }),
})

export const revokeOwnerToken = ownerRoute('DELETE', `${TOKENS}/:token_id`, {
  summary: 'Ends an owner token',
})

export const introspectToken = ownerRoute('POST', `${TOKENS}/introspect`, {
  summary: 'What a token opens',
  body: closed(object({ token: TEXT })),
  reply: object(
    { object: constant('token'), active: FLAG, grants: listOf(GRANT) },
    { kind: choice(['client', 'owner']) },
  ),
})

export const createSignInLink = ownerRoute('POST', '/v1/owner/sign-in-links', {
  summary: 'Makes a link that signs the owner in once',
  body: closed(object({}, { first_only: FLAG })),
  reply: object({ object: constant('sign_in_link'), url: orNull(TEXT) }),
})
