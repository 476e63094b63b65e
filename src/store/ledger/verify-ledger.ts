import type { verifyLedger as contract, readLedger } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import { DISCLOSURES, LEDGER_MARKS } from '../access/tables.ts'
import type { Queryable, Writable } from '../engine/database.ts'
import { findRow } from '../engine/rows.ts'
import { columnsOf } from '../engine/table.ts'
import {
  type Head,
  type LedgerKey,
  type Line,
  lineMac,
  type Opening,
  queryMac,
  type StoredHead,
} from './ledger-chain.ts'

export type LedgerReport = Omit<ReplyOf<typeof contract>, 'object' | 'at'>
type Problem = LedgerReport['problems'][number]

export interface ChainState extends Head {
  key: LedgerKey | undefined
  keyId: string
  missing: Set<number>
}

export interface Verified {
  report: LedgerReport
  chains: ReadonlyMap<string, ChainState>
  checkpoint: Checkpoint | null
}

const LINES_AT_ONCE = 500
const MOST_PROBLEMS = 100

interface Evidence {
  keys: readonly LedgerKey[]
  /** Read before the lines, so that a server that is writing cannot be ahead of them. */
  heads: readonly StoredHead[]
}

/**
 * Checks every line of the ledger against its signature, its place in its chain, and what other places record about it.
 */
export async function verifyLedger(
  ledger: Queryable,
  owner_id: string,
  evidence: Evidence,
): Promise<Verified> {
  const mark = await readMark(ledger, owner_id, 'checkpoint', evidence.keys)
  const verifier = new Verifier(evidence, mark?.signed === false ? null : (mark?.content ?? null))
  for await (const line of linesOf(ledger, owner_id)) verifier.take(line)
  return verifier.end()
}

class Verifier {
  readonly #keys: readonly LedgerKey[]
  readonly #heads: readonly StoredHead[]
  readonly #checkpoint: Checkpoint | null
  readonly #chains = new Map<string, ChainState>()
  readonly #named: Head[] = []
  readonly #problems: Problem[] = []
  #entries = 0
  #unlinked = 0
  #expectedUnlinked: number | null
  #unverifiable = 0

  constructor({ keys, heads }: Evidence, checkpoint: Checkpoint | null) {
    this.#keys = keys
    this.#heads = heads
    this.#checkpoint = checkpoint
    this.#expectedUnlinked = checkpoint?.unlinked ?? null
    for (const head of checkpoint?.chains ?? []) this.#chains.set(head.chain_id, this.#state(head, head.key))
  }

  take(line: Line): void {
    this.#entries++
    const { chain_id, link_no, mac } = line
    if (chain_id === null || link_no === null || mac === null) {
      this.#unlinked++
      return
    }
    const opening = line.opening === null ? null : (JSON.parse(line.opening) as Opening)
    const chain = this.#chains.get(chain_id) ?? this.#begin(chain_id, opening?.key)
    if (!chain.key) {
      this.#unverifiable++
      chain.count = Math.max(chain.count, link_no)
      return
    }
    const isNext = link_no === chain.count + 1
    if (link_no <= chain.count) {
      const kind = chain.missing.delete(link_no) ? 'reordered' : 'inserted'
      this.#problems.push({ kind, chain_id, first: link_no, last: link_no })
      return
    }
    for (let no = chain.count + 1; no < link_no; no++) chain.missing.add(no)
    const { query, query_mac, disclosure_id } = line
    const sameQuery = query === null || queryMac(chain.key, disclosure_id, query) === query_mac
    const genuine = sameQuery && lineMac(chain.key, chain.mac, line) === mac
    // After a gap the previous line is unknown, so the signature cannot be checked.
    if (isNext && !genuine) this.#problems.push({ kind: 'altered', chain_id, first: link_no, last: link_no })
    if (isNext && genuine && opening) this.#open(opening)
    chain.count = link_no
    chain.mac = mac
  }

  end(): Verified {
    const { chains: pruned = [], removed = 0 } = this.#checkpoint ?? {}
    for (const { chain_id, count } of [...this.#heads, ...this.#named]) {
      const chain = this.#chains.get(chain_id) ?? this.#begin(chain_id, this.#keys[0]?.id)
      for (let no = chain.count + 1; no <= count; no++) chain.missing.add(no)
    }
    for (const [chain_id, { missing }] of this.#chains) this.#problems.push(...gaps(chain_id, missing))
    const expected = this.#expectedUnlinked ?? (this.#chains.size === 0 ? this.#unlinked : 0)
    if (this.#unlinked !== expected) {
      const kind = this.#unlinked > expected ? 'inserted' : 'deleted'
      const [first = 0, last = 0] = [this.#unlinked, expected].sort((a, b) => a - b)
      this.#problems.push({ kind, chain_id: null, first: first + 1, last })
    }
    const ended = new Set(this.#heads.filter(head => head.ended).map(head => head.chain_id))
    const gone = new Set(pruned.map(({ chain_id }) => chain_id))
    const unknown = [...this.#chains.values()].filter(({ key }) => !key).map(({ keyId }) => keyId)
    const report: LedgerReport = {
      state: this.#problems.length > 0 ? 'broken' : this.#unverifiable > 0 ? 'unverifiable' : 'intact',
      entries: this.#entries,
      chains: this.#chains.size,
      unfinished: [...this.#chains.keys()].filter(id => !ended.has(id) && !gone.has(id)).length,
      pruned: removed,
      unlinked: this.#unlinked,
      unverifiable: this.#unverifiable,
      unknown_keys: [...new Set(unknown)],
      problem_count: this.#problems.length,
      problems: this.#problems.slice(0, MOST_PROBLEMS),
    }
    return { report, chains: this.#chains, checkpoint: this.#checkpoint }
  }

  /** A chain's own file says which key it uses; a line in the database could have been changed to name another. */
  #begin(chain_id: string, keyId = this.#keys[0]?.id ?? ''): ChainState {
    const head = this.#heads.find(each => each.chain_id === chain_id)
    const chain = this.#state({ chain_id, count: 0, mac: '' }, head?.key ?? keyId)
    this.#chains.set(chain_id, chain)
    return chain
  }

  #state(head: Head, keyId: string): ChainState {
    const { chain_id, count, mac } = head
    const key = this.#keys.find(({ id }) => id === keyId)
    return { chain_id, count, mac, key, keyId, missing: new Set() }
  }

  #open({ previous, unlinked }: Opening): void {
    this.#named.push(...previous)
    if (unlinked !== undefined && !this.#checkpoint)
      this.#expectedUnlinked = Math.max(this.#expectedUnlinked ?? 0, unlinked)
  }
}

/** Runs of missing numbers. */
function gaps(chain_id: string, missing: ReadonlySet<number>): Problem[] {
  const found: Problem[] = []
  for (const no of [...missing].sort((a, b) => a - b)) {
    const last = found.at(-1)
    if (last && last.last === no - 1) last.last = no
    else found.push({ kind: 'deleted', chain_id, first: no, last: no })
  }
  return found
}

export async function* linesOf(ledger: Queryable, owner_id: string): AsyncGenerator<Line> {
  const sql = `SELECT ${columnsOf(DISCLOSURES).join(', ')} FROM disclosures
    WHERE owner_id = ? AND disclosure_id > ? ORDER BY disclosure_id LIMIT ?`
  for (let after = ''; ; ) {
    const lines = await ledger.all<Line>(sql, [owner_id, after, LINES_AT_ONCE])
    yield* lines
    const last = lines.at(-1)
    if (!last || lines.length < LINES_AT_ONCE) return
    after = last.disclosure_id
    // Lets other requests be served in between.
    await new Promise(setImmediate)
  }
}

/** What pruning leaves behind: where the chains continue, and how many lines were removed. */
export interface Checkpoint {
  before: string
  removed: number
  /** How many lines from before chains existed are left. */
  unlinked: number
  chains: (Head & { key: string })[]
}

/** The result of the last verification. */
export type Verification = Omit<NonNullable<ReplyOf<typeof readLedger>['last_verified']>, 'at'>

interface Marks {
  checkpoint: Checkpoint
  verification: Verification
}

export interface Mark<Content> {
  at: string
  content: Content
  /** Whether the signature is valid; null if its key is not available. */
  signed: boolean | null
}

/** A signed fact about the ledger; null if there is none. */
export async function readMark<Kind extends keyof Marks>(
  ledger: Queryable,
  owner_id: string,
  kind: Kind,
  keys: readonly LedgerKey[],
): Promise<Mark<Marks[Kind]> | null> {
  const row = await findRow(ledger, LEDGER_MARKS, ['at', 'content', 'key_id', 'mac'], { owner_id, kind })
  if (!row) return null
  const { at, content, key_id, mac } = row
  const key = keys.find(({ id }) => id === key_id)
  const signed = key ? key.mac('mark', [owner_id, kind, at, content]) === mac : null
  return { at, content: JSON.parse(content), signed }
}

export async function writeMark<Kind extends keyof Marks>(
  ledger: Writable,
  key: LedgerKey,
  mark: { owner_id: string; kind: Kind; at: string; content: Marks[Kind] },
): Promise<void> {
  const { owner_id, kind, at } = mark
  const content = JSON.stringify(mark.content)
  const mac = key.mac('mark', [owner_id, kind, at, content])
  await ledger.upsert(LEDGER_MARKS, [{ owner_id, kind, at, content, key_id: key.id, mac }])
}
