import { createHash, type Hash } from 'node:crypto'
import type { JsonObject } from '../../model/json.ts'
import type { Transaction } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import { PIECE_BYTES } from '../records/blobs.ts'
import { columnValue, Malformed } from './restore-lines.ts'

interface OpenBlob {
  blob_id: string
  mime_type: string
  created_at: string
  size_bytes: number
  upload_id: string
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
    this.#open = {
      blob_id: String(columnValue(value.blob_id, 'blob_id', 'string')),
      mime_type: String(columnValue(value.mime_type, 'mime_type', 'string')),
      created_at: String(columnValue(value.created_at, 'created_at', 'string')),
      size_bytes: Number(columnValue(value.size_bytes, 'size_bytes', 'number')),
      upload_id: timeOrderedId(new Date()),
      hash: createHash('sha256'),
      size: 0,
      pieces: 0,
    }
  }

  async append(value: JsonObject): Promise<void> {
    const blob = this.#open
    if (!blob) throw new Malformed('has bytes that belong to no blob')
    const bytes = Buffer.from(String(columnValue(value.base64, 'base64', 'string')), 'base64')
    if (blob.size !== blob.pieces * PIECE_BYTES || bytes.length > PIECE_BYTES)
      throw new Malformed('has bytes that are cut otherwise than blobs are')
    blob.hash.update(bytes)
    blob.size += bytes.length
    await this.#transaction.run(
      'INSERT INTO blob_pieces (owner_id, upload_id, piece_no, bytes) VALUES (?, ?, ?, ?)',
      [this.#owner, blob.upload_id, blob.pieces++, bytes],
    )
  }

  /** Ends the open blob, whose bytes must be the ones it is named after. */
  async end(): Promise<void> {
    const blob = this.#open
    if (!blob) return
    this.#open = null
    const { blob_id, mime_type, size_bytes, upload_id, created_at } = blob
    if (blob.size !== size_bytes || `sha256-${blob.hash.digest('hex')}` !== blob_id)
      throw new Malformed(`follows a blob whose bytes are not its own (${blob_id})`)
    await this.#transaction.run(
      `INSERT INTO blobs (owner_id, blob_id, mime_type, size_bytes, upload_id, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
      [this.#owner, blob_id, mime_type, size_bytes, upload_id, created_at],
    )
  }
}
