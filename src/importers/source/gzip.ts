import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { assertNoBomb } from './bounds.ts'
import { HEAD_BYTES, headOf, type Source, type SourceFile, skipTo, sourceAt, writtenTime } from './source.ts'
import { broken, isTarHeader, type TarEntry, tarFiles } from './tar.ts'

interface Running {
  chunks: AsyncGenerator<Uint8Array>
  position: number
  /** Bytes that were read beyond the last range. */
  rest: Uint8Array
}

const NOTHING = new Uint8Array()

/**
 * Reads ranges of a stream that can only be read from start to end. A range after the previous one continues from
 * there; an earlier one starts over. Reading files in the order of their archive therefore takes one pass.
 */
class ForwardReader {
  readonly #open: () => AsyncGenerator<Uint8Array>
  #idle: Running | null = null

  constructor(open: () => AsyncGenerator<Uint8Array>) {
    this.#open = open
  }

  async *read(start: number, length: number): AsyncGenerator<Uint8Array> {
    const running = this.#take(start)
    const end = start + Math.max(0, length)
    try {
      while (running.position < end) {
        if (running.rest.length === 0) {
          const next = await running.chunks.next()
          if (next.done) return
          running.rest = next.value
        }
        const skipped = Math.min(running.rest.length, Math.max(0, start - running.position))
        const wanted = running.rest.subarray(skipped, Math.max(skipped, end - running.position))
        running.position += skipped + wanted.length
        running.rest = running.rest.subarray(skipped + wanted.length)
        if (wanted.length > 0) yield wanted
      }
    } finally {
      await this.#leave(running)
    }
  }

  async close(): Promise<void> {
    await this.#idle?.chunks.return(undefined)
    this.#idle = null
  }

  #take(start: number): Running {
    const idle = this.#idle
    if (idle && idle.position <= start) {
      this.#idle = null
      return idle
    }
    return { chunks: this.#open(), position: 0, rest: NOTHING }
  }

  async #leave(running: Running): Promise<void> {
    const before = this.#idle
    this.#idle = running
    await before?.chunks.return(undefined)
  }
}

const MOST_HEAD_BYTES = 64 * 1024 * 1024

/** A gzipped tar or a gzipped file, read in place from start to end. */
export async function openGzip(path: string, packedBytes: number): Promise<Source> {
  const archive = basename(path)
  const bytes = () => unpacked(path, archive)
  const start = await headOf({ open: bytes })
  if (isTarHeader(start)) return openTarGz(path, archive, bytes)
  const inner = archive.replace(/\.gz$/i, '')
  let size = 0
  try {
    for await (const chunk of bytes()) size += chunk.length
  } catch (error) {
    // Whoever reads the file gets what comes before the damage, and then the error.
    if (size === 0 || !(error instanceof CodedError) || error.code !== 'archive_broken') throw error
  }
  assertNoBomb(archive, packedBytes, size)
  const file: SourceFile = {
    path: inner,
    size,
    modified_at: null,
    head: async () => start.subarray(0, HEAD_BYTES),
    open: (from = 0) => skipTo(bytes(), from),
  }
  return sourceAt(path, 'gzip', { files: [file] })
}

async function* unpacked(path: string, archive: string): AsyncGenerator<Uint8Array> {
  const packed = createReadStream(path)
  const gunzip = createGunzip()
  pipeline(packed, gunzip, () => {})
  let size = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      size += chunk.length
      assertNoBomb(archive, packed.bytesRead, size)
      yield chunk
    }
  } catch (error) {
    if (error instanceof CodedError) throw error
    const place = `after ${number(size)} bytes of its content`
    throw broken(archive, `${(error as Error).message}, ${place}`)
  } finally {
    packed.destroy()
  }
}

async function openTarGz(
  path: string,
  archive: string,
  bytes: () => AsyncGenerator<Uint8Array>,
): Promise<Source> {
  const reader = new ForwardReader(bytes)
  let headBytes = 0
  const read = async (position: number, length: number) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of reader.read(position, length)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const found = await tarFiles(archive, read, async entry => {
    const isKept = headBytes < MOST_HEAD_BYTES
    const head = isKept ? Buffer.from(await read(entry.offset, Math.min(HEAD_BYTES, entry.size))) : null
    headBytes += head?.length ?? 0
    return insideTarGz(reader, entry, archive, head)
  })
  return sourceAt(path, 'tar', found, () => reader.close())
}

function insideTarGz(
  reader: ForwardReader,
  entry: TarEntry,
  archive: string,
  head: Buffer | null,
): SourceFile {
  const file: SourceFile = {
    path: entry.path,
    size: entry.size,
    modified_at: writtenTime(entry.modified),
    head: async () => head ?? headOf(file),
    async *open(start = 0) {
      let left = entry.size - start
      for await (const chunk of reader.read(entry.offset + start, left)) {
        left -= chunk.length
        yield chunk
      }
      if (left > 0) throw broken(archive, `${entry.path} is cut off`)
    },
  }
  return file
}
