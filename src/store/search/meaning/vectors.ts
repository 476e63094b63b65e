import { createHash } from 'node:crypto'
import { placeKey, type Source } from '../../../model/access/enforce.ts'
import type { StreamDeclaration } from '../../../model/declaration/declaration.ts'
import { meaningFields, meaningVersion, type Vector } from '../../../model/search/meaning.ts'
import { sectionsWith } from '../../../model/search/packed-counts.ts'
import type { Database, Queryable, Transaction } from '../../engine/database.ts'
import { lockedTransaction } from '../../engine/owner-row.ts'
import { deleteRows } from '../../engine/rows.ts'
import type { Row } from '../../engine/table.ts'
import { MEANING_STATE, MEANING_VECTORS } from '../../records/tables.ts'
import { codesOf } from '../open-fields.ts'

/** The vector of a record, by the number of its first row in the index. */
export interface StoredVector {
  row_id: number
  /** The digest of what the vector was made from. A vector with another digest is out of date. */
  digest: string
  vector: Vector
}

/**
 * A digest of what a vector is made by and from, with the words that the index has for these fields. It changes only
 * with the text of these fields, so a change to a hidden field has no effect. It differs if another version of the
 * declaration named other fields, even if these are empty: that may be hidden.
 */
export function digestOfWords(
  stream: StreamDeclaration,
  sections: string,
  codes: ReadonlyMap<string, number>,
): string {
  const words = sectionsWith(sections, codesOf(codes, new Set(meaningFields(stream))))
  return createHash('sha256')
    .update(meaningVersion(stream))
    .update(`\n${words}`, 'latin1')
    .digest('base64url')
    .slice(0, 22)
}

export async function loadVectors(
  database: Queryable,
  owner_id: string,
  row_ids: readonly number[],
): Promise<Map<number, StoredVector>> {
  const rows = await database.all<Omit<StoredVector, 'vector'> & { vector: Uint8Array }>(
    `SELECT row_id, digest, vector FROM meaning_vectors WHERE owner_id = ? AND ${database.oneOf('row_id', 'bigint')}`,
    [owner_id, database.list(row_ids)],
  )
  return new Map(rows.map(row => [row.row_id, { ...row, vector: Int8Array.from(row.vector, signed) }]))
}

const signed = (byte: number) => (byte > 127 ? byte - 256 : byte)

/** Only the digests. */
export async function loadDigests(
  database: Queryable,
  owner_id: string,
  row_ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await database.all<{ row_id: number; digest: string }>(
    `SELECT row_id, digest FROM meaning_vectors WHERE owner_id = ? AND ${database.oneOf('row_id', 'bigint')}`,
    [owner_id, database.list(row_ids)],
  )
  return new Map(rows.map(({ row_id, digest }) => [row_id, digest]))
}

export type MeaningProgress = Row<typeof MEANING_STATE>

/** Stores vectors together with the progress of the stream. A record that was removed in the meantime gets none. */
export async function keepVectors(
  database: Database,
  {
    progress,
    vectors,
    emptied,
  }: {
    progress: MeaningProgress
    vectors: readonly { row_id: number; digest: string; vector: Vector }[]
    /** Records that no longer have a text. */
    emptied: readonly number[]
  },
): Promise<void> {
  const { owner_id } = progress
  await lockedTransaction(database, owner_id, async transaction => {
    const asked = transaction.list(vectors.map(({ row_id }) => row_id))
    const living = await transaction.numbers(
      `SELECT row_id AS n FROM search_rows WHERE owner_id = ? AND ${transaction.oneOf('row_id', 'bigint')}`,
      [owner_id, asked],
    )
    const kept = vectors.filter(({ row_id }) => living.includes(row_id))
    await transaction.upsert(
      MEANING_VECTORS,
      kept.map(({ row_id, digest, vector }) => ({
        row_id,
        owner_id,
        digest,
        vector: new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      })),
    )
    await removeVectors(
      transaction,
      owner_id,
      emptied.map(first_row => ({ first_row })),
    )
    await transaction.upsert(MEANING_STATE, [progress])
  })
}

/** Removes the vectors of records that are removed, in the same transaction. */
export async function removeVectors(
  transaction: Transaction,
  owner_id: string,
  records: readonly { first_row: number }[],
): Promise<void> {
  for (let i = 0; i < records.length; i += ROWS_AT_ONCE) {
    const rows = records.slice(i, i + ROWS_AT_ONCE).map(({ first_row }) => first_row)
    await transaction.run(
      `DELETE FROM meaning_vectors WHERE owner_id = ? AND ${transaction.oneOf('row_id', 'bigint')}`,
      [owner_id, transaction.list(rows)],
    )
  }
}

const ROWS_AT_ONCE = 1_000

/** Removes every vector of an owner. */
export async function forgetMeaning(database: Database, { owner_id }: { owner_id: string }): Promise<void> {
  await lockedTransaction(database, owner_id, async transaction => {
    await deleteRows(transaction, MEANING_VECTORS, { owner_id })
    await deleteRows(transaction, MEANING_STATE, { owner_id })
  })
}

/** Up to which change the records of streams have vectors. */
export interface VectorsMade {
  /** Of every stream that is not listed. */
  up_to: number
  /** By the place of a stream. */
  streams: Readonly<Record<string, number>>
}

/** The vectors that a search may compare, if `changes` is the last change that it sees. */
export async function vectorsMade(
  database: Queryable,
  owner_id: string,
  sources: readonly Source[],
  changes: number,
): Promise<VectorsMade> {
  const states = await database.all<{ connection_id: string; stream: string; done_to: number; left: number }>(
    `SELECT connection_id, stream, done_to, CASE WHEN EXISTS (SELECT 1 FROM records r
       WHERE r.owner_id = s.owner_id AND r.connection_id = s.connection_id AND r.stream = s.stream
         AND r.seq > s.done_to) THEN 1 ELSE 0 END AS "left"
     FROM meaning_state s WHERE owner_id = ?`,
    [owner_id],
  )
  const known = new Map(states.map(state => [placeKey(state.connection_id, state.stream), state]))
  const made = sources.map(({ connection_id, stream }): [place: string, up_to: number] => {
    const place = placeKey(connection_id, stream.name)
    const { left = 1, done_to = 0 } = known.get(place) ?? {}
    return [place, left === 0 ? changes : done_to]
  })
  const up_to = made.some(([, own]) => own > 0) ? changes : 0
  return { up_to, streams: Object.fromEntries(made.filter(([, own]) => own !== up_to)) }
}
