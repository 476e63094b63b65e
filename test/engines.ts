import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { getCallSites } from 'node:util'
import { Cursors } from '../src/model/reading/cursor.ts'
import { TimeZone } from '../src/model/time-zone.ts'
import { type Rate, RateLimit } from '../src/origin/rate-limit.ts'
import { createOrigin, type Origin } from '../src/origin/routes.ts'
import type { Environment } from '../src/resource-server/request/context.ts'
import { SEARCH_ALLOWANCE } from '../src/store/budget/budget.ts'
import type { Location } from '../src/store/engine/database.ts'
import { migrate, migrateLedger } from '../src/store/engine/migrations.ts'
import { openDatabase, SQLITE_FILES } from '../src/store/engine/open-database.ts'
import { Store } from '../src/store/store.ts'
import { assertContract } from './contract-check.ts'
import { dropDatabase, freshDatabase, stopPostgres } from './postgres.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

/** `npm run prove` runs the same tests with large counts. */
export const PROVING = process.env.FOOTNOTE_PROVE === '1'
export const count = (few: number, many: number): number => (PROVING ? many : few)

export const PUBLIC_URL = 'http://footnote.test'

after(stopPostgres)
after(async () => {
  if (files) await rm(await files, { recursive: true, force: true })
})

/** A test that runs on each engine; its title cites the requirements it covers. Its tag is the file that calls this. */
export function onEachEngine(title: string, work: (engine: Engine) => Promise<void>): void {
  const tags = [basename(getCallSites(2)[1]?.scriptName ?? '')]
  for (const engine of ENGINES) test(`${title} [${engine}]`, { tags }, () => work(engine))
}

/** For tests that take long: one engine in `npm test`, both in `npm run prove`. */
export const onOneEngine: typeof onEachEngine = PROVING
  ? onEachEngine
  : (title, work) => {
      const tags = [basename(getCallSites(2)[1]?.scriptName ?? '')]
      test(`${title} [sqlite]`, { tags }, () => work('sqlite'))
    }

export interface Place {
  location: Location
  remove(): Promise<void>
}

/** An empty location for a store that is removed at the end. */
export async function freshLocation(engine: Engine): Promise<Place> {
  return place(engine, () => freshDatabase())
}

/** The same for tests of a store: its tables already exist, because copying them is faster. */
export async function storeLocation(engine: Engine): Promise<Place> {
  if (engine === 'postgres') {
    tables ??= databaseWithTables()
    const made = await tables
    return place(engine, () => freshDatabase(made))
  }
  files ??= filesWithTables()
  const folder = await files
  const made = await place(engine, () => freshDatabase())
  for (const file of SQLITE_FILES) await copyFile(join(folder, file), join(made.location.directory, file))
  return made
}

let tables: Promise<string> | null = null
let files: Promise<string> | null = null

async function databaseWithTables(): Promise<string> {
  const url = await freshDatabase()
  await using database = await openDatabase({ engine: 'postgres', url, directory: tmpdir() }, 'writer')
  await migrate(database)
  await migrateLedger(database)
  return url
}

async function filesWithTables(): Promise<string> {
  const { location } = await place('sqlite', () => freshDatabase())
  await using database = await openDatabase(location, 'writer')
  await using ledger = await openDatabase(location, 'ledger')
  await migrate(database)
  await migrateLedger(ledger)
  return location.directory
}

async function place(engine: Engine, databaseUrl: () => Promise<string>): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  if (engine === 'sqlite') return { location: { engine, directory }, remove }
  const url = await databaseUrl()
  return {
    location: { engine, url, directory },
    async remove() {
      await dropDatabase(url)
      await remove()
    },
  }
}

/** A resource server on a fresh store, called in-process, with a clock that tests can move. */
export class TestServer implements AsyncDisposable {
  readonly store: Store
  readonly location: Location
  readonly ownerToken: string
  readonly #origin: Origin
  readonly #remove: () => Promise<void>
  readonly failures: unknown[]
  /** Milliseconds added to the real time. */
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
      searchAllowance: { ...SEARCH_ALLOWANCE, processorMs: options.searchMs ?? 60_000 },
      rateLimit: options.rateLimit ? new RateLimit('client', options.rateLimit) : null,
      changesTtlSeconds: 90 * 86_400,
      clock: () => new Date(Date.now() + this.clockOffsetMs),
      showQueries: options.showQueries ?? false,
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
    if (response.ok && body !== null) assertContract(init.method ?? 'GET', path, body)
    return { status: response.status, headers: response.headers, body }
  }

  async post(path: string, body: unknown, token = this.ownerToken): Promise<Answer> {
    return this.json(path, {
      method: 'POST',
      token,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })
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
  /** How long a search may take; long by default, because tests run in parallel. */
  searchMs?: number
  showQueries?: boolean
  timeZone?: string
  /** Returns the meaning of queries. */
  meaning?: NonNullable<Environment['meaning']>
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}
