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

/** The only place where an error on a page becomes a response. */
export function errorPage(
  error: unknown,
  { titles = {}, messages = {}, signedIn = false }: ErrorWords = {},
): Promise<Response> {
  const coded = error instanceof CodedError ? error : internalError()
  const title = titles[coded.status] ?? 'That did not work'
  const body = refusal({ title, message: messages[coded.code] ?? coded.message, code: coded.code })
  return pageResponse(
    { title, body, width: 'narrow', signedIn },
    { status: coded.status, headers: retryAfter(coded) },
  )
}

/** The `Retry-After` header, for errors that have one. */
export function retryAfter({ details }: CodedError): Record<string, string> {
  return typeof details.retry_after === 'number' ? { 'Retry-After': String(details.retry_after) } : {}
}
