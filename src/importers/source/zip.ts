import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { CodedError } from '../../model/errors.ts'
import { assertFileCount, assertNoBomb, byPath, entryPath, isLitter, lastOfEachName } from './bounds.ts'
import {
  headOf,
  type LeftOut,
  type Source,
  type SourceFile,
  skipTo,
  sourceAt,
  writtenTime,
} from './source.ts'

const ENCRYPTED = 1
const STORED_OR_DEFLATED = [0, 8]
const FILE_TYPE = 0o170000
const SYMLINK = 0o120000

/** A zip, read in place. Only zips inside it are unpacked, to temporary files. */
export async function openZip(path: string): Promise<Source> {
  const outer = await openFlatZip(path)
  const opened: AsyncDisposable[] = [outer]
  const close = async () => {
    for (const each of opened.toReversed()) await each[Symbol.asyncDispose]()
  }
  try {
    const files: SourceFile[] = []
    const leftOut = [...outer.leftOut]
    const { size } = await stat(path)
    let unpacked = 0
    for (const file of outer.files) {
      const inner = await innerZip(file)
      if (!inner) {
        files.push(file)
        continue
      }
      if ('message' in inner) {
        leftOut.push(inner)
        continue
      }
      opened.push(inner)
      // Each zip may be harmless, but what is compressed twice is not.
      unpacked += inner.files.reduce((sum, each) => sum + each.size, 0)
      assertNoBomb(basename(path), size, unpacked)
      // Notion splits one export into parts, which are merged. Other zips keep separate folders.
      const folder = /-Part-\d+\.zip$/i.test(file.path) ? '' : `${file.path.replace(/\.zip$/i, '')}/`
      files.push(...inner.files.map(each => ({ ...each, path: folder + each.path })))
      leftOut.push(...inner.leftOut.map(each => ({ ...each, path: folder + each.path })))
    }
    assertFileCount(basename(path), files.length)
    return { ...outer, files: files.sort(byPath), leftOut, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * A zip inside a zip, or why it cannot be opened; null for other files and for a broken zip, which is treated like
 * any other file.
 */
async function innerZip(file: SourceFile): Promise<Source | LeftOut | null> {
  if (!/\.zip$/i.test(file.path)) return null
  const head = await file.head()
  if (head.toString('latin1', 0, 4) !== 'PK\x03\x04') return null
  const folder = await mkdtemp(join(tmpdir(), 'footnote-zip-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, basename(file.path))
    await pipeline(file.open(), createWriteStream(path))
    const inner = await openFlatZip(path)
    return {
      ...inner,
      async [Symbol.asyncDispose]() {
        await inner[Symbol.asyncDispose]()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    if (!(error instanceof CodedError)) throw error
    if (error.code === 'archive_broken') return null
    return { path: file.path, code: 'unreadable', message: error.message }
  }
}

async function openFlatZip(path: string): Promise<Source> {
  const archive = basename(path)
  const zip = await openPromise(path, { autoClose: false }).catch(error => {
    throw broken(archive, error)
  })
  try {
    const { files, leftOut } = await list(zip, archive, (await stat(path)).size)
    return sourceAt(path, 'zip', { files: files.sort(byPath), leftOut }, async () => zip.close())
  } catch (error) {
    zip.close()
    throw error instanceof CodedError ? error : broken(archive, error as Error)
  }
}

async function list(zip: ZipFile, archive: string, archiveBytes: number) {
  const files: SourceFile[] = []
  const leftOut: LeftOut[] = []
  let unpacked = 0
  let refused: CodedError | null = null
  for await (const entry of zip.eachEntry()) {
    const path = entryPath(archive, entry.fileName)
    if (entry.fileName.endsWith('/') || isLitter(path)) continue
    const refusal = refusalOf(archive, path, entry)
    if (refusal) {
      refused ??= refusal
      leftOut.push({ path, code: 'unreadable', message: refusal.message })
      continue
    }
    assertNoBomb(`${archive}: ${path}`, entry.compressedSize, entry.uncompressedSize)
    unpacked += entry.uncompressedSize
    assertNoBomb(archive, archiveBytes, unpacked)
    if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK) {
      leftOut.push({ path, code: 'symlink', message: 'This is a symbolic link. Links are not followed.' })
      continue
    }
    files.push(zipped(zip, entry, archive, path))
    assertFileCount(archive, files.length)
  }
  if (refused && files.length === 0) throw refused
  return { files: lastOfEachName(files, leftOut), leftOut }
}

/** Why an entry cannot be read; null if it can. */
function refusalOf(archive: string, path: string, entry: Entry): CodedError | null {
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) {
    return new CodedError(
      'archive_encrypted',
      `${archive} is encrypted (${path}). Unpack it with its password and import the folder.`,
    )
  }
  if (!STORED_OR_DEFLATED.includes(entry.compressionMethod)) {
    return new CodedError(
      'archive_broken',
      `${archive}: ${path} uses a compression method that Footnote cannot read (${entry.compressionMethod}). Unpack the archive and import the folder.`,
    )
  }
  return null
}

function zipped(zip: ZipFile, entry: Entry, archive: string, path: string): SourceFile {
  const file = {
    path,
    size: entry.uncompressedSize,
    modified_at: writtenTime(entry.getLastModDate()),
    head: () => headOf(file),
    async *open(start = 0) {
      try {
        yield* skipTo(await zip.openReadStreamPromise(entry), start)
      } catch (error) {
        throw broken(`${archive}: ${path}`, error as Error)
      }
    },
  }
  return file
}

function broken(name: string, error: Error): CodedError {
  if (/relative path|absolute path|characters in fileName/.test(error.message)) {
    return new CodedError(
      'source_unsafe',
      `${name} contains a path that leads out of the archive: ${error.message}.`,
    )
  }
  if (/too many bytes/.test(error.message)) {
    return new CodedError(
      'source_unsafe',
      `${name} unpacks to more than its stated size. It is not read further.`,
    )
  }
  const extra = /Invalid comment length\. Expected: (\d+)\. Found: (\d+)\./.exec(error.message)
  if (extra) {
    const bytes = Number(extra[1]) - Number(extra[2])
    return new CodedError(
      'archive_broken',
      bytes > 0
        ? `${name} has ${bytes} bytes of other data after its end. Unpack it and import the folder.`
        : `${name} is cut off. Download or copy it again.`,
    )
  }
  if (/End of central directory/.test(error.message)) {
    return new CodedError(
      'archive_broken',
      `${name} is cut off, or it is not a zip. Download or copy it again.`,
    )
  }
  return new CodedError('archive_broken', `${name} is broken: ${error.message}.`)
}
