import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { CodedError } from '../../model/errors.ts'

/** The files at a path that the owner gave: a file, a folder or an archive. It is only read, never changed. */
export interface Source extends AsyncDisposable {
  /** The absolute path. */
  path: string
  /** The last part of the path, without the ending of an archive. */
  name: string
  kind: 'file' | 'folder' | 'zip' | 'tar' | 'gzip'
  /** Sorted by path, except in archives that can only be read from start to end: these keep their order. */
  files: readonly SourceFile[]
  /**
   * Files that were left out, and why: symbolic links, devices, unreadable files, and files with the name of a later
   * one.
   */
  leftOut: readonly LeftOut[]
  /** The owner's zone: a time that is written without a zone is a time of their clock. UTC if it is not given. */
  timeZone?: string
}

export interface SourceFile {
  /** Relative to the source, with `/` between its parts; never absolute, never with `..`. */
  path: string
  /** The unpacked size in bytes, as the archive gives it. */
  size: number
  modified_at: string | null
  /** The first bytes, up to 4,096; fewer only if the file is shorter. */
  head(): Promise<Buffer>
  /** The bytes in chunks, starting at `start`. Throws a CodedError if they cannot be read. */
  open(start?: number): AsyncIterable<Uint8Array>
}

export interface LeftOut {
  path: string
  code: 'symlink' | 'special_file' | 'unreadable' | 'replaced'
  message: string
}

/** The source at a path. */
export function sourceAt(
  path: string,
  kind: Source['kind'],
  { files, leftOut = [] }: { files: readonly SourceFile[]; leftOut?: readonly LeftOut[] },
  close = async () => {},
): Source {
  const name = kind === 'folder' ? basename(path) : nameOf(path)
  return { path, name, kind, files, leftOut, [Symbol.asyncDispose]: close }
}

export function nameOf(path: string): string {
  const name = basename(path)
  return name.replace(/\.(zip|tar|tgz|tar\.gz|gz|mbox|mbx|eml|csv|jsonl?|ndjson|txt)$/i, '') || name
}

/** The error for a file system failure. */
export function unreadable(path: string, error: NodeJS.ErrnoException): CodedError {
  const reason = error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message
  return new CodedError('source_unreadable', `${path} cannot be read: ${reason}.`)
}

/** A source that tells how many bytes of its files are read, each time they are read. */
export function countedSource(source: Source, onRead: (bytes: number) => void): Source {
  const files = source.files.map(file => ({
    ...file,
    async *open(start?: number) {
      for await (const chunk of file.open(start)) {
        onRead(chunk.length)
        yield chunk
      }
    },
  }))
  return { ...source, files }
}

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
