import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../model/json.ts'
import { replaceFile } from './replace-file.ts'

const FILE = 'last-backup.json'

/** When `footnote backup` last copied the data, and into which folder. */
interface LastBackup {
  at: string
  directory: string
}

/** A backup of a folder that cannot be written is still a backup, so it goes without a note. */
export function noteBackup(dataFolder: string, backup: LastBackup): void {
  try {
    replaceFile(join(dataFolder, FILE), `${JSON.stringify(backup)}\n`, 0o600)
  } catch {}
}

/** Null if there was none, or its note cannot be read. */
export function lastBackup(dataFolder: string): LastBackup | null {
  try {
    const note = parseJson(readFileSync(join(dataFolder, FILE), 'utf8'))
    if (!isObject(note) || typeof note.at !== 'string' || typeof note.directory !== 'string') return null
    return { at: note.at, directory: note.directory }
  } catch {
    return null
  }
}
