import { RecentlyUsed } from '../../model/recently-used.ts'
import { tellingWords } from '../../model/search/index-row.ts'
import { packHashes, WordHashes, wordHash } from '../../model/search/word-hash.ts'
import type { Transaction, View } from '../engine/database.ts'
import { reserveNumbers } from '../engine/owner-row.ts'
import { WORD_HASHES } from '../records/tables.ts'

/*
 * For each stream the hashes of its words are stored, so that most spellings of a misspelt word need not be looked up:
 * no record holds them. A row has the hashes that were new to the stream when records were written. Rows are numbered in
 * the order in which they take effect, so a reader that has them in memory reads only those that came since.
 *
 * Hashes of words whose records were deleted stay until the stream is rebuilt by another analyzer or its connection is
 * deleted. All a stored hash can do is cost a lookup: what a search answers is decided by the rows that it may see.
 */

interface Place {
  owner_id: string
  connection_id: string
  stream: string
}

interface ReadHashes {
  hashes: WordHashes
  /** The number of the last row that was read. */
  seq: number
}

/** How many streams' hashes a writer keeps in memory, half a megabyte each. */
const MOST_STREAMS = 16

const ofStreams = new WeakMap<object, RecentlyUsed<ReadHashes>>()
const ofOwners = new WeakMap<object, Map<string, ReadHashes>>()

/**
 * Writes the hashes that are new to a stream, in the transaction that indexes its records. They count as stored only
 * once it is committed.
 */
export class VocabularyWriter {
  readonly #place: Place
  readonly #version: string
  readonly #stored: WordHashes
  readonly #fresh = new Set<number>()

  static async open(
    database: View,
    transaction: Transaction,
    place: Place,
    version: string,
  ): Promise<VocabularyWriter> {
    const streams = ofStreams.get(database.identity) ?? new RecentlyUsed<ReadHashes>(MOST_STREAMS)
    ofStreams.set(database.identity, streams)
    const { owner_id, connection_id, stream } = place
    const key = JSON.stringify([owner_id, connection_id, stream, version])
    const stored = streams.get(key, () => ({ hashes: new WordHashes(), seq: 0 }))
    streams.takeExcess()
    if (stored.seq === 0) {
      const where = 'owner_id = ? AND connection_id = ? AND stream = ? AND version = ?'
      await readOn(transaction, stored, where, [owner_id, connection_id, stream, version])
    }
    return new VocabularyWriter(place, version, stored.hashes)
  }

  private constructor(place: Place, version: string, stored: WordHashes) {
    this.#place = place
    this.#version = version
    this.#stored = stored
  }

  #add(hash: number): void {
    if (!this.#stored.has(hash)) this.#fresh.add(hash)
  }

  /** Adds the words of a row. */
  readonly addRow = tellingWords(hash => this.#add(hash))

  /** Adds words that were analysed elsewhere. */
  addHashes(hashes: Int32Array): void {
    for (let i = 0; i < hashes.length; i++) this.#add(hashes[i] as number)
  }

  async write(transaction: Transaction): Promise<void> {
    if (this.#fresh.size === 0) return
    const seq = await reserveNumbers(transaction, this.#place.owner_id, 'words_seq', 1)
    const hashes = packHashes(this.#fresh)
    await transaction.insert(WORD_HASHES, [{ ...this.#place, seq, version: this.#version, hashes }])
  }

  /** Removes what another analyzer wrote, once all records of the stream are indexed by this one. */
  async removeOthers(transaction: Transaction): Promise<void> {
    const { owner_id, connection_id, stream } = this.#place
    await transaction.run(
      'DELETE FROM word_hashes WHERE owner_id = ? AND connection_id = ? AND stream = ? AND version <> ?',
      [owner_id, connection_id, stream, this.#version],
    )
  }

  /** Must be called once the transaction is committed. */
  keep(): void {
    for (const hash of this.#fresh) this.#stored.add(hash)
  }
}

/** Which of the words a record may contain, in any stream and field. */
export async function mayBeStored(
  database: View,
  owner_id: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const owners = ofOwners.get(database.identity) ?? new Map<string, ReadHashes>()
  ofOwners.set(database.identity, owners)
  const stored = owners.get(owner_id) ?? { hashes: new WordHashes(), seq: 0 }
  owners.set(owner_id, stored)
  await readOn(database, stored, 'owner_id = ?', [owner_id])
  return new Set(
    keys.filter(key => {
      const hash = wordHash(key)
      return hash !== null && stored.hashes.has(hash)
    }),
  )
}

async function readOn(
  database: Pick<View, 'all'>,
  stored: ReadHashes,
  where: string,
  params: string[],
): Promise<void> {
  const rows = await database.all<{ seq: number; hashes: Uint8Array }>(
    `SELECT seq, hashes FROM word_hashes WHERE ${where} AND seq > ? ORDER BY seq`,
    [...params, stored.seq],
  )
  for (const { seq, hashes } of rows) {
    stored.hashes.addPacked(hashes)
    stored.seq = Math.max(stored.seq, seq)
  }
}
