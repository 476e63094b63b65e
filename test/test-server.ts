import { Cursors } from '../src/model/reading/cursor.ts'
import { TimeZone } from '../src/model/time.ts'
import { createOrigin, type Origin } from '../src/origin/origin.ts'
import { type Rate, RateLimit } from '../src/origin/rate-limit.ts'
import type { Environment } from '../src/resource-server/request/context.ts'
import { type Allowance, SEARCH_ALLOWANCE } from '../src/store/budget/budget.ts'
import type { Location } from '../src/store/engine/database.ts'
import { Store } from '../src/store/store.ts'
import { assertContract } from './contract-check.ts'
import { type Engine, storeLocation } from './places.ts'

export const PUBLIC_URL = 'http://footnote.test'

/** A resource server on a new store, called in-process, with a clock that tests can change. */
export class TestServer implements AsyncDisposable {
  readonly store: Store
  readonly location: Location
  readonly ownerToken: string
  readonly #origin: Origin
  readonly #remove: () => Promise<void>
  readonly failures: unknown[]
  /** Added to the real time. */
  clockOffsetMs: number

  private constructor(
    parts: Pick<TestServer, 'store' | 'location' | 'ownerToken'>,
    remove: () => Promise<void>,
    options: ServerOptions,
  ) {
    this.store = parts.store
    this.location = parts.location
    this.ownerToken = parts.ownerToken
    this.failures = []
    this.clockOffsetMs = 0
    this.#remove = remove
    this.#origin = createOrigin({
      store: this.store,
      cursors: new Cursors(this.store.sealingKey, 86_400),
      publicUrl: PUBLIC_URL,
      searchAllowance: { ...SEARCH_ALLOWANCE, processorMs: 60_000, ...options.search },
      rateLimit: options.rateLimit ? new RateLimit('client', options.rateLimit) : null,
      changesTtlSeconds: 90 * 86_400,
      clock: () => new Date(Date.now() + this.clockOffsetMs),
      settings: { showQueries: options.showQueries ?? false, ownNames: options.ownNames ?? [] },
      ...(options.meaning && { meaning: options.meaning }),
      timeZone: new TimeZone(options.timeZone ?? 'UTC'),
      report: error => this.failures.push(error),
    })
  }

  static async start(engine: Engine, options: ServerOptions = {}): Promise<TestServer> {
    const { location, remove } = await storeLocation(engine)
    return TestServer.on(location, options, remove)
  }

  /** A server on existing data, which is kept. */
  static async on(
    location: Location,
    options: ServerOptions = {},
    remove: () => Promise<void> = async () => {},
  ): Promise<TestServer> {
    const store = await Store.open(location)
    const ownerToken = await store.writer.call('createOwnerToken', {
      owner_id: store.owner_id,
      now: new Date().toISOString(),
    })
    return new TestServer({ store, location, ownerToken }, remove, options)
  }

  async request(path: string, init: RequestInit & { token?: string | null } = {}): Promise<Response> {
    const { token = this.ownerToken, ...rest } = init
    const headers = new Headers(rest.headers)
    if (token !== null) headers.set('Authorization', `Bearer ${token}`)
    const request = new Request(new URL(path, PUBLIC_URL), {
      ...rest,
      headers,
      ...(rest.body ? { duplex: 'half' } : {}),
    } as RequestInit)
    return this.#origin.dispatch(request)
  }

  /** The parsed JSON body together with its status. */
  async json(path: string, init: RequestInit & { token?: string | null } = {}): Promise<Answer> {
    const response = await this.request(path, init)
    const text = await response.text()
    const body = text === '' ? null : JSON.parse(text)
    assertContract(init.method ?? 'GET', path, response.status, body)
    return { status: response.status, headers: response.headers, body }
  }

  post(path: string, body: unknown, token = this.ownerToken): Promise<Answer> {
    return this.send('POST', path, body, token)
  }

  /** A request with a JSON body, given as a value or as text. */
  send(method: string, path: string, body: unknown, token = this.ownerToken): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.json(path, { method, token, body: text, headers: { 'Content-Type': 'application/json' } })
  }

  /** Stores bytes, and returns the id of their blob. */
  async upload(body: string | Buffer<ArrayBuffer>, type = 'text/plain'): Promise<string> {
    const stored = await this.json('/v1/blobs', { method: 'POST', body, headers: { 'Content-Type': type } })
    return stored.body.blob_id
  }

  /** Registers a declaration and creates a connection for it. */
  async connect(declaration: { source: { id: string } }, display_name = 'Test'): Promise<string> {
    const registered = await this.post('/v1/owner/declarations', declaration)
    if (registered.status >= 300) throw new Error(JSON.stringify(registered.body))
    const source_id = declaration.source.id
    const made = await this.post('/v1/owner/connections', { source_id, display_name })
    return made.body.connection_id
  }

  async ingest(stream: string, connection_id: string, lines: readonly unknown[] | string): Promise<Answer> {
    const body = typeof lines === 'string' ? lines : lines.map(line => JSON.stringify(line)).join('\n')
    return this.json(`/v1/ingest/${stream}?connection_id=${connection_id}`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/x-ndjson' },
    })
  }

  /** Creates the grants of a request, one per connection, and returns their token. */
  async grant(request: Record<string, unknown> = {}): Promise<string> {
    return (await this.grants(request)).access_token
  }

  async grants(request: Record<string, unknown> = {}): Promise<MadeGrants> {
    const made = await this.post('/v1/owner/grants', { client_name: 'Test client', ...request })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    const { access_token, client_id, grants } = made.body
    return {
      access_token,
      client_id,
      grant_ids: grants.map(({ grant_id }: { grant_id: string }) => grant_id),
    }
  }

  /** A token for grants that were created separately. */
  tokenFor(...made: readonly Pick<MadeGrants, 'grant_ids'>[]): Promise<string> {
    const { owner_id, writer } = this.store
    const grant_ids = made.flatMap(each => each.grant_ids)
    return writer.call('createClientToken', { owner_id, grant_ids, now: new Date().toISOString() })
  }

  async revoke({ grant_ids }: Pick<MadeGrants, 'grant_ids'>): Promise<void> {
    for (const grant_id of grant_ids) await this.request(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]()
    await this.#remove()
  }
}

export interface MadeGrants {
  access_token: string
  client_id: string
  grant_ids: string[]
}

export interface ServerOptions {
  rateLimit?: Rate
  /** What a search may use; by default as usual, but for a long time, because tests run in parallel. */
  search?: Partial<Allowance>
  showQueries?: boolean
  ownNames?: readonly string[]
  timeZone?: string
  /** Computes the vectors of queries. */
  meaning?: NonNullable<Environment['meaning']>
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}
