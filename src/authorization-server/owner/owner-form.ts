import type { AuthorizationEnvironment } from '../environment.ts'
import { assertCsrf, type OwnerSession, requireOwner } from './owner-session.ts'
import { readForm } from './read-form.ts'

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
