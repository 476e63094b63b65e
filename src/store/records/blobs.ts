import { createHash, type Hash } from 'node:crypto'
import { type Placement, type Source, visibleFields } from '../../model/access/enforce.ts'
import { blobIdOf, mediaTypeOfBlob, type TakenBytes } from '../../model/declaration/blob.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, parseJson } from '../../model/json.ts'
import type { Budget } from '../budget/budget.ts'
import type { Database, Queryable, Transaction, Writable } from '../engine/database.ts'
import { timeOrderedId, timePrefix } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { deleteRows, findRow } from '../engine/rows.ts'
import type { Row } from '../engine/table.ts'
import type { RecordRow } from './records.ts'
import { BLOB_PIECES, BLOB_REFERENCES, BLOBS, RECORDS } from './tables.ts'

export const PIECE_BYTES = 256 * 1024
const MAX_BLOB_BYTES = 2 * 1024 * 1024 * 1024

type StoredBlob = Pick<Row<typeof BLOBS>, 'blob_id' | 'mime_type' | 'size_bytes' | 'upload_id'>

function blobRow(database: Queryable, owner_id: string, blob_id: string): Promise<StoredBlob | undefined> {
  const columns = ['blob_id', 'mime_type', 'size_bytes', 'upload_id'] as const
  return findRow(database, BLOBS, columns, { owner_id, blob_id })
}

/** Receives a blob's bytes as they arrive; the blob exists once it is complete. */
export class BlobUpload {
  readonly #database: Database
  readonly #owner: string
  readonly #mimeType: string
  readonly #uploadId = timeOrderedId(new Date())
  readonly #hash: Hash = createHash('sha256')
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  #size = 0
  #pieces = 0

  constructor(database: Database, args: { owner_id: string; mime_type: string }) {
    this.#database = database
    this.#owner = args.owner_id
    this.#mimeType = args.mime_type
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length
    if (this.#size > MAX_BLOB_BYTES) {
      await this.#discard()
      throw new CodedError('body_too_large', 'The blob is larger than 2 GiB.')
    }
    this.#hash.update(chunk)
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes >= PIECE_BYTES) await this.#flush(false)
  }

  async end(): Promise<StoredBlob> {
    await this.#flush(true)
    const blob_id = blobIdOf(this.#hash)
    return lockedTransaction(this.#database, this.#owner, async transaction => {
      const made = await transaction.insertNew(BLOBS, [
        {
          owner_id: this.#owner,
          blob_id,
          mime_type: this.#mimeType,
          size_bytes: this.#size,
          upload_id: this.#uploadId,
          created_at: new Date().toISOString(),
        },
      ])
      if (made === 0) await this.#discard(transaction)
      return (await blobRow(transaction, this.#owner, blob_id)) as StoredBlob
    })
  }

  async #flush(all: boolean): Promise<void> {
    const bytes = Buffer.concat(this.#pending)
    const end = all ? bytes.length : bytes.length - (bytes.length % PIECE_BYTES)
    const upload = { owner_id: this.#owner, upload_id: this.#uploadId }
    this.#pieces += await writePieces(this.#database, upload, this.#pieces, bytes.subarray(0, end))
    this.#pending = end < bytes.length ? [bytes.subarray(end)] : []
    this.#pendingBytes = bytes.length - end
  }

  async #discard(database: Writable = this.#database): Promise<void> {
    await deleteRows(database, BLOB_PIECES, { owner_id: this.#owner, upload_id: this.#uploadId })
  }
}

/** Stores bytes that records contained, in the transaction that writes those records. */
export async function storeBlobs(
  transaction: Transaction,
  owner_id: string,
  blobs: readonly TakenBytes[],
): Promise<void> {
  for (const { blob_id, mime_type, bytes } of blobs) {
    const upload_id = timeOrderedId(new Date())
    const created_at = new Date().toISOString()
    const row = { owner_id, blob_id, mime_type, size_bytes: bytes.length, upload_id, created_at }
    if ((await transaction.insertNew(BLOBS, [row])) > 0)
      await writePieces(transaction, { owner_id, upload_id }, 0, bytes)
  }
}

/** Writes bytes in pieces, beginning with a number, and returns how many pieces they fill. */
async function writePieces(
  database: Writable,
  upload: Pick<Row<typeof BLOB_PIECES>, 'owner_id' | 'upload_id'>,
  first: number,
  bytes: Uint8Array,
): Promise<number> {
  const count = Math.ceil(bytes.length / PIECE_BYTES)
  for (let n = 0; n < count; n++) {
    const piece = bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES)
    await database.insert(BLOB_PIECES, [{ ...upload, piece_no: first + n, bytes: piece }])
  }
  return count
}

/** Removes a blob that no record refers to any more. */
export async function removeUnreferencedBlob(
  transaction: Transaction,
  owner_id: string,
  blob_id: string,
): Promise<void> {
  const key = { owner_id, blob_id }
  if (await findRow(transaction, BLOB_REFERENCES, ['blob_id'], key)) return
  const blob = await blobRow(transaction, owner_id, blob_id)
  if (!blob) return
  await deleteRows(transaction, BLOB_PIECES, { owner_id, upload_id: blob.upload_id })
  await deleteRows(transaction, BLOBS, key)
}

/** Removes bytes of uploads that began before the given time and were interrupted. */
export async function forgetBrokenUploads(
  database: Writable,
  { owner_id, before }: { owner_id: string; before: string },
): Promise<number> {
  return database.run(
    `DELETE FROM blob_pieces WHERE owner_id = ? AND upload_id < ? AND upload_id NOT IN
       (SELECT upload_id FROM blobs WHERE owner_id = ?)`,
    [owner_id, timePrefix(Date.parse(before)), owner_id],
  )
}

/** The blob, if a readable record refers to it in a visible field, with the type that it says; an owner sees every blob. */
export async function findBlob(
  database: Queryable,
  owner_id: string,
  blob_id: string,
  sources: readonly Source[],
  isOwner: boolean,
  budget: Budget,
): Promise<(StoredBlob & { seen_in: { source: Source; record_id: string; field: string } | null }) | null> {
  const blob = await blobRow(database, owner_id, blob_id)
  if (!blob) return null
  if (isOwner) return { ...blob, seen_in: null }
  for (const source of sources) {
    for await (const { placement, field } of references(database, owner_id, blob_id, source)) {
      await budget.pause()
      const visible = visibleFields(source, placement)
      if (visible === undefined) continue
      const name = visible === null ? field : [...visible].find(open => recordKey(open) === field)
      if (name === undefined) continue
      const { record_id } = placement
      const mime_type = await typeIn(database, owner_id, source, { record_id, field: name, blob_id })
      return { ...blob, mime_type, seen_in: { source, record_id, field: name } }
    }
  }
  return null
}

/** The media type of a blob according to a record: the type of the upload may come from a hidden record. */
async function typeIn(
  database: Queryable,
  owner_id: string,
  { connection_id, stream }: Source,
  { record_id, field, blob_id }: { record_id: string; field: string; blob_id: string },
): Promise<string> {
  const place = { owner_id, connection_id, stream: stream.name, record_key: recordKey(record_id) }
  const row = await findRow(database, RECORDS, ['data'], place)
  const data = parseJson(row?.data ?? '')
  return mediaTypeOfBlob(isObject(data) ? data[field] : undefined, blob_id)
}

const FIRST_REFERENCES = 16
const MOST_REFERENCES_AT_ONCE = 500

/**
 * Where the live records of a source refer to a blob. The first batch is small, because usually one of its records may
 * be read.
 */
async function* references(
  database: Queryable,
  owner_id: string,
  blob_id: string,
  { connection_id, stream }: Source,
): AsyncGenerator<{ placement: Placement; field: string }> {
  let after = ['', '']
  for (let limit = FIRST_REFERENCES; ; limit = MOST_REFERENCES_AT_ONCE) {
    const rows = await database.all<
      Pick<RecordRow, 'record_key' | 'long_id' | 'time_key'> & { field: string }
    >(
      `SELECT b.record_key, b.field, r.long_id, r.time_key
       FROM blob_references b JOIN records r
         ON r.owner_id = b.owner_id AND r.connection_id = b.connection_id AND r.stream = b.stream
        AND r.record_key = b.record_key AND r.deleted = 0
       WHERE b.owner_id = ? AND b.blob_id = ? AND b.connection_id = ? AND b.stream = ?
         AND (b.record_key, b.field) > (?, ?)
       ORDER BY b.record_key, b.field LIMIT ?`,
      [owner_id, blob_id, connection_id, stream.name, ...after, limit],
    )
    for (const { record_key, long_id, time_key, field } of rows)
      yield { placement: { record_id: long_id ?? record_key, time_key }, field }
    const last = rows.at(-1)
    if (!last || rows.length < limit) return
    after = [last.record_key, last.field]
  }
}

/** The bytes of a blob from `start` up to `end`, a piece at a time. */
export async function* readBlob(
  database: Queryable,
  owner_id: string,
  upload_id: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let piece = Math.floor(start / PIECE_BYTES); piece * PIECE_BYTES < end; piece++) {
    const row = await findRow(database, BLOB_PIECES, ['bytes'], { owner_id, upload_id, piece_no: piece })
    if (!row) throw new Error('A blob was removed while it was being read.')
    const offset = piece * PIECE_BYTES
    yield row.bytes.subarray(Math.max(0, start - offset), Math.min(PIECE_BYTES, end - offset))
  }
}
