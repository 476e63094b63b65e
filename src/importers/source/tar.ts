import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { CodedError } from '../../model/errors.ts'
import { assertFileCount, byPath, entryPath, isLitter, lastOfEachName } from './bounds.ts'
import {
  type LeftOut,
  plainFile,
  readStart,
  type Source,
  type SourceFile,
  sourceAt,
  unreadable,
  writtenTime,
} from './source.ts'

const BLOCK = 512
const MOST_NAME_BYTES = 64 * 1024

/** A file of a tar, with the position of its bytes. */
export interface TarEntry {
  path: string
  size: number
  offset: number
  modified: Date
}

export function isTarHeader(block: Buffer): boolean {
  return block.length >= BLOCK && block.toString('latin1', 257, 262) === 'ustar'
}

type ReadAt = (position: number, length: number) => Promise<Buffer>

/** An uncompressed tar, read in place. */
export async function openTar(path: string): Promise<Source> {
  const file = await open(path, 'r')
  const read: ReadAt = async (position, length) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  }
  try {
    const { files, leftOut } = await tarFiles(basename(path), read, entry => insideTar(path, entry))
    return sourceAt(path, 'tar', { files: files.sort(byPath), leftOut })
  } finally {
    await file.close()
  }
}

/** The files of a tar. Those before damage are read; throws if there are none. */
export async function tarFiles(
  archive: string,
  read: ReadAt,
  fileOf: (entry: TarEntry) => SourceFile | Promise<SourceFile>,
): Promise<{ files: SourceFile[]; leftOut: LeftOut[] }> {
  const files: SourceFile[] = []
  const leftOut: LeftOut[] = []
  try {
    for await (const entry of tarEntries(archive, read, leftOut)) files.push(await fileOf(entry))
  } catch (error) {
    const isDamage = error instanceof CodedError && error.code === 'archive_broken'
    if (!isDamage || files.length === 0) throw error
    const message = `${error.message} Files that come after this place are missing.`
    leftOut.push({ path: archive, code: 'unreadable', message })
  }
  return { files: lastOfEachName(files, leftOut), leftOut }
}

function insideTar(path: string, entry: TarEntry): SourceFile {
  const { open } = plainFile(path, entry.path, entry.size, entry.modified)
  return {
    path: entry.path,
    size: entry.size,
    modified_at: writtenTime(entry.modified),
    head: () =>
      readStart(path, Math.min(4096, entry.size), entry.offset).catch(error => {
        throw unreadable(path, error)
      }),
    async *open(start = 0) {
      let left = entry.size - start
      for await (const chunk of left > 0 ? open(entry.offset + start) : []) {
        yield chunk.subarray(0, left)
        left -= chunk.length
        if (left <= 0) return
      }
      if (left > 0) throw broken(basename(path), `${entry.path} is cut off`)
    },
  }
}

/**
 * The files of a tar, from start to end. `read` returns bytes at a position, which only increases; at the end it
 * returns fewer than requested.
 */
async function* tarEntries(archive: string, read: ReadAt, leftOut: LeftOut[]): AsyncGenerator<TarEntry> {
  let position = 0
  let files = 0
  let longer: { path?: string; size?: number } = {}
  for (;;) {
    const header = await read(position, BLOCK)
    if (header.length === 0 || header.every(byte => byte === 0)) return
    if (header.length < BLOCK) throw cutOff(archive, position + header.length)
    if (!isTarHeader(header)) throw broken(archive, `there is no tar header at byte ${position}`)
    const type = String.fromCharCode(header[156] ?? 0)
    const size = longer.size ?? numberAt(header, 124, 12)
    if (!Number.isSafeInteger(size) || size < 0) throw broken(archive, 'it has an impossible size')
    const offset = position + BLOCK
    position = offset + Math.ceil(size / BLOCK) * BLOCK
    if (type === 'L' || type === 'x') {
      if (size > MOST_NAME_BYTES) throw broken(archive, 'it has a name that is too long')
      const content = await read(offset, size)
      if (content.length < size) throw cutOff(archive, offset + content.length)
      if (type === 'x') longer = { ...longer, ...paxOf(content) }
      else longer = { ...longer, path: textAt(content, 0, size) }
      continue
    }
    if (type === 'g' || type === 'K') continue
    const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textAt(header, 345, 155) : ''
    const written = longer.path ?? (prefix === '' ? '' : `${prefix}/`) + textAt(header, 0, 100)
    longer = {}
    const path = entryPath(archive, written)
    if (type === '5' || isLitter(path)) continue
    if (type === '0' || type === '\0' || type === '7') {
      assertFileCount(archive, ++files)
      yield { path, size, offset, modified: new Date(numberAt(header, 136, 12) * 1000) }
    } else if (type === '1' || type === '2') {
      leftOut.push({ path, code: 'symlink', message: 'This is a link. Links are not followed.' })
    } else leftOut.push({ path, code: 'special_file', message: 'This is neither a file nor a folder.' })
  }
}

export function broken(archive: string, reason: string): CodedError {
  return new CodedError('archive_broken', `${archive} is broken: ${reason}.`)
}

function cutOff(archive: string, byte: number): CodedError {
  return broken(archive, `it is cut off at byte ${byte}`)
}

function textAt(bytes: Buffer, start: number, length: number): string {
  const end = bytes.indexOf(0, start)
  return bytes.toString('utf8', start, end === -1 || end > start + length ? start + length : end)
}

/** Octal digits, or a big-endian number if the first bit is set: a time before 1970 is negative. */
function numberAt(header: Buffer, start: number, length: number): number {
  if (((header[start] ?? 0) & 0x80) !== 0) return Number(header.readBigInt64BE(start + length - 8))
  return Number.parseInt(textAt(header, start, length).trim() || '0', 8)
}

function paxOf(content: Buffer): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {}
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const length = Number(content.toString('latin1', at, space))
    if (space === -1 || !(length > 0)) break
    const [key, value = ''] = content.toString('utf8', space + 1, at + length - 1).split(/=(.*)/s)
    if (key === 'path') found.path = value
    if (key === 'size') found.size = Number(value)
    at += length
  }
  return found
}
