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
}

const MAY_HAVE_HAPPENED =
  'It may have been removed since you saw this link, or a part of the address is missing.'
const ELSEWHERE = html`<p><a href="/search">Search</a> finds what is here now. <a href="/sources">Sources</a> shows what was imported.</p>`

/** The only place where an error on a page becomes a response. */
export function errorPage(
  error: unknown,
  { titles = {}, messages = {}, signedIn = false }: ErrorWords = {},
): Promise<Response> {
  const coded = error instanceof CodedError ? error : internalError()
  const title = titles[coded.status] ?? 'That did not work'
  const message = messages[coded.code] ?? coded.message
  const isMissing = coded.status === 404 && signedIn
  const body = refusal({
    title,
    message: isMissing ? `${message} ${MAY_HAVE_HAPPENED}` : message,
    code: coded.code,
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
