import { createHmac, type KeyObject } from 'node:crypto'
import { protectedResource, READ_SCOPE } from '../../api/discovery.ts'
import type { List } from '../../api/list.ts'
import { CodedError, internalError } from '../../model/errors.ts'
import { originAsked } from '../../model/loopback.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

declare const BODY: unique symbol

/** What a handler returns; it becomes a Response once all headers are known. */
export interface Reply<T = unknown> {
  status: number
  headers: Record<string, string>
  body: string | ReadableStream | null
  /** The type of the body's content. */
  readonly [BODY]?: () => T
}

export function json<T>(body: T, status = 200, headers: Record<string, string> = {}): Reply<T> {
  return written(JSON.stringify(body), status, headers)
}

function written<T>(body: string, status: number, headers: Record<string, string>): Reply<T> {
  return {
    status,
    headers: { 'Content-Type': JSON_TYPE, 'Cache-Control': 'private, no-store', ...headers },
    body,
  }
}

export function empty(status: number, headers: Record<string, string> = {}): Reply<never> {
  return { status, headers, body: null }
}

/** How a page ends: with the cursor of the next page, or as the last one. */
export type PageEnd = Pick<List<unknown>, 'next_cursor' | 'next_changes_since'>

export function list<T, Meta>(
  { url }: Request,
  data: T[],
  end: PageEnd,
  meta: List<T, Meta>['meta'],
): Reply<List<T, Meta>> {
  return json({
    object: 'list',
    url: targetOf(url).split('?', 1)[0] ?? '',
    data,
    has_more: end.next_cursor !== undefined,
    ...end,
    meta,
  })
}

/** The path and query of a URL, exactly as in the request. */
export function targetOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2))
}

export function etagOf(key: KeyObject, ...parts: string[]): string {
  const hash = createHmac('sha256', key).update('etag\0')
  for (const part of parts) hash.update(part).update('\0')
  return `"${hash.digest('base64url').slice(0, 27)}"`
}

/** Whether the caller already has exactly this version. `*` is ignored: it would reveal that something exists. */
export function holds(request: Request, etag: string): boolean {
  const header = request.headers.get('If-None-Match')
  if (header === null) return false
  return header.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}

export function notModified(etag: string): Reply<never> {
  return empty(304, { ETag: etag, 'Cache-Control': 'private, no-cache' })
}

/** A JSON body with its ETag; its text can be passed if it was already written for the ETag. */
export function tagged<T>(body: T, etag: string, text = JSON.stringify(body)): Reply<T> {
  return written(text, 200, { ETag: etag, 'Cache-Control': 'private, no-cache' })
}

interface Refused {
  request: Request
  request_id: string
  publicUrl: string
}

/** The only place where an error becomes a response. */
export function errorReply(error: unknown, { request, request_id, publicUrl }: Refused): Reply {
  const coded = error instanceof CodedError ? error : internalError()
  const { retry_after, ...details } = coded.details
  const headers: Record<string, string> = {}
  if (typeof retry_after === 'number') headers['Retry-After'] = String(retry_after)
  if (coded.status === 401) {
    const isBearer = /^bearer\b/i.test(request.headers.get('Authorization') ?? '')
    const fault = isBearer ? 'error="invalid_token", ' : ''
    headers['WWW-Authenticate'] =
      `Bearer ${fault}resource_metadata="${originAsked(publicUrl, request)}${protectedResource.path}", scope="${READ_SCOPE}"`
  }
  if (coded.code === 'range_not_satisfiable') headers['Content-Range'] = `bytes */${details.size_bytes}`
  if (coded.code === 'method_not_allowed') headers.Allow = String(details.allow)
  const body = {
    error: { type: coded.type, code: coded.code, message: coded.message, ...details, request_id },
  }
  return json(body, coded.status, headers)
}
