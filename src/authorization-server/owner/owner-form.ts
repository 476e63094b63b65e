import { CodedError } from '../../model/errors.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { assertCsrf, assertOwnOrigin, type OwnerSession, requireOwner } from './owner-session.ts'

/** The fields of a form that belongs to this session; other forms are refused. */
export async function readSessionForm(
  env: AuthorizationEnvironment,
  request: Request,
  session: OwnerSession,
): Promise<URLSearchParams> {
  const form = await readForm(env, request, MOST_OWNER_KIB)
  assertCsrf(env, request, session, form.get('csrf'))
  return form
}

export interface OwnerForm {
  session: OwnerSession
  form: URLSearchParams
}

/** What the signed-in owner sent, or the redirect to the sign-in page. */
export async function readOwnerForm(
  env: AuthorizationEnvironment,
  request: Request,
): Promise<OwnerForm | Response> {
  const session = await requireOwner(env, request)
  if (session instanceof Response) return session
  return { session, form: await readSessionForm(env, request, session) }
}

/** A choice of many fields and records is long. */
const MOST_OWNER_KIB = 1_024
/** Parsing takes longer than receiving, so nobody sends more without a session. */
const MOST_STRANGER_KIB = 64

/** The fields of a form of this server. One that another site sent is not read. */
export async function readForm(
  env: AuthorizationEnvironment,
  request: Request,
  mostKib = MOST_STRANGER_KIB,
): Promise<URLSearchParams> {
  assertOwnOrigin(env, request)
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new CodedError('unsupported_media_type', 'Content-Type must be application/x-www-form-urlencoded.')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > mostKib * 1_024)
      throw new CodedError('body_too_large', `The form is larger than ${mostKib} KiB.`)
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
