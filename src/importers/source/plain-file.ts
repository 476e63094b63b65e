import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { type SourceFile, unreadable } from './source.ts'

const CHUNK_BYTES = 64 * 1024
export const HEAD_BYTES = 4096

/** A file of the file system. */
export function plainFile(fullPath: string | Buffer, path: string, size: number, modified: Date): SourceFile {
  return {
    path,
    size,
    modified_at: writtenTime(modified),
    head: () =>
      readStart(fullPath, HEAD_BYTES).catch(error => {
        throw unreadable(path, error)
      }),
    async *open(start = 0) {
      try {
        yield* createReadStream(fullPath, { start, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>
      } catch (error) {
        throw unreadable(path, error as NodeJS.ErrnoException)
      }
    },
  }
}

/** The time of a file; null if it has none that a calendar knows. */
export function writtenTime(modified: Date): string | null {
  return Number.isNaN(modified.getTime()) ? null : modified.toISOString()
}

export async function readStart(path: string | Buffer, length: number, position = 0): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The first bytes of a file that can only be read as a stream. */
export async function headOf(file: Pick<SourceFile, 'open'>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of file.open()) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= HEAD_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES)
}

/** The bytes of a stream, starting at `start`. */
export async function* skipTo(bytes: AsyncIterable<Uint8Array>, start: number): AsyncGenerator<Uint8Array> {
  let position = 0
  for await (const chunk of bytes) {
    if (position + chunk.length > start) yield chunk.subarray(Math.max(0, start - position))
    position += chunk.length
  }
}
