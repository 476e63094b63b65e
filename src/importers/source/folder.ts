import { lstat, opendir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { assertFileCount, byPath, isLitter } from './bounds.ts'
import { plainFile } from './plain-file.ts'
import { type LeftOut, type Source, type SourceFile, unreadable } from './source.ts'

/** A folder with everything in it. Links are never followed. */
export async function openFolder(path: string): Promise<Source> {
  const files: SourceFile[] = []
  const leftOut: LeftOut[] = []
  const leave = (relative: string, code: LeftOut['code'], message: string) =>
    leftOut.push({ path: relative, code, message })

  const walk = async (folder: string, prefix: string): Promise<void> => {
    for await (const entry of await opendir(folder)) {
      const relative = prefix + entry.name
      const full = join(folder, entry.name)
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
      const info = await lstat(full)
      if (!info.isFile()) leave(relative, 'special_file', 'This is neither a file nor a folder.')
      else files.push(plainFile(full, relative, info.size, info.mtime))
      assertFileCount(path, files.length)
    }
  }
  await walk(path, '').catch((error: NodeJS.ErrnoException) => {
    throw error.syscall ? unreadable(path, error) : error
  })
  const name = basename(path)
  return {
    path,
    name,
    kind: 'folder',
    files: files.sort(byPath),
    leftOut: leftOut.sort(byPath),
    async [Symbol.asyncDispose]() {},
  }
}
