import type { Catalog } from '../model/access/enforce.ts'
import type { Grant } from '../model/access/grant.ts'
import { Ledger } from './access/disclosures.ts'
import { readGrantBody } from './access/grants.ts'
import type { Database, Location } from './engine/database.ts'
import { migrateLedger } from './engine/migrations.ts'
import { type Memory, openDatabase } from './engine/open-database.ts'
import { readCatalog } from './records/catalog.ts'
import { StoreWorker } from './threads/worker.ts'
import { exportLines } from './transfer/export.ts'

const MOST_CACHED_GRANTS = 1_000

/** Everything the servers and commands need of the stored data. */
export class Store implements AsyncDisposable {
  /** Point reads, pages and windows, in the calling thread. */
  readonly database: Database
  readonly ledger: Ledger
  /** Every write. */
  readonly writer: StoreWorker
  /** The key that cursors are sealed with. */
  readonly sealingKey: Uint8Array
  readonly owner_id: string
  readonly #location: Location
  readonly #memory: Memory
  #scanner: StoreWorker | null = null
  #closed = false
  readonly #catalogs = new Map<string, { seq: number; catalog: Promise<Catalog> }>()
  readonly #grants = new Map<string, Promise<Grant>>()

  private constructor(
    parts: Pick<Store, 'database' | 'ledger' | 'writer' | 'sealingKey' | 'owner_id'>,
    location: Location,
    memory: Memory,
  ) {
    this.database = parts.database
    this.ledger = parts.ledger
    this.writer = parts.writer
    this.sealingKey = parts.sealingKey
    this.owner_id = parts.owner_id
    this.#location = location
    this.#memory = memory
  }

  static async open(location: Location, memory: Memory = 'server'): Promise<Store> {
    const writer = new StoreWorker(location, 'writer', memory)
    try {
      await writer.call('migrate', null)
      const sealingKey = await writer.call('sealingKey', null)
      const owner_id = await writer.call('ensureOwner', { now: new Date().toISOString() })
      const ledger = new Ledger(openDatabase(location, 'ledger', memory))
      await migrateLedger(ledger.database)
      const database = openDatabase(location, 'point-reader', memory)
      return new Store({ database, ledger, writer, sealingKey, owner_id }, location, memory)
    } catch (error) {
      await writer[Symbol.asyncDispose]().catch(() => {})
      throw error
    }
  }

  /** Reads that may take long; started when first needed. */
  get scanner(): StoreWorker {
    this.#scanner ??= new StoreWorker(this.#location, 'reader', this.#memory)
    return this.#scanner
  }

  /** The catalog as of a state that the caller has just read; kept until that state changes. */
  catalog(owner_id: string, catalog_seq: number): Promise<Catalog> {
    const known = this.#catalogs.get(owner_id)
    if (known && known.seq === catalog_seq) return known.catalog
    const catalog = readCatalog(this.database, owner_id)
    this.#catalogs.set(owner_id, { seq: catalog_seq, catalog })
    catalog.catch(() => this.#catalogs.delete(owner_id))
    return catalog
  }

  /** The frozen part of a grant. It never changes, so it is kept. */
  grant(owner_id: string, grant_id: string): Promise<Grant> {
    const known = this.#grants.get(grant_id)
    if (known) return known
    if (this.#grants.size >= MOST_CACHED_GRANTS) this.#grants.clear()
    const grant = readGrantBody(this.database, owner_id, grant_id)
    this.#grants.set(grant_id, grant)
    grant.catch(() => this.#grants.delete(grant_id))
    return grant
  }

  /** Everything of the owner, as of now, as lines of JSON; writing goes on meanwhile. */
  async *exported(): AsyncGenerator<string> {
    await using reader = openDatabase(this.#location, 'reader')
    await using ledger = openDatabase(this.#location, 'ledger')
    yield* exportLines(await reader.frozen(), await ledger.frozen(), this.owner_id)
  }

  /** Makes anew what search indexes are out of date, part by part, between other writes. */
  async refreshIndexes(): Promise<void> {
    try {
      const { connections } = await readCatalog(this.database, this.owner_id)
      for (const { connection_id, declaration } of connections) {
        for (const stream of declaration.streams) {
          const target = { owner_id: this.owner_id, connection_id, stream }
          while (!this.#closed && !(await this.writer.call('rebuildIndexPart', target)));
        }
      }
    } catch (error) {
      if (!this.#closed) throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await this.writer[Symbol.asyncDispose]()
    await this.#scanner?.[Symbol.asyncDispose]()
    await this.database[Symbol.asyncDispose]()
    await this.ledger.database[Symbol.asyncDispose]()
  }
}
