import type { readLedger } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import { LEDGER_MARKS } from '../access/tables.ts'
import type { Queryable, Writable } from '../engine/database.ts'
import { findRow } from '../engine/rows.ts'
import type { Head, LedgerKey } from './ledger-chain.ts'

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
