import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../model/json.ts'
import { UsageError } from '../terminal/exit-errors.ts'

/** A folder that the server keeps imported. Folders are of one computer, so they are kept in its data folder. */
export interface WatchedFolder {
  path: string
  /** The name of the connection; null for the name of the folder. */
  name: string | null
  /** The format to import; null for the one with the most items. */
  format: string | null
}

const FILE = 'watched-folders.json'

export function watchedFoldersFile(directory: string): string {
  return join(directory, FILE)
}

export function readWatchedFolders(directory: string): WatchedFolder[] {
  const file = watchedFoldersFile(directory)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const list: unknown = parsed(text)
  if (!Array.isArray(list) || !list.every(isWatchedFolder)) {
    throw new UsageError(`${file} is not a list of watched folders.`, 'delete it and add the folders again')
  }
  return list
}

/** Replaces the list. A server that reads it meanwhile sees the old or the new one. */
export async function writeWatchedFolders(
  directory: string,
  folders: readonly WatchedFolder[],
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const file = watchedFoldersFile(directory)
  await writeFile(`${file}.new`, `${JSON.stringify(folders, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function isWatchedFolder(value: unknown): value is WatchedFolder {
  const isTextOrNull = (each: unknown) => each === null || typeof each === 'string'
  return (
    isObject(value as never) &&
    typeof (value as WatchedFolder).path === 'string' &&
    isTextOrNull((value as WatchedFolder).name) &&
    isTextOrNull((value as WatchedFolder).format)
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
