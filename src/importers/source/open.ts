import { lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CodedError } from '../../model/errors.ts'
import { isDocumentPackage } from '../extraction/document-head.ts'
import { assertFileCount, byPath } from './bounds.ts'
import { openFolder } from './folder.ts'
import { openGzip } from './gzip.ts'
import { nameOf, plainFile, readStart, type Source, type SourceFile, sourceAt, unreadable } from './source.ts'
import { isTarHeader, openTar } from './tar.ts'
import { exportOf, isPartOfArchive } from './telling-name.ts'
import { openZip } from './zip.ts'

/** Opens a path, or several archives of one export as one source. Archives are recognised by their bytes, not by their names. */
export async function openSource(named: string, ...others: string[]): Promise<Source> {
  if (others.length > 0)
    return openParts(resolve(named), exportOf(named) ?? nameOf(named), [named, ...others], openSource)
  const path = resolve(named)
  const info = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new CodedError('source_not_found', `There is no file or folder at ${named}.`)
    throw unreadable(named, error)
  })
  if (info.isSymbolicLink()) {
    throw new CodedError(
      'source_unsafe',
      `${named} is a symbolic link, and links are not followed. Give the path that it points to.`,
    )
  }
  if (info.isDirectory()) return openFolderOrParts(path)
  if (!info.isFile()) throw new CodedError('source_unreadable', `${named} is neither a file nor a folder.`)
  const start = await readStart(path, 1024).catch(error => {
    throw unreadable(named, error as NodeJS.ErrnoException)
  })
  if (start[0] === 0x50 && start[1] === 0x4b) {
    if (isPartOfArchive(path) || start[2] === 7) {
      throw new CodedError(
        'archive_broken',
        `${named} looks like a part of a split archive. Join the parts into one archive and import that.`,
      )
    }
    const zip = start[2] === 3 || start[2] === 5 ? await openZip(path) : null
    if (zip && !isDocumentPackage(zip.files.map(file => file.path))) return zip
    // An office document is a zip, but it is treated as one file.
    await zip?.[Symbol.asyncDispose]()
  }
  if (start[0] === 0x1f && start[1] === 0x8b) return openGzip(path, info.size)
  if (isTarHeader(start)) return openTar(path)
  const file = plainFile(path, basename(path), info.size, info.mtime)
  const log = start.toString('latin1').startsWith('SQLite format 3\0') ? await logOf(path) : []
  return sourceAt(path, 'file', { files: [file, ...log] })
}

/** The write-ahead log of a database is part of it: the latest changes may be only there. */
async function logOf(database: string): Promise<SourceFile[]> {
  const path = `${database}-wal`
  const info = await lstat(path).catch(() => null)
  return info?.isFile() ? [plainFile(path, basename(path), info.size, info.mtime)] : []
}

/** A folder that contains only the archives of one export is opened as that export. */
async function openFolderOrParts(path: string): Promise<Source> {
  const folder = await openFolder(path)
  const [name = null, ...others] = new Set(folder.files.map(file => exportOf(file.path)))
  if (name === null || others.length > 0) return folder
  const parts = folder.files.map(file => join(path, file.path))
  return openParts(path, name, parts, openSource)
}

/**
 * Opens what was chosen together and put into one folder: each archive is an export of its own, unless several are the
 * parts of one, and everything else is one source.
 */
export async function openChosen(folder: string): Promise<Source[]> {
  const { files, ...loose } = await openFolder(folder)
  const archives: string[] = []
  for (const file of files) if (await isArchive(join(folder, file.path), file)) archives.push(file.path)
  const others = files.filter(({ path }) => !archives.includes(path))
  const [only] = others
  const opened: Source[] = []
  try {
    const alone =
      only && others.length === 1 ? await openSource(join(folder, only.path)).catch(() => null) : null
    if (only) opened.push(alone ?? { ...loose, name: 'files', files: others })
    for (const [first = '', ...more] of partsTogether(archives.map(path => join(folder, path))))
      opened.push(await openSource(first, ...more))
    return opened
  } catch (error) {
    for (const source of opened) await source[Symbol.asyncDispose]()
    throw error
  }
}

/** Whether a file that was chosen opens as an archive. An office document does not, nor does a damaged archive. */
async function isArchive(path: string, file: SourceFile): Promise<boolean> {
  if (file.path.includes('/')) return false
  const head = await file.head().catch(() => Buffer.alloc(0))
  const isPacked = ['504b', '1f8b'].includes(head.toString('hex', 0, 2)) || isTarHeader(head)
  if (!isPacked) return false
  const source = await openSource(path).catch(() => null)
  await source?.[Symbol.asyncDispose]()
  return source !== null && source.kind !== 'file'
}

/** Groups the paths: the archives of one export form a group, in the place of the first. */
export function partsTogether(paths: readonly string[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const name = exportOf(path)
    const key = name === null ? path : join(dirname(resolve(path)), name)
    const known = groups.get(key)
    if (known && name !== null) known.push(path)
    else groups.set(known ? `${key} ${groups.size}` : key, [path])
  }
  return [...groups.values()].map(group => group.sort())
}

/** Opens the archives of one export; all of them are closed again if one cannot be opened. */
async function openParts(
  path: string,
  name: string,
  parts: readonly string[],
  open: (part: string) => Promise<Source>,
): Promise<Source> {
  const opened: Source[] = []
  try {
    for (const part of parts) opened.push(await open(part))
    return joined(path, name, opened)
  } catch (error) {
    for (const part of opened) await part[Symbol.asyncDispose]()
    throw error
  }
}

/** The archives of one export as one source. A file that several of them contain, such as the index, is read once. */
function joined(path: string, name: string, parts: readonly Source[]): Source {
  const files = new Map<string, SourceFile>()
  for (const part of parts) {
    for (const file of part.files) {
      const known = files.get(file.path)
      if (known?.size === file.size) continue
      const free = known ? `${nameOf(part.path)}/${file.path}` : file.path
      files.set(free, { ...file, path: free })
    }
  }
  assertFileCount(name, files.size)
  const isAnyOrder = parts.every(({ kind }) => kind === 'zip')
  return {
    path,
    name,
    kind: isAnyOrder ? 'zip' : 'tar',
    files: isAnyOrder ? [...files.values()].sort(byPath) : [...files.values()],
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    async [Symbol.asyncDispose]() {
      for (const part of parts) await part[Symbol.asyncDispose]()
    },
  }
}
