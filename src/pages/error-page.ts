import { html } from 'hono/html'
import { CodedError, internalError } from '../model/errors.ts'
import { refusal } from './forms.ts'
import { pageResponse } from './layout.ts'

export interface ErrorWords {
  /** The headings of errors by status; other errors have a general title. */
  titles?: Record<number, string>
  /** Messages for people, by error code, in place of those for programs. */
  messages?: Record<string, string>
  signedIn?: boolean
  /** By which the log names what the owner did not cause. */
  request_id: string
}

/** What is told about a failure that the owner did not cause. */
export const FAILURE = {
  title: 'Something went wrong',
  message:
    'Footnote could not finish this. Try again. If it fails again, the log of the server says why, under the request that is named below.',
}
const TITLES: Readonly<Record<string, string>> = {
  api_error: FAILURE.title,
  request_expired: 'This request has ended',
}
const MAY_HAVE_HAPPENED =
  'It may have been removed since you saw this link, or a part of the address is missing.'
const ELSEWHERE = html`<p><a href="/search">Search</a> finds what is here now. <a href="/sources">Sources</a> shows what was imported.</p>`

/** The only place where an error on a page becomes a response. */
export function errorPage(
  error: unknown,
  { titles = {}, messages = {}, signedIn = false, request_id }: ErrorWords,
): Promise<Response> {
  const coded = error instanceof CodedError ? error : internalError()
  const isOurs = coded.status >= 500
  const title = titles[coded.status] ?? TITLES[coded.code] ?? 'That did not work'
  const message = messages[coded.code] ?? (coded.code === 'api_error' ? FAILURE.message : coded.message)
  const isMissing = coded.status === 404 && signedIn
  const body = refusal({
    title,
    message: isMissing ? `${message} ${MAY_HAVE_HAPPENED}` : message,
    code: coded.code,
    ...(isOurs && { request_id }),
    next: isMissing ? ELSEWHERE : '',
  })
  return pageResponse(
    { title, body, width: 'narrow', signedIn },
    { status: coded.status, headers: errorHeaders(coded) },
  )
}

/** The headers `Retry-After` and `Allow`, for errors that have them. */
export function errorHeaders({ details: { retry_after, allow } }: CodedError): Record<string, string> {
  return {
    ...(typeof retry_after === 'number' && { 'Retry-After': String(retry_after) }),
    ...(typeof allow === 'string' && { Allow: allow }),
  }
}
