import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Shown } from '../../model/access/shown.ts'
import { LINE_BLOCKS } from '../access/tables.ts'
import type { Database, Queryable, Writable } from '../engine/database.ts'
import { timePrefix } from '../engine/identifiers.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { type LedgerKey, readLedgerKeys, signingKey } from './ledger-chain.ts'

// Which records each block of successive lines shows, as hashes: so the lines of all other blocks need not be read to
// find who read a record.

export const LINES_IN_BLOCK = 5_000
const LINES_AT_ONCE = 500
const PAUSE_MS = 10
const BLOCKS_AT_ONCE = 20
const MARK_BYTES = 4

/**
 * A block contains only lines that are older than this. Other servers may write lines with ids of their own clock, and
 * a line that came into a block later would not be found.
 */
const SETTLED_MS = 86_400_000

/** A record, wherever it is shown. */
export interface RecordName {
  connection_id: string
  stream: string
  record_id: string
}

/** Lines by their ids: from one, below another. */
export interface Stretch {
  from: string
  below: string
}

type Block = Row<typeof LINE_BLOCKS>

/** Adds the blocks that have become complete, until it is told to stop. */
export async function addBlocks(
  ledger: Database,
  directory: string,
  { owner_id, now }: { owner_id: string; now: Date },
  stop: AbortSignal,
): Promise<void> {
  const until = timePrefix(Math.max(0, now.getTime() - SETTLED_MS))
  const last = 'SELECT max(last_id) AS last_id FROM line_blocks WHERE owner_id = ?'
  let after_id = (await ledger.get<{ last_id: string | null }>(last, [owner_id]))?.last_id ?? ''
  for (;;) {
    const { lines, last_id, marks } = await readBlock(ledger, { owner_id, after_id, until }, stop)
    if (lines < LINES_IN_BLOCK) return
    const block = { owner_id, last_id, after_id, records: Buffer.concat(marks) }
    // Another server may have added the same block.
    await ledger.upsert(LINE_BLOCKS, [{ ...block, mac: macOf(signingKey(directory), block) }])
    after_id = last_id
  }
}

async function readBlock(
  ledger: Queryable,
  { owner_id, after_id, until }: Record<'owner_id' | 'after_id' | 'until', string>,
  stop: AbortSignal,
) {
  const sql = `SELECT disclosure_id, shown FROM disclosures
    WHERE owner_id = ? AND disclosure_id > ? AND disclosure_id < ? ORDER BY disclosure_id LIMIT ?`
  const names = new Map<string, Buffer>()
  let last_id = after_id
  let lines = 0
  while (lines < LINES_IN_BLOCK && !stop.aborted) {
    const some = await ledger.all<{ disclosure_id: string; shown: string }>(sql, [
      ...[owner_id, last_id, until],
      LINES_AT_ONCE,
    ])
    for (const { shown } of some)
      for (const { connection_id, stream, record_ids } of JSON.parse(shown) as Shown[])
        for (const record_id of record_ids) {
          const name = textOf({ connection_id, stream, record_id })
          if (!names.has(name)) names.set(name, markOf(name))
        }
    lines += some.length
    last_id = some.at(-1)?.disclosure_id ?? last_id
    if (some.length < LINES_AT_ONCE) break
    // Requests come first: a ledger that has no blocks yet may be long.
    await pause(PAUSE_MS)
  }
  return { lines, last_id, marks: [...names.values()] }
}

/**
 * Forgets the blocks that lines with these ids or later ones could come into: a process that starts after the clock was
 * set back writes ids that are older than stored ones.
 */
export async function forgetBlocks(ledger: Writable, owner_id: string, from: string): Promise<void> {
  await ledger.run('DELETE FROM line_blocks WHERE owner_id = ? AND last_id >= ?', [owner_id, from])
}

/** The lines below an id that may show a record, the newest first. A block that was changed from outside is not believed. */
export async function* linesThatMayShow(
  ledger: Queryable,
  directory: string,
  { owner_id, record, below }: { owner_id: string; record: RecordName; below: string },
): AsyncGenerator<Stretch> {
  const keys = readLedgerKeys(directory)
  const mark = markOf(textOf(record))
  const sql = `SELECT ${columnsOf(LINE_BLOCKS).join(', ')} FROM line_blocks
    WHERE owner_id = ? AND last_id < ? ORDER BY last_id DESC LIMIT ?`
  let upTo = below
  let next = below
  // The first one alone, because the newest lines are often enough.
  for (let atOnce = 1; ; atOnce = BLOCKS_AT_ONCE) {
    const blocks = await ledger.all<Block>(sql, [owner_id, next, atOnce])
    for (const block of blocks) {
      const [from, end] = [justAfter(block.after_id), justAfter(block.last_id)]
      next = block.last_id
      const isPast = end > upTo
      if (isPast || !keys.some(key => macOf(key, block) === block.mac)) continue
      if (end < upTo) yield { from: end, below: upTo }
      if (Buffer.from(block.records).includes(mark)) yield { from, below: end }
      upTo = from
    }
    if (blocks.length < atOnce) {
      yield { from: '', below: upTo }
      return
    }
    await new Promise(setImmediate)
  }
}

function macOf(key: LedgerKey, { owner_id, last_id, after_id, records }: Omit<Block, 'mac'>): string {
  return key.mac('block', [owner_id, last_id, after_id, hash('sha256', records, 'base64url')])
}

function textOf({ connection_id, stream, record_id }: RecordName): string {
  return JSON.stringify([connection_id, stream, record_id])
}

/** Two records with the same mark only cost the reading of a block. */
function markOf(name: string): Buffer {
  return hash('sha256', name, 'buffer').subarray(0, MARK_BYTES)
}

/** Sorts after an id and before every later one, because none begins with another. */
function justAfter(id: string): string {
  return `${id} `
}
