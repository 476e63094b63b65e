import { RecentlyUsed } from '../../model/recently-used.ts'
import type { Database } from '../engine/database.ts'
import { findRow } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import { PAGE_POSITIONS } from './tables.ts'

/** Where a page ended. The key is derived from the state, so storing it twice has no effect. */
export type PagePosition = Row<typeof PAGE_POSITIONS>

const MOST_RECENT = 1_000
const LONGEST_RECENT = 1_000

/** Where pages ended, for cursors that refer to it. The last ones are also in memory: the next page is asked for soon. */
export class PagePositions {
  readonly #ledger: Database
  /** States by owner and key. */
  readonly #recent = new RecentlyUsed<string>(MOST_RECENT)

  constructor(ledger: Database) {
    this.#ledger = ledger
  }

  async keep(positions: readonly PagePosition[]): Promise<void> {
    const byKey = new Map(positions.map(position => [position.position_key, position]))
    await this.#ledger.upsert(PAGE_POSITIONS, [...byKey.values()])
    this.remember(positions)
  }

  /** For positions that were stored in another way. */
  remember(positions: Iterable<PagePosition>): void {
    for (const { owner_id, position_key, state } of positions)
      if (state.length <= LONGEST_RECENT) this.#recent.set(nameOf(owner_id, position_key), state)
  }

  async find(owner_id: string, key: string): Promise<string | null> {
    const recent = this.#recent.known(nameOf(owner_id, key))
    if (recent !== undefined) return recent
    const row = await findRow(this.#ledger, PAGE_POSITIONS, ['state'], { owner_id, position_key: key })
    return row?.state ?? null
  }

  /** Deletes positions whose cursors have all expired; without a time, all positions. */
  async forget(owner_id: string, before?: string): Promise<void> {
    this.#recent.clear()
    const old = before === undefined ? '' : ' AND kept_at < ?'
    const params = before === undefined ? [owner_id] : [owner_id, before]
    await this.#ledger.run(`DELETE FROM page_positions WHERE owner_id = ?${old}`, params)
  }
}

function nameOf(owner_id: string, key: string): string {
  return `${owner_id}/${key}`
}
