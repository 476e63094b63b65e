import { type Access, accessName, type Catalog, type Source, sourcesOf } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import type { Cursors } from '../../model/reading/cursor.ts'
import type { Store } from '../../store/store.ts'
import type { Parameters } from './parameters.ts'

/** What the resource server is made of. */
export interface Environment {
  store: Store
  cursors: Cursors
  /** The origin that everything public is built from; never the Host header. */
  publicUrl: string
  /** Requests a second and burst for each token; null is no limit. */
  rateLimit: { perSecond: number; burst: number } | null
  changesTtlSeconds: number
  clock: () => Date
  /** Stands for the owner's token to callers inside this process. Made anew for each process and never stored. */
  ownerKey?: string
  /** Told of every failure that is the server's own. */
  report: (error: unknown, request_id: string) => void
}

/** One request, authenticated and with its parameters checked. */
export class RequestContext {
  readonly env: Environment
  readonly request: Request
  readonly request_id: string
  readonly route: string
  readonly path: Record<string, string>
  readonly parameters: Parameters
  readonly access: Access
  readonly catalog: Catalog
  readonly now: Date
  /** Returns when the access that the request was begun with is known to hold still. */
  readonly confirm: () => Promise<void>
  readonly #noted: Promise<void>[] = []

  constructor(
    fields: Pick<
      RequestContext,
      | 'env'
      | 'request'
      | 'request_id'
      | 'route'
      | 'path'
      | 'parameters'
      | 'access'
      | 'catalog'
      | 'now'
      | 'confirm'
    >,
  ) {
    this.env = fields.env
    this.request = fields.request
    this.request_id = fields.request_id
    this.route = fields.route
    this.path = fields.path
    this.parameters = fields.parameters
    this.access = fields.access
    this.catalog = fields.catalog
    this.now = fields.now
    this.confirm = fields.confirm
  }

  get store(): Store {
    return this.env.store
  }

  get owner_id(): string {
    return this.access.owner_id
  }

  get isOwner(): boolean {
    return this.access.kind === 'owner'
  }

  get accessName(): string {
    return accessName(this.access)
  }

  /** The readable sources of the route's stream, narrowed by the `connection_id` parameter. */
  sources(): Source[] {
    return sourcesOf(this.access, this.catalog, this.path.stream ?? '', this.parameters.text('connection_id'))
  }

  /** Notes what the response is about to show, as it is or as JSON; an owner reading their own data is not noted. */
  disclose(shown: readonly Shown[] | readonly string[]): void {
    if (this.access.kind === 'owner' || shown.length === 0 || this.request.method === 'HEAD') return
    const note = this.#note(this.access, shown)
    note.catch(() => {})
    this.#noted.push(note)
  }

  /** Returns when everything that was disclosed is noted; the response leaves after that. */
  async settled(): Promise<void> {
    await Promise.all(this.#noted)
  }

  async #note(
    access: Extract<Access, { kind: 'client' }>,
    shown: readonly Shown[] | readonly string[],
  ): Promise<void> {
    await this.confirm()
    await this.store.ledger.add(this.owner_id, {
      at: this.now.toISOString(),
      request_id: this.request_id,
      client_id: access.client_id,
      grant_ids: access.grants.map(grant => grant.grant_id),
      route: this.route,
      shown: `[${shown.map(each => (typeof each === 'string' ? each : JSON.stringify(each))).join(',')}]`,
    })
  }
}
