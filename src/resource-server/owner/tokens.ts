import * as api from '../../api/owner/tokens.ts'
import { CodedError } from '../../model/errors.ts'
import { listOwnerTokens, tokenId } from '../../store/access/tokens.ts'
import { hasSignedIn } from '../../store/sign-in/sign-in.ts'
import { serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'
import { describe } from './grants.ts'

export const createOwnerToken = serve(api.createOwnerToken, async context => {
  const token = await context.write('createOwnerToken', {})
  const created_at = context.now.toISOString()
  return json({ object: 'owner_token', token_id: tokenId(token), created_at, token }, 201)
})

export const readOwnerTokens = serve(api.listOwnerTokens, async context => {
  const tokens = await listOwnerTokens(context.store.database, context.owner_id)
  return context.list(tokens.map(token => ({ object: 'owner_token', ...token })))
})

export const revokeOwnerToken = serve(api.revokeOwnerToken, async context => {
  const { token_id } = context.path
  if (!(await context.write('revokeOwnerToken', { token_id })))
    throw new CodedError('token_not_found', `There is no owner token ${token_id}.`)
  return empty(204)
})

/** What a token gives access to, for an owner who has found it somewhere. */
export const introspectToken = serve(api.introspectToken, async context => {
  const { token } = await context.body()
  const state = await context.store.tokens.resolve(token, context.now)
  if (!state || state.kind === 'ended' || state.owner_id !== context.owner_id)
    return json({ object: 'token', active: false, grants: [] })
  const grants = state.kind === 'client' ? state.grants.map(grant => describe(grant, context.now)) : []
  return json({ object: 'token', active: true, kind: state.kind, grants })
})

/** `first_only` creates a link only if the owner has no other way to sign in. */
export const createSignInLink = serve(api.createSignInLink, async context => {
  const { first_only } = await context.body()
  const { env, store, owner_id } = context
  const now = context.now.toISOString()
  if (first_only && (await hasSignedIn(store.database, { owner_id, now })))
    return json({ object: 'sign_in_link', url: null })
  const link = await context.write('createSignInLink', {})
  return json({ object: 'sign_in_link', url: `${env.publicUrl}/sign-in?link=${link}` }, 201)
})
