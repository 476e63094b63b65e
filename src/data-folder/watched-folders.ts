import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidRequest } from '../model/errors.ts'
import { isObject, type Json, own } from '../model/json.ts'
import { SerialQueue } from '../model/serial-queue.ts'
import { replaceFile } from './replace-file.ts'

/**
 * A folder that the server watches and imports. Folders belong to one computer, so they are stored in its data folder.
 */
export interface WatchedFolder {
  path: string
  /** The name of the connection; null means the name of the folder. */
  name: string | null
  /** The format to import; null means the one with the most items. */
  format: string | null
  /** When the owner last asked to import all of it again. */
  asked_at?: string
}

/** The result of the last check of a folder. */
interface FolderState {
  looked_at: string
  error: { code: string; message: string } | null
}

/** The list of watched folders, which the owner changes, and their state, which the server writes. */
export class WatchedFolders {
  /** Replaced as a whole when the list changes. */
  readonly file: string
  readonly #states: string
  readonly #directory: string
  /** Each update reads what the previous one has written. */
  readonly #queue = new SerialQueue()

  constructor(directory: string) {
    this.#directory = directory
    this.file = join(directory, 'watched-folders.json')
    this.#states = join(directory, 'watched-folders-state.json')
  }

  /** Identifies a folder where its path must not be visible. */
  idOf(path: string): string {
    return `fld_${createHash('sha256').update(path).digest('hex').slice(0, 16)}`
  }

  list(): WatchedFolder[] {
    const list = readJson(this.file) ?? []
    if (!Array.isArray(list) || !list.every(isWatchedFolder)) {
      const message = `${this.file} is not a list of watched folders. Delete it and add the folders again.`
      throw invalidRequest(message)
    }
    return list as unknown as WatchedFolder[]
  }

  async add(folder: WatchedFolder): Promise<void> {
    await this.#change(folders => [...folders.filter(({ path }) => path !== folder.path), folder])
  }

  /** False if it is not watched. */
  remove(folder_id: string): Promise<boolean> {
    return this.#change(folders => {
      const kept = folders.filter(({ path }) => this.idOf(path) !== folder_id)
      return kept.length === folders.length ? null : kept
    })
  }

  /** Asks to import all of a folder again; false if it is not watched. */
  ask(folder_id: string, now: Date): Promise<boolean> {
    const isAsked = ({ path }: WatchedFolder) => this.idOf(path) === folder_id
    const asked_at = now.toISOString()
    return this.#change(folders =>
      folders.some(isAsked)
        ? folders.map(folder => (isAsked(folder) ? { ...folder, asked_at } : folder))
        : null,
    )
  }

  stateOf(path: string): FolderState | null {
    const states = readJson(this.#states)
    return isObject(states) ? ((own(states, path) ?? null) as FolderState | null) : null
  }

  /** Stores the result of a check. Only the server that watches does this; states of removed folders are dropped. */
  note(path: string, state: FolderState): Promise<void> {
    return this.#queue.add(() => this.#note(path, state))
  }

  async #note(path: string, state: FolderState): Promise<void> {
    const watched = this.list().map(folder => folder.path)
    const others = watched.flatMap(other => {
      const known = other === path ? null : this.stateOf(other)
      return known ? [[other, known] as const] : []
    })
    const states = Object.fromEntries(watched.includes(path) ? [...others, [path, state]] : others)
    await this.#write(this.#states, states)
  }

  /** Replaces the list by what `change` makes of it; false if that is null. */
  #change(change: (folders: WatchedFolder[]) => WatchedFolder[] | null): Promise<boolean> {
    return this.#queue.add(async () => {
      const changed = change(this.list())
      if (changed) await this.#write(this.file, changed)
      return changed !== null
    })
  }

  async #write(file: string, content: unknown): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    replaceFile(file, `${JSON.stringify(content, null, 2)}\n`, 0o600)
  }
}

/** Null if the file does not exist; content that is not JSON is returned as text. */
function readJson(file: string): Json {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function isWatchedFolder(value: Json): boolean {
  const isTextOrNull = (each: Json | undefined) => each === null || typeof each === 'string'
  return (
    isObject(value) &&
    typeof value.path === 'string' &&
    isTextOrNull(value.name) &&
    isTextOrNull(value.format)
  )
}
