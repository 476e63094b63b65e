import { createHmac, type KeyObject } from 'node:crypto'
import { protectedResource, READ_SCOPE } from '../../api/discovery.ts'
import type { List } from '../../api/list.ts'
import type { Route } from '../../api/route.ts'
import { CodedError, internalError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { originAsked } from '../../model/loopback.ts'
import { type Cursors, expiredPage } from '../../model/reading/cursor.ts'
import type { PagePosition } from '../../store/access/page-positions.ts'
import type { Store } from '../../store/store.ts'

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

/** What a cursor is bound to. */
interface BoundRequest {
  route: Route
  path: Readonly<Record<string, string>>
  parameters: Readonly<Record<string, unknown>>
  accessName: string
}

interface PagedRequest extends BoundRequest {
  request: Request
  env: { cursors: Cursors; store: Store }
  owner_id: string
  now: Date
  note: { readonly positions: PagePosition[] }
  warnings: List<unknown>['meta']['warnings']
}

/** What a cursor is for, if it does not continue a plain list: the changes since a mark, or a page of changes. */
type ChangesPurpose = 'changes_since' | 'changes'

/**
 * What a cursor of a request is bound to: its purpose, the route, the access, the path and the parameters that the
 * contract binds it to. A cursor of changes is not bound to the text of the mark.
 */
export function bindingOf(request: BoundRequest, purpose: ChangesPurpose | null = null): string {
  const { route, accessName, path, parameters } = request
  const isBound = ([name, { bound }]: [string, Route['parameters'][string]]) =>
    bound && (purpose === null || name !== 'changes_since')
  const values = Object.entries(route.parameters)
    .filter(isBound)
    .map(([name]) => parameters[name] ?? null)
  return JSON.stringify([route.method, route.path, accessName, path, purpose, values])
}

/** One page of a list: where it begins, how many items it contains, and the cursor of the next page. */
export class Page {
  readonly #request: PagedRequest
  readonly #purpose: 'changes' | null
  #bound: string | undefined

  constructor(request: PagedRequest, purpose: 'changes' | null = null) {
    this.#request = request
    this.#purpose = purpose
  }

  get #binding(): string {
    this.#bound ??= bindingOf(this.#request, this.#purpose)
    return this.#bound
  }

  /** Whether the request's cursor was issued for a page like this one. */
  get isContinued(): boolean {
    const { env, parameters } = this.#request
    return parameters.cursor !== undefined && env.cursors.isBound(parameters.cursor as string, this.#binding)
  }

  get limit(): number {
    return this.#request.parameters.limit as number
  }

  /** The position in the request's cursor; null for the first page. */
  async open<Position>(): Promise<Position | null> {
    const { env, owner_id, parameters, now } = this.#request
    if (parameters.cursor === undefined) return null
    const opened = env.cursors.openPage(parameters.cursor as string, this.#binding, now)
    if ('state' in opened) return opened.state as Position
    const state = await env.store.ledger.positions.find(owner_id, opened.key)
    if (state === null) throw expiredPage()
    return JSON.parse(state) as Position
  }

  /** A cursor. What does not fit into it is kept before the answer leaves. */
  seal(position: unknown): string {
    const { env, owner_id, now, note } = this.#request
    const { cursor, kept } = env.cursors.sealPage(position as Json, this.#binding, now)
    if (kept) {
      const { key: position_key, state } = kept
      note.positions.push({ owner_id, position_key, state, kept_at: now.toISOString() })
    }
    return cursor
  }

  /** The rows of the page, of which one more was read, and the cursor of the next page if there is one. */
  cut<Row>(rows: readonly Row[], position: (last: Row) => unknown): { rows: Row[]; next_cursor?: string } {
    const page = rows.slice(0, this.limit)
    const last = page.at(-1)
    const more = rows.length > this.limit && last !== undefined
    return { rows: page, ...(more ? { next_cursor: this.seal(position(last)) } : {}) }
  }

  /** The response with these rows. */
  close<Row, T>(
    rows: readonly Row[],
    position: (last: Row) => unknown,
    show: (row: Row) => T,
  ): Reply<List<T>> {
    const { rows: page, ...end } = this.cut(rows, position)
    const { request, warnings } = this.#request
    return list(request, page.map(show), end, { warnings })
  }
}
