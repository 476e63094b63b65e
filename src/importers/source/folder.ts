import { isUtf8 } from 'node:buffer'
import type { Dir, Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { assertFileCount, byPath, isLitter } from './bounds.ts'
import { type LeftOut, plainFile, type Source, type SourceFile, sourceAt, unreadable } from './source.ts'

/** A folder with everything in it. Links are never followed. */
export async function openFolder(path: string): Promise<Source> {
  const files: SourceFile[] = []
  const leftOut: LeftOut[] = []
  const leave = (relative: string, code: LeftOut['code'], message: string) =>
    leftOut.push({ path: relative, code, message })

  const walk = async (folder: string | Buffer, prefix: string): Promise<void> => {
    for await (const entry of await entriesOf(folder)) {
      const relative = prefix + entry.name.toString(isUtf8(entry.name) ? 'utf8' : 'latin1')
      const full = pathIn(folder, entry.name)
      if (isLitter(entry.isDirectory() ? `${relative}/` : relative)) continue
      if (entry.isDirectory()) {
        await walk(full, `${relative}/`).catch((error: NodeJS.ErrnoException) => {
          if (error.code === undefined || !error.syscall) throw error
          leave(relative, 'unreadable', unreadable(relative, error).message)
        })
        continue
      }
      if (entry.isSymbolicLink()) {
        leave(relative, 'symlink', 'This is a symbolic link. Links are not followed.')
        continue
      }
      const info = await lstat(full).catch((error: NodeJS.ErrnoException) => error)
      if (info instanceof Error) leave(relative, 'unreadable', unreadable(relative, info).message)
      else if (!info.isFile()) leave(relative, 'special_file', 'This is neither a file nor a folder.')
      else files.push(plainFile(full, relative, info.size, info.mtime))
      assertFileCount(path, files.length)
    }
  }
  await walk(path, '').catch((error: NodeJS.ErrnoException) => {
    throw error.syscall ? unreadable(path, error) : error
  })
  return sourceAt(path, 'folder', { files: files.sort(byPath), leftOut: leftOut.sort(byPath) })
}

/** Linux allows any bytes in a name, and a name that is not UTF-8 can be opened only by its bytes. */
function entriesOf(folder: string | Buffer): Promise<AsyncIterable<Dirent<Buffer>>> {
  const open = opendir as unknown as (path: string | Buffer, options: object) => Promise<Dir>
  return open(folder, { encoding: 'buffer' }) as Promise<unknown> as Promise<AsyncIterable<Dirent<Buffer>>>
}

function pathIn(folder: string | Buffer, name: Buffer): string | Buffer {
  if (typeof folder === 'string' && isUtf8(name)) return join(folder, name.toString())
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), name])
}
