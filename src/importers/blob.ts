import { createHash } from 'node:crypto'
import type { BlobEvent } from './importer.ts'

/** Bytes at hand as a blob; the record names it by `event.blob_id`. */
export function blobOf(bytes: Uint8Array, mime_type: string): BlobEvent & { blob_id: string } {
  const blob_id = `sha256-${createHash('sha256').update(bytes).digest('hex')}`
  return { kind: 'blob', mime_type: mimeTypeOf(mime_type), blob_id, bytes }
}

/** A stream of bytes as a blob: yield `event`, then read `result()`, which is there once the stream was read. */
export function streamedBlob(
  chunks: AsyncIterable<Uint8Array>,
  mime_type: string,
): { event: BlobEvent; result(): { blob_id: string; size_bytes: number } } {
  const hash = createHash('sha256')
  let size_bytes = 0
  async function* bytes() {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size_bytes += chunk.length
      yield chunk
    }
  }
  return {
    event: { kind: 'blob', mime_type: mimeTypeOf(mime_type), blob_id: null, bytes: bytes() },
    result: () => ({ blob_id: `sha256-${hash.digest('hex')}`, size_bytes }),
  }
}

/** The type as the blob store takes it; what is no media type counts as unknown bytes. */
export function mimeTypeOf(text: string): string {
  const plain = text.trim().toLowerCase()
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(plain) ? plain : 'application/octet-stream'
}
