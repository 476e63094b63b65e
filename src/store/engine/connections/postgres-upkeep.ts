import { type Connection, MOVE_WORDS } from '../postgres-statements.ts'

/**
 * PostgreSQL appends new words to a list, which every lookup reads to its end. A statement that makes the list longer
 * than this moves all of them into the index before it ends.
 */
export const LONGEST_LIST = '16MB'
const ANALYSE = 'ANALYZE records, search_rows, search_counts, token_index, later_token_index'
/** So many bytes of words are moved at once. */
const MOVED_BYTES = 1024 * 1024

/**
 * What the server would do inside of statements, or some time later, is done on a connection of its own while the next
 * records are read and written. The records are stored, so their writer does not fail if it cannot be done now.
 */
export class PostgresUpkeep {
  readonly #connection: Connection
  #addedBytes = 0
  #moving: Promise<unknown> = Promise.resolve()
  #grown = 0
  #nextAnalysis = 500

  constructor(connection: Connection) {
    this.#connection = connection
  }

  readonly noteWords = (bytes: number): void => {
    this.#addedBytes += bytes
  }

  /** Begins to move new words into the index once there are many. Waits for earlier ones, so that the list stays short. */
  async moveWords(): Promise<void> {
    if (this.#addedBytes < MOVED_BYTES) return
    this.#addedBytes = 0
    await this.#moving
    this.#moving = this.#connection.query({ text: MOVE_WORDS }).catch(() => {})
  }

  /** Begins to update the planner's statistics once the data has grown enough. */
  noteGrowth(records: number): void {
    this.#grown += records
    if (this.#grown < this.#nextAnalysis) return
    const due = this.#nextAnalysis
    this.#nextAnalysis = this.#grown * 2
    this.#connection.query({ text: ANALYSE }).catch(() => {
      this.#nextAnalysis = due
    })
  }
}
