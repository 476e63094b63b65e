import { createHmac, timingSafeEqual } from 'node:crypto'
import { CodedError } from '../../model/errors.ts'
import { readSession, SESSION_DAYS } from '../../store/sign-in/sessions.ts'
import type { AuthorizationEnvironment } from '../environment.ts'

/** A signed-in owner. */
export interface OwnerSession {
  owner_id: string
  /** The secret in the cookie. */
  secret: string
  /** Included in every form of this session as the field `csrf`. */
  csrf: string
}

/** The name of the session's cookie, or of another one after it. */
type Suffix = '' | '-asking' | '-waiting'

/** On https, the prefix makes browsers refuse such a cookie from any other host or without encryption. */
function cookieName(publicUrl: string, suffix: Suffix): string {
  return `${publicUrl.startsWith('https:') ? '__Host-footnote' : 'footnote'}${suffix}`
}

const HOUR_SECONDS = 3_600

export function sessionCookie(publicUrl: string, secret: string | null): string {
  return cookie(publicUrl, '', secret, SESSION_DAYS * 24 * HOUR_SECONDS)
}

/** Binds passkey challenges to the browser that requested them, before anyone is signed in. */
export function askingCookie(publicUrl: string, secret: string): string {
  return cookie(publicUrl, '-asking', secret, HOUR_SECONDS)
}

export function askedSecret(env: AuthorizationEnvironment, request: Request): string | null {
  const secret = readCookie(env, request, '-asking')
  return secret !== null && /^[\w-]{43}$/.test(secret) ? secret : null
}

/** Remembers the page to return to after sign-in, because a sign-in link from the command line does not contain it. */
export function waitingCookie(publicUrl: string, page: string | null): string {
  return cookie(publicUrl, '-waiting', page && encodeURIComponent(page), HOUR_SECONDS)
}

export function waitingPage(env: AuthorizationEnvironment, request: Request): string | null {
  const page = readCookie(env, request, '-waiting')
  try {
    return page && decodeURIComponent(page)
  } catch {
    return null
  }
}

function cookie(publicUrl: string, suffix: Suffix, value: string | null, seconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const age = value === null ? 0 : seconds
  return `${cookieName(publicUrl, suffix)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}

function readCookie(env: AuthorizationEnvironment, request: Request, suffix: Suffix): string | null {
  const name = cookieName(env.publicUrl, suffix)
  for (const part of (request.headers.get('Cookie') ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim() || null
  }
  return null
}

/** The owner whose session cookie the request has; null if nobody is signed in. */
export async function ownerSession(
  env: AuthorizationEnvironment,
  request: Request,
): Promise<OwnerSession | null> {
  const secret = readCookie(env, request, '')
  if (secret === null || secret.length > 100) return null
  const { owner_id } = env.store
  const asked = { owner_id, session: secret, now: env.clock().toISOString() }
  const open = await readSession(env.store.database, asked)
  if (open === null) return null
  if (open.unnoted) await env.store.writer.call('noteSessionSeen', asked)
  return { owner_id, secret, csrf: csrfOf(env, secret) }
}

function csrfOf(env: AuthorizationEnvironment, secret: string): string {
  return createHmac('sha256', env.store.sealingKey).update('csrf\0').update(secret).digest('base64url')
}

/** For pages that only the owner may see: the session, or a redirect to sign-in and back. */
export async function requireOwner(
  env: AuthorizationEnvironment,
  request: Request,
): Promise<OwnerSession | Response> {
  return (await ownerSession(env, request)) ?? redirectToSignIn(request)
}

function redirectToSignIn(request: Request): Response {
  const { pathname, search } = new URL(request.url)
  const back = request.method === 'GET' ? pathname + search : '/'
  return seeOther(`/sign-in?return_to=${encodeURIComponent(back)}`)
}

export function seeOther(
  location: string,
  headers: Record<string, string> | [string, string][] = {},
): Response {
  return new Response(null, {
    status: 303,
    headers: [
      ['Location', location],
      ['Cache-Control', 'no-store'],
      ...(Array.isArray(headers) ? headers : Object.entries(headers)),
    ],
  })
}

/** Continues with the session that a sign-in has started. */
export function signedIn(env: AuthorizationEnvironment, secret: string, back: string): Response {
  return seeOther(back, [
    ['Set-Cookie', sessionCookie(env.publicUrl, secret)],
    ['Set-Cookie', waitingCookie(env.publicUrl, null)],
  ])
}

const START = '/'

/** A path on this server, whatever was given; never another origin. */
export function safeReturn(target: string | null | undefined): string {
  const base = 'http://same.invalid'
  if (!target || target.length > 2_000 || !URL.canParse(target, base)) return START
  const { origin, pathname, search } = new URL(target, base)
  // A path that begins with two slashes would be interpreted as a host.
  return origin === base && target.startsWith('/') && !pathname.startsWith('//') ? pathname + search : START
}

/** Refuses a form that another site sent. Browsers send the origin with every POST. */
export function assertOwnOrigin(env: AuthorizationEnvironment, request: Request): void {
  const origin = request.headers.get('Origin')
  if (origin === env.publicUrl) return
  const where = origin === null || origin === 'null' ? 'without an origin' : `from ${origin.slice(0, 100)}`
  throw new CodedError(
    'forged_form',
    `This form came ${where}. Open this page at ${env.publicUrl} and try again.`,
  )
}

/** Refuses a form that does not contain the session's own token. */
export function assertCsrf(
  env: AuthorizationEnvironment,
  request: Request,
  session: Pick<OwnerSession, 'csrf'>,
  given: string | null,
): void {
  assertOwnOrigin(env, request)
  const [expected, actual] = [Buffer.from(session.csrf), Buffer.from(given ?? '')]
  if (expected.length === actual.length && timingSafeEqual(expected, actual)) return
  throw new CodedError(
    'forged_form',
    'This page is out of date, because you signed in again after it was opened. Go back and reload it.',
  )
}
