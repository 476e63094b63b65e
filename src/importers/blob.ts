import { createHash } from 'node:crypto'
import { blobIdOf } from '../model/declaration/blob.ts'
import type { BlobEvent } from './importer.ts'

/**
 * Turns a stream of bytes into a blob: yield `event`, then call `result()`, which is available after the stream has
 * been read. It throws if the stream could not be read.
 */
export function streamedBlob(
  chunks: AsyncIterable<Uint8Array>,
  mime_type: string,
): { event: BlobEvent; result(): { blob_id: string; size_bytes: number } } {
  const hash = createHash('sha256')
  let size_bytes = 0
  let failure: { error: unknown } | null = null
  async function* bytes() {
    try {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size_bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  return {
    event: { kind: 'blob', mime_type: mimeTypeOf(mime_type), blob_id: null, bytes: bytes() },
    result() {
      if (failure) throw failure.error
      return { blob_id: blobIdOf(hash), size_bytes }
    },
  }
}

/**
 * The type in the form that the blob store accepts; anything that is not a media type becomes
 * `application/octet-stream`.
 */
export function mimeTypeOf(text: string): string {
  const plain = text.trim().toLowerCase()
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(plain) ? plain : 'application/octet-stream'
}
