import type { List } from '../../api/list.ts'
import type { Route } from '../../api/route.ts'
import type { Json } from '../../model/json.ts'
import { type Cursors, expiredPage } from '../../model/reading/cursor.ts'
import type { PagePosition } from '../../store/access/page-positions.ts'
import type { Store } from '../../store/store.ts'
import { list, type Reply } from './responses.ts'

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
