import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { assertNoBomb, lastOfEachName } from './bounds.ts'
import { ForwardReader } from './forward-reader.ts'
import { HEAD_BYTES, headOf, skipTo, writtenTime } from './plain-file.ts'
import { type LeftOut, nameOf, type Source, type SourceFile } from './source.ts'
import { broken, isTarHeader, leaveOutRest, type TarEntry, tarEntries } from './tar.ts'

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
  return {
    path,
    name: nameOf(path),
    kind: 'gzip',
    files: [file],
    leftOut: [],
    async [Symbol.asyncDispose]() {},
  }
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
  const leftOut: LeftOut[] = []
  const files: SourceFile[] = []
  const reader = new ForwardReader(bytes)
  let headBytes = 0
  const read = async (position: number, length: number) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of reader.read(position, length)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  try {
    for await (const entry of tarEntries(archive, read, leftOut)) {
      const kept =
        headBytes < MOST_HEAD_BYTES ? await read(entry.offset, Math.min(HEAD_BYTES, entry.size)) : null
      headBytes += kept?.length ?? 0
      files.push(insideTarGz(reader, entry, archive, kept && Buffer.from(kept)))
    }
  } catch (error) {
    leaveOutRest(archive, error, files, leftOut)
  }
  return {
    path,
    name: nameOf(path),
    kind: 'tar',
    files: lastOfEachName(files, leftOut),
    leftOut,
    [Symbol.asyncDispose]: () => reader.close(),
  }
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
