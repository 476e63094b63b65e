import { decide, showConsent } from './consent/consent.ts'
import { metadataResponse } from './oauth/metadata.ts'
import { CONSENT_PATH, METADATA_PATH, PATHS } from './oauth/paths.ts'
import { endAccess, showApps } from './owner/apps.ts'
import { seeOther } from './owner/owner-session.ts'
import { changePassphrase, showAccount } from './owner/passphrase-page.ts'
import { showSignIn, signIn, signOut } from './owner/sign-in.ts'
import type { PageRequest } from './page-request.ts'

export interface PageRoute {
  method: 'GET' | 'POST'
  path: string
  matches(path: string): boolean
  handle(page: PageRequest): Promise<Response> | Response
}

function page(
  method: PageRoute['method'],
  path: string,
  handle: (page: PageRequest) => Promise<Response> | Response,
): PageRoute {
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  return { method, path, matches: asked => pattern.test(asked), handle }
}

/** Every page there is. */
export const PAGES: readonly PageRoute[] = [
  page('GET', '/', () => seeOther('/apps')),
  page('GET', METADATA_PATH, ({ env }) => metadataResponse(env)),
  page('GET', '/sign-in', ({ env, request }) => showSignIn(env, request)),
  page('POST', '/sign-in', ({ env, request }) => signIn(env, request)),
  page('POST', '/sign-out', ({ env, request }) => signOut(env, request)),
  page('GET', '/account', ({ env, request }) => showAccount(env, request)),
  page('POST', '/account', ({ env, request }) => changePassphrase(env, request)),
  page('GET', '/apps', ({ env, request }) => showApps(env, request)),
  page('POST', '/apps', ({ env, request }) => endAccess(env, request)),
  page('GET', `${CONSENT_PATH}/:uid`, showConsent),
  page('POST', `${CONSENT_PATH}/:uid`, decide),
]

/** Every endpoint of OAuth; what oidc-provider offers beyond is not reachable. */
export const OAUTH_ROUTES: readonly { method: 'GET' | 'POST'; path: string }[] = [
  { method: 'POST', path: PATHS.registration },
  { method: 'GET', path: PATHS.authorization },
  { method: 'POST', path: PATHS.pushed_authorization_request },
  { method: 'POST', path: PATHS.token },
  { method: 'POST', path: PATHS.revocation },
  { method: 'POST', path: PATHS.introspection },
  { method: 'POST', path: PATHS.device_authorization },
  { method: 'GET', path: PATHS.code_verification },
  { method: 'POST', path: PATHS.code_verification },
]

/** Where a request goes on after consent. */
const RESUMES = [PATHS.authorization, PATHS.code_verification].map(path => `${path}/`)
const SHOWS_PAGES: readonly string[] = [PATHS.authorization, PATHS.code_verification]

export function isProviderPath(path: string): boolean {
  return OAUTH_ROUTES.some(route => route.path === path) || RESUMES.some(start => path.startsWith(start))
}

/** Whether pages of any origin may call it: it carries no cookies. */
export function isPublicToOrigins(path: string): boolean {
  const isEndpoint = path === METADATA_PATH || OAUTH_ROUTES.some(route => route.path === path)
  return isEndpoint && !SHOWS_PAGES.includes(path)
}
