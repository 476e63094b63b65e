import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeKeyFile } from '../../data-folder/key-file.ts'
import type { DISCLOSURES } from '../access/tables.ts'
import type { Database } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import type { Row } from '../engine/table.ts'

export const LEDGER_KEY_FILE = 'ledger.key'

const MAC_CHARS = 27

/** Signs the ledger. It is stored in the data folder, outside the database that it protects. */
export class LedgerKey {
  /** Identifies the key without revealing it. */
  readonly id: string
  readonly #secret: KeyObject

  constructor(text: string) {
    const secret = Buffer.from(text, 'base64url')
    this.#secret = createSecretKey(secret)
    this.id = createHash('sha256').update('ledger key\0').update(secret).digest('hex').slice(0, 12)
  }

  mac(purpose: 'line' | 'query' | 'head' | 'mark' | 'block', parts: readonly unknown[]): string {
    const hash = createHmac('sha256', this.#secret).update(JSON.stringify([purpose, ...parts]))
    return hash.digest('base64url').slice(0, MAC_CHARS)
  }
}

/**
 * The keys in the data folder, one per line. The first is used to sign; the others belong to ledgers that were restored
 * here.
 */
export function readLedgerKeys(directory: string): LedgerKey[] {
  const path = join(directory, LEDGER_KEY_FILE)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter(line => line.trim() !== '').map(line => new LedgerKey(line.trim()))
}

/** The key that signs; generated if there is none. */
export function signingKey(directory: string): LedgerKey {
  const [known] = readLedgerKeys(directory)
  if (known) return known
  makeKeyFile(join(directory, LEDGER_KEY_FILE))
  return readLedgerKeys(directory)[0] as LedgerKey
}

export const LEDGER_HEADS_FOLDER = 'ledger-heads'

const DAY_MS = 24 * 60 * 60_000
const KEPT_DAYS = 30

/** How far a chain of the ledger has come. */
export interface Head {
  chain_id: string
  count: number
  mac: string
}

export interface StoredHead extends Head {
  key: string
  /** Whether the process was shut down properly. */
  ended: boolean
}

/**
 * Where a process stores the head of its chain: a file beside the key, outside the database. It is written after each
 * write to the ledger, without waiting for the disk. So the deletion of lines at the end of a chain is detected.
 */
class HeadFile {
  readonly #path: string
  readonly #key: LedgerKey
  #file: number
  #written = Date.now()

  constructor(directory: string, chain_id: string, key: LedgerKey) {
    const folder = join(directory, LEDGER_HEADS_FOLDER)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#path = join(folder, chain_id)
    this.#key = key
    this.#file = openSync(this.#path, 'w', 0o600)
  }

  write({ chain_id, count, mac }: Head, ended = false): void {
    const now = Date.now()
    if (now - this.#written > DAY_MS) this.#openAgain()
    this.#written = now
    const seal = this.#key.mac('head', [chain_id, count, mac, ended])
    const text = JSON.stringify({ chain_id, count, mac, key: this.#key.id, ended, seal })
    // The text never gets shorter, so it covers what was written before.
    writeSync(this.#file, `${text.padEnd(PADDED_CHARS)}\n`, 0)
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Another process may have removed a file that was not written for a long time. */
  #openAgain(): void {
    closeSync(this.#file)
    this.#file = openSync(this.#path, 'w', 0o600)
  }
}

const PADDED_CHARS = 200

/** The heads that processes stored here. One that cannot be read was being written when its process was killed. */
export function readHeads(directory: string, keys: readonly LedgerKey[]): StoredHead[] {
  return namesOf(directory).flatMap(name => {
    try {
      const { seal, ...head } = JSON.parse(readFileSync(join(directory, LEDGER_HEADS_FOLDER, name), 'utf8'))
      const { chain_id, count, mac, key, ended } = head as StoredHead
      const known = keys.find(({ id }) => id === key)
      return known?.mac('head', [chain_id, count, mac, ended]) === seal ? [head as StoredHead] : []
    } catch {
      return []
    }
  })
}

/** Removes heads that were not written for a long time: by then a line of a later chain contains them. */
function forgetOldHeads(directory: string): void {
  for (const name of namesOf(directory)) {
    const path = join(directory, LEDGER_HEADS_FOLDER, name)
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - changed > KEPT_DAYS * DAY_MS) rmSync(path, { force: true })
  }
}

function namesOf(directory: string): string[] {
  try {
    return readdirSync(join(directory, LEDGER_HEADS_FOLDER))
  } catch {
    return []
  }
}

export type Line = Row<typeof DISCLOSURES>
export type UnlinkedLine = Omit<Line, 'query_mac' | 'chain_id' | 'link_no' | 'opening' | 'mac'>

/** What the first line of a chain contains besides its own content. */
export interface Opening {
  /** The id of the key that signs this chain. */
  key: string
  /** The heads of other chains at that time. */
  previous: Head[]
  /** Only in the very first chain: how many lines existed before lines were linked. */
  unlinked?: number
}

const RECENT_LINES = 200

/**
 * The lines that one process writes, each signed together with the previous line. Each process has its own chain, so
 * several can write at the same time.
 */
export class LedgerChain {
  readonly #key: LedgerKey
  readonly #directory: string
  readonly #chain_id: string
  readonly #opening: Opening
  #head: Head
  #file: HeadFile | null = null

  private constructor(directory: string, key: LedgerKey, opening: Opening) {
    this.#directory = directory
    this.#key = key
    this.#opening = opening
    this.#chain_id = timeOrderedId(new Date())
    this.#head = { chain_id: this.#chain_id, count: 0, mac: '' }
  }

  static async begin(database: Database, directory: string, owner_id: string): Promise<LedgerChain> {
    const key = signingKey(directory)
    const previous = new Map<string, Head>()
    const add = (head: Head) => {
      if ((previous.get(head.chain_id)?.count ?? 0) < head.count) previous.set(head.chain_id, head)
    }
    for (const { chain_id, count, mac } of readHeads(directory, readLedgerKeys(directory)))
      add({ chain_id, count, mac })
    const recent = await database.all<Line>(
      `SELECT chain_id, link_no, mac FROM disclosures WHERE owner_id = ? ORDER BY disclosure_id DESC LIMIT ?`,
      [owner_id, RECENT_LINES],
    )
    for (const { chain_id, link_no, mac } of recent)
      if (chain_id !== null && link_no !== null && mac !== null) add({ chain_id, count: link_no, mac })
    const opening: Opening = { key: key.id, previous: [...previous.values()] }
    if (previous.size === 0) opening.unlinked = await countUnlinked(database, owner_id)
    return new LedgerChain(directory, key, opening)
  }

  /** The lines in the form in which they are stored. They count as written once `confirm` is called. */
  link(lines: readonly UnlinkedLine[]): Line[] {
    let { count, mac } = this.#head
    return lines.map(line => {
      count++
      const linked = {
        ...line,
        query_mac: line.query === null ? null : queryMac(this.#key, line.disclosure_id, line.query),
        chain_id: this.#chain_id,
        link_no: count,
        opening: count === 1 ? JSON.stringify(this.#opening) : null,
      }
      mac = lineMac(this.#key, mac, linked)
      return { ...linked, mac }
    })
  }

  confirm({ link_no, mac }: Line): void {
    this.#head = { chain_id: this.#chain_id, count: link_no ?? 0, mac: mac ?? '' }
    if (!this.#file) {
      this.#file = new HeadFile(this.#directory, this.#chain_id, this.#key)
      forgetOldHeads(this.#directory)
    }
    this.#file.write(this.#head)
  }

  end(): void {
    this.#file?.write(this.#head, true)
    this.#file?.close()
    this.#file = null
  }
}

async function countUnlinked(database: Database, owner_id: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM disclosures WHERE owner_id = ? AND chain_id IS NULL'
  return (await database.get<{ n: number }>(sql, [owner_id]))?.n ?? 0
}

const SIGNED = [
  ...(['owner_id', 'disclosure_id', 'at', 'request_id', 'client_id', 'grant_ids'] as const),
  ...(['route', 'status', 'shown', 'decided'] as const),
]

/** Signs a line together with the previous one. The query is included as a hash, so that it can be deleted later. */
export function lineMac(key: LedgerKey, before: string, line: Omit<Line, 'mac'>): string {
  const content = SIGNED.map(column => line[column])
  return key.mac('line', [before, line.chain_id, line.link_no, line.opening, line.query_mac, ...content])
}

export function queryMac(key: LedgerKey, disclosure_id: string, query: string): string {
  return key.mac('query', [disclosure_id, query])
}
