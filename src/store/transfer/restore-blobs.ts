import { createHash, type Hash } from 'node:crypto'
import { blobIdOf } from '../../model/declaration/blob.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Transaction } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import type { Row } from '../engine/table.ts'
import { PIECE_BYTES } from '../records/blobs.ts'
import { BLOB_PIECES, BLOBS } from '../records/tables.ts'
import { Malformed, readColumns } from './restore-lines.ts'

interface OpenBlob {
  row: Row<typeof BLOBS>
  hash: Hash
  size: number
  pieces: number
}

/** Writes the blobs of an export: a line for each, then lines with its bytes. */
export class RestoredBlobs {
  readonly #transaction: Transaction
  readonly #owner: string
  #open: OpenBlob | null = null

  constructor(transaction: Transaction, owner_id: string) {
    this.#transaction = transaction
    this.#owner = owner_id
  }

  async take(value: JsonObject): Promise<void> {
    const columns = readColumns(BLOBS, ['blob_id', 'mime_type', 'size_bytes', 'created_at'], value)
    const row = { ...columns, owner_id: this.#owner, upload_id: timeOrderedId(new Date()) }
    this.#open = { row, hash: createHash('sha256'), size: 0, pieces: 0 }
  }

  async append(value: JsonObject): Promise<void> {
    const blob = this.#open
    if (!blob) throw new Malformed('has bytes that belong to no blob')
    if (typeof value.base64 !== 'string') throw new Malformed('has no base64')
    const bytes = Buffer.from(value.base64, 'base64')
    if (blob.size !== blob.pieces * PIECE_BYTES || bytes.length > PIECE_BYTES)
      throw new Malformed('has bytes that are not split like those of a blob')
    blob.hash.update(bytes)
    blob.size += bytes.length
    const { owner_id, upload_id } = blob.row
    await this.#transaction.insert(BLOB_PIECES, [{ owner_id, upload_id, piece_no: blob.pieces++, bytes }])
  }

  /** Ends the open blob, whose bytes must match its id. */
  async end(): Promise<void> {
    const blob = this.#open
    if (!blob) return
    this.#open = null
    const { blob_id, size_bytes } = blob.row
    if (blob.size !== size_bytes || blobIdOf(blob.hash) !== blob_id)
      throw new Malformed(`follows a blob whose bytes are not its own (${blob_id})`)
    await this.#transaction.insert(BLOBS, [blob.row])
  }
}
