import { CodedError } from '../../model/errors.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { assertCsrf, type OwnerSession, requireOwner } from './owner-session.ts'

/** The fields of a form that belongs to this session; other forms are refused. */
export async function readSessionForm(
  env: AuthorizationEnvironment,
  request: Request,
  session: OwnerSession,
): Promise<URLSearchParams> {
  const form = await readForm(request)
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

const MOST_BYTES = 1024 * 1024

/** The fields of a form of at most 1 MiB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new CodedError('unsupported_media_type', 'Content-Type must be application/x-www-form-urlencoded.')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MOST_BYTES) throw new CodedError('body_too_large', 'The form is larger than 1 MiB.')
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
