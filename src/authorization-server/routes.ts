import { protectedMcp, protectedResearch, protectedResource, shippedDeclarations } from '../api/discovery.ts'
import type { OriginRoute } from '../api/route.ts'
import type { PageRequest } from './environment.ts'
import { metadataResponse } from './oauth/metadata.ts'
import { CONSENT_PATH, METADATA_PATH, PATHS } from './oauth/paths.ts'
import { changePasskeys, showPasskeys } from './owner/passkey-page.ts'
import { SCRIPT_PATH, sendScript } from './owner/passkey-script.ts'
import { showPasskeySignIn, signInWithPasskey } from './owner/passkey-sign-in.ts'
import { changePassphrase, showAccount } from './owner/passphrase-page.ts'
import { signOut } from './owner/session-list.ts'
import { showSignIn, signIn } from './owner/sign-in.ts'

/** Only an app that connects needs these pages, and oidc-provider with them. */
const consent = () => import('./consent/consent.ts')

type Serve = (page: PageRequest) => Promise<Response> | Response

type PageRoute = Pick<OriginRoute, 'method' | 'path' | 'access'> & { serve: Serve }

function open(method: 'GET' | 'POST', path: string, serve: Serve): PageRoute {
  return { method, path, access: 'public', serve }
}

/** The page itself checks the session: after sign-in, a form must return to it. */
function owned(method: 'GET' | 'POST', path: string, serve: Serve): PageRoute {
  return { method, path, access: 'session', serve }
}

/** Every page. */
export const PAGES: readonly PageRoute[] = [
  open('GET', METADATA_PATH, ({ env }) => metadataResponse(env)),
  open('GET', '/sign-in', ({ env, request }) => showSignIn(env, request)),
  open('POST', '/sign-in', ({ env, request }) => signIn(env, request)),
  open('GET', '/sign-in/passkey', ({ env, request }) => showPasskeySignIn(env, request)),
  open('POST', '/sign-in/passkey', ({ env, request }) => signInWithPasskey(env, request)),
  open('GET', SCRIPT_PATH, sendScript),
  owned('POST', '/sign-out', ({ env, request }) => signOut(env, request)),
  owned('GET', '/settings', ({ env, request }) => showAccount(env, request)),
  owned('POST', '/settings', ({ env, request }) => changePassphrase(env, request)),
  owned('GET', '/settings/passkeys', ({ env, request }) => showPasskeys(env, request)),
  owned('POST', '/settings/passkeys', ({ env, request }) => changePasskeys(env, request)),
  owned('GET', `${CONSENT_PATH}/:uid`, async page => (await consent()).showConsent(page)),
  owned('POST', `${CONSENT_PATH}/:uid`, async page => (await consent()).decide(page)),
]

/** Every OAuth endpoint; anything else that oidc-provider offers is unreachable. */
export const OAUTH_ROUTES: readonly Pick<OriginRoute, 'method' | 'path' | 'keeps'>[] = [
  { method: 'POST', path: PATHS.registration, keeps: true },
  { method: 'GET', path: PATHS.authorization, keeps: true },
  { method: 'GET', path: `${PATHS.authorization}/:uid` },
  { method: 'POST', path: PATHS.pushed_authorization_request, keeps: true },
  { method: 'POST', path: PATHS.token },
  { method: 'POST', path: PATHS.revocation },
  { method: 'POST', path: PATHS.introspection },
  { method: 'POST', path: PATHS.device_authorization, keeps: true },
  { method: 'GET', path: PATHS.code_verification, keeps: true },
  { method: 'POST', path: PATHS.code_verification, keeps: true },
  { method: 'GET', path: `${PATHS.code_verification}/:uid` },
]

/** Paths that pages of any origin may call: they use no cookies. */
export const OPEN_TO_ORIGINS: readonly string[] = [
  PATHS.registration,
  PATHS.pushed_authorization_request,
  PATHS.token,
  PATHS.revocation,
  PATHS.introspection,
  PATHS.device_authorization,
  METADATA_PATH,
  protectedResource.path,
  protectedMcp.path,
  protectedResearch.path,
  shippedDeclarations.path,
]
