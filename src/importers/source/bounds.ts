import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import type { LeftOut, SourceFile } from './source.ts'

const MOST_FILES = 1_000_000
const HARMLESS_BYTES = 100 * 1024 * 1024
const MOST_RATIO = 250

/**
 * Text compresses to about a third of its size and tables to a fiftieth. An archive that expands far more is hostile.
 */
export function assertNoBomb(name: string, packed: number, unpacked: number): void {
  if (unpacked <= HARMLESS_BYTES || unpacked <= packed * MOST_RATIO) return
  throw new CodedError(
    'source_unsafe',
    `${name} would unpack to more than ${MOST_RATIO} times its size. It looks like a zip bomb, so it is not opened.`,
  )
}

export function assertFileCount(name: string, files: number): void {
  if (files <= MOST_FILES) return
  throw new CodedError(
    'source_unsafe',
    `${name} contains more than ${number(MOST_FILES)} files. Import parts of it.`,
  )
}

/** The path of an archive entry. Throws if it leads out of the archive. */
export function entryPath(archive: string, written: string): string {
  const parts = written.replaceAll('\\', '/').split('/')
  if (/^([/\\]|[A-Za-z]:)/.test(written) || parts.includes('..') || written.includes('\0')) {
    throw new CodedError(
      'source_unsafe',
      `${archive} contains the path ${JSON.stringify(written.slice(0, 200))}, which leads out of the archive. The archive is not opened.`,
    )
  }
  return parts.filter(part => part !== '' && part !== '.').join('/')
}

/** Files that operating systems and tools create, and packages that npm installs. */
export function isLitter(path: string): boolean {
  return /(^|\/)(__MACOSX\/|\._[^/]*$|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\.git\/|node_modules\/)/.test(
    path,
  )
}

export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

/** The files that unpacking an archive would leave behind: a later one replaces an earlier one with the same name. */
export function lastOfEachName(files: readonly SourceFile[], leftOut: LeftOut[]): SourceFile[] {
  const last = new Map(files.map(file => [file.path, file]))
  return files.filter(file => {
    if (last.get(file.path) === file) return true
    const message = 'The archive contains a later file with the same name, which is read instead.'
    leftOut.push({ path: file.path, code: 'replaced', message })
    return false
  })
}
