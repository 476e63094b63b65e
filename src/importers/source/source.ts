import { basename } from 'node:path'
import { CodedError } from '../../model/errors.ts'

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

export function nameOf(path: string): string {
  const name = basename(path)
  return name.replace(/\.(zip|tar|tgz|tar\.gz|gz|mbox|mbx|eml|csv|jsonl?|ndjson|txt)$/i, '') || name
}

/** A failure of the file system as the person is told it. */
export function unreadable(path: string, error: NodeJS.ErrnoException): CodedError {
  const reason = error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message
  return new CodedError('source_unreadable', `${path} cannot be read: ${reason}.`)
}
