import type { DISCLOSURES } from '../access/tables.ts'
import type { Database } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import type { Row } from '../engine/table.ts'
import {
  forgetOldHeads,
  type Head,
  HeadFile,
  type LedgerKey,
  readHeads,
  readLedgerKeys,
  signingKey,
} from './ledger-files.ts'

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

/** Signs a line together with the previous one. The query is included as a hash, so that it can be deleted later. */
export function lineMac(key: LedgerKey, before: string, line: Omit<Line, 'mac'>): string {
  const { owner_id, disclosure_id, at, request_id, client_id, grant_ids, route, status, shown, decided } =
    line
  const content = [
    owner_id,
    disclosure_id,
    at,
    request_id,
    client_id,
    grant_ids,
    route,
    status,
    shown,
    decided,
  ]
  return key.mac('line', [before, line.chain_id, line.link_no, line.opening, line.query_mac, ...content])
}

export function queryMac(key: LedgerKey, disclosure_id: string, query: string): string {
  return key.mac('query', [disclosure_id, query])
}
