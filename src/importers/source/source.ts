import { lstat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { CodedError } from '../../model/errors.ts'
import { openFolder } from './folder.ts'
import { openGzip } from './gzip.ts'
import { plainFile, readStart } from './plain-file.ts'
import { isTarHeader, openTar } from './tar.ts'
import { openZip } from './zip.ts'

/** What a person named, as a set of files: a file, a folder or an archive. It is only ever read. */
export interface Source extends AsyncDisposable {
  /** Where it is, in full. */
  path: string
  /** Its last part, without the ending of an archive. */
  name: string
  kind: 'file' | 'folder' | 'zip' | 'tar' | 'gzip'
  /** Sorted by path, except in archives that can only be read from front to back: these keep their order. */
  files: readonly SourceFile[]
  /** What was not taken in, and why: symbolic links, devices, files that may not be read. */
  leftOut: readonly LeftOut[]
}

export interface SourceFile {
  /** Relative to the source, with `/` between its parts; never absolute, never with `..`. */
  path: string
  /** Bytes, unpacked; what the archive says. */
  size: number
  modified_at: string | null
  /** The first bytes, up to 4,096; fewer only when the file is shorter. */
  head(): Promise<Buffer>
  /** The bytes from `start` on, in chunks. Throws a CodedError when they cannot be read. */
  open(start?: number): AsyncIterable<Uint8Array>
}

export interface LeftOut {
  path: string
  code: 'symlink' | 'special_file' | 'unreadable'
  message: string
}

/** Opens what stands at a path. What it is, the bytes say, not the name. */
export async function openSource(named: string): Promise<Source> {
  const path = resolve(named)
  const info = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
      throw new CodedError('source_not_found', `There is nothing at ${named}.`)
    }
    throw unreadable(named, error)
  })
  if (info.isSymbolicLink()) {
    throw new CodedError(
      'source_unsafe',
      `${named} is a symbolic link, and links are not followed. Name the file or folder that it leads to.`,
    )
  }
  if (info.isDirectory()) return openFolder(path)
  if (!info.isFile()) {
    throw new CodedError('source_unreadable', `${named} is neither a file nor a folder.`)
  }
  const start = await readStart(path, 1024).catch(error => {
    throw unreadable(named, error as NodeJS.ErrnoException)
  })
  if (start[0] === 0x50 && start[1] === 0x4b && (start[2] === 3 || start[2] === 5)) {
    return openZip(path)
  }
  if (start[0] === 0x1f && start[1] === 0x8b) return openGzip(path, info.size)
  if (isTarHeader(start)) return openTar(path)
  const file = plainFile(path, basename(path), info.size, info.mtime)
  return {
    path,
    name: nameOf(path),
    kind: 'file',
    files: [file],
    leftOut: [],
    async [Symbol.asyncDispose]() {},
  }
}

export function nameOf(path: string): string {
  const name = basename(path)
  return name.replace(/\.(zip|tar|tgz|tar\.gz|gz|mbox|mbx|eml|csv|jsonl?|ndjson|txt)$/i, '') || name
}

/** A failure of the file system as the person is told it. */
export function unreadable(path: string, error: NodeJS.ErrnoException): CodedError {
  const reason = error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message
  return new CodedError('source_unreadable', `${path} cannot be read: ${reason}.`)
}
