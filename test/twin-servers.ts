import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cursors } from '../src/model/reading/cursor.ts'
import { createOrigin, type Origin } from '../src/origin/origin.ts'
import { type Allowance, SEARCH_ALLOWANCE } from '../src/store/budget/budget.ts'
import type { Location } from '../src/store/engine/database.ts'
import { Store } from '../src/store/store.ts'
import { type Engine, storeLocation } from './places.ts'
import { dropDatabase, freshDatabase } from './postgres.ts'
import { wordMeaning } from './word-meaning.ts'

const NOW = new Date('2026-06-01T12:00:00Z')

/** What a quotation is fenced with, drawn for each. */
const BOUNDARY = /\\"boundary\\":\\"(\w+)\\"/g

/** An answer without its random parts. */
export interface PlainAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

/** A server with a stopped clock, so that identical stores give identical bytes. */
export class StillServer implements AsyncDisposable {
  readonly store: Store
  readonly ownerToken: string
  readonly failures: unknown[] = []
  readonly #origin: Origin

  private constructor(store: Store, ownerToken: string, allowance: Partial<Allowance>) {
    this.store = store
    this.ownerToken = ownerToken
    this.#origin = createOrigin({
      settings: { ownNames: ['Ada Lovelace', 'Müller'] },
      store,
      cursors: new Cursors(store.sealingKey, 86_400),
      publicUrl: 'http://footnote.test',
      rateLimit: null,
      searchAllowance: { ...SEARCH_ALLOWANCE, processorMs: 60_000, ...allowance },
      changesTtlSeconds: 90 * 86_400,
      clock: () => NOW,
      meaning: wordMeaning,
      report: error => this.failures.push(error),
    })
  }

  /** With what one search may read, if it is less than usual. */
  static async open(location: Location, allowance: Partial<Allowance> = {}): Promise<StillServer> {
    const store = await Store.open(location)
    const args = { owner_id: store.owner_id, now: NOW.toISOString() }
    return new StillServer(store, await store.writer.call('createOwnerToken', args), allowance)
  }

  async ask(path: string, token = this.ownerToken, init: RequestInit = {}): Promise<PlainAnswer> {
    const headers = new Headers(init.headers)
    headers.set('Host', 'footnote.test')
    headers.set('Authorization', `Bearer ${token}`)
    const response = await this.#origin.dispatch(
      new Request(new URL(path, 'http://footnote.test'), { ...init, headers } as RequestInit),
    )
    const id = response.headers.get('Request-Id') ?? ''
    response.headers.delete('Request-Id')
    const whole = (await response.text()).replaceAll(id, 'req_…')
    const text = [...whole.matchAll(BOUNDARY)].reduce(
      (left, [, drawn = '']) => left.replaceAll(drawn, '…'),
      whole,
    )
    return { status: response.status, headers: Object.fromEntries(response.headers), text }
  }

  /** Makes a request as the owner. A refusal fails the test. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  async own(method: string, path: string, body: unknown, type = 'application/json'): Promise<any> {
    const content = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await this.ask(path, this.ownerToken, {
      method,
      body: content,
      headers: { 'Content-Type': type },
    })
    if (answer.status >= 300 || /"rejected":[1-9]/.test(answer.text))
      throw new Error(`${path}: ${answer.text}`)
    return answer.text === '' ? null : JSON.parse(answer.text)
  }

  /** Registers a declaration and creates a connection for it. */
  async connect(declaration: { source: { id: string } }, display_name: string): Promise<string> {
    await this.own('POST', '/v1/owner/declarations', declaration)
    const made = { source_id: declaration.source.id, display_name }
    return (await this.own('POST', '/v1/owner/connections', made)).connection_id
  }

  async ingest(stream: string, connection_id: string, lines: readonly object[]): Promise<void> {
    const body = lines.map(line => JSON.stringify(line)).join('\n')
    const path = `/v1/ingest/${stream}?connection_id=${connection_id}`
    await this.own('POST', path, body, 'application/x-ndjson')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]()
  }
}

/** A store that is prepared once and opened any number of times as identical copies: the same ids, tokens and keys. */
export class StoreTemplate implements AsyncDisposable {
  readonly #location: Location
  readonly #removals: (() => Promise<void>)[]

  private constructor(location: Location, remove: () => Promise<void>) {
    this.#location = location
    this.#removals = [remove]
  }

  static async prepare<T>(
    engine: Engine,
    work: (server: StillServer) => Promise<T>,
  ): Promise<{ template: StoreTemplate; prepared: T }> {
    const { location, remove } = await storeLocation(engine)
    await using server = await StillServer.open(location)
    return { prepared: await work(server), template: new StoreTemplate(location, remove) }
  }

  async open(allowance: Partial<Allowance> = {}): Promise<StillServer> {
    return StillServer.open(await this.#copy(), allowance)
  }

  async #copy(): Promise<Location> {
    if (this.#location.engine === 'sqlite') {
      const directory = await mkdtemp(join(tmpdir(), 'footnote-copy-'))
      this.#removals.push(() => rm(directory, { recursive: true, force: true }))
      await cp(this.#location.directory, directory, { recursive: true })
      return { engine: 'sqlite', directory }
    }
    const url = await freshDatabase(this.#location.url)
    this.#removals.push(() => dropDatabase(url))
    return { engine: 'postgres', url, directory: this.#location.directory }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const remove of this.#removals) await remove()
  }
}
