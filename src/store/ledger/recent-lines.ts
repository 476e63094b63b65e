import { DISCLOSURES } from '../access/tables.ts'
import type { Database } from '../engine/database.ts'
import type { Line } from './ledger-chain.ts'

/** PostgreSQL writes what did not wait for the disk within 600 ms, unless it is configured to take longer. */
const KEPT_MS = 3_000
const LOOK_MS = 1_000
const MOST_KEPT = 10_000

/**
 * The lines of the last seconds. If the database is killed it may lose them, because they did not wait for the disk;
 * then they are written again.
 */
export class RecentLines implements Disposable {
  readonly #database: Database
  #kept: { lines: readonly Line[]; since: number }[] = []
  #count = 0
  #losses: number | null
  #looking: NodeJS.Timeout | undefined

  constructor(database: Database) {
    this.#database = database
    this.#losses = database.losses
  }

  add(lines: readonly Line[]): void {
    if (this.#losses === null) return
    this.#kept.push({ lines, since: performance.now() })
    this.#count += lines.length
    while (this.#count > MOST_KEPT) this.#forgetFirst()
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** Writes the lines again if a connection was lost since. Lines that are still stored are unchanged. */
  async restore(): Promise<void> {
    const { losses } = this.#database
    if (losses === this.#losses) return
    const lines = this.#kept.flatMap(each => each.lines)
    if (lines.length > 0) await this.#database.insertNew(DISCLOSURES, lines)
    for (const each of this.#kept) each.since = performance.now()
    this.#losses = losses
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking)
  }

  #look(): void {
    if (this.#database.losses !== this.#losses) {
      // If that fails, the database is still down, and the next check tries again.
      this.restore().catch(() => {})
      return
    }
    const old = performance.now() - KEPT_MS
    while (this.#kept[0] && this.#kept[0].since < old) this.#forgetFirst()
    if (this.#kept.length > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }

  #forgetFirst(): void {
    this.#count -= this.#kept.shift()?.lines.length ?? 0
  }
}
