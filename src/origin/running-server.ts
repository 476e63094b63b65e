import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { protectedResource } from '../api/discovery.ts'
import { isObject } from '../model/json.ts'

/** A server that serves a data folder, as described by its file there. */
export interface ServerNote {
  process_id: number
  /** Where it can be reached from this computer. */
  address: string
  /** The origin that its links start with. */
  public_url: string
  started_at: string
}

const NAME = /^server-\d+\.json$/
const PATIENCE_MS = 2_000

/** The data folder, if a file is the note of the server on this port; null for any other file. */
export function folderOfNote(path: string, port: number): string | null {
  return basename(path) === nameFor(port) ? dirname(path) : null
}

function nameFor(port: number | string): string {
  return `server-${port}.json`
}

/**
 * Writes a file to the data folder that says that this process serves it, until disposed of. The file stays open, so
 * that the operating system can tell which data folder a process serves.
 */
export function noteServer(
  directory: string,
  note: Omit<ServerNote, 'process_id' | 'started_at'>,
): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [name, { process_id }] of notesIn(directory))
    if (!isAlive(process_id)) rmSync(join(directory, name), { force: true })
  const file = join(directory, nameFor(new URL(note.address).port))
  const whole: ServerNote = { process_id: process.pid, ...note, started_at: new Date().toISOString() }
  const opened = openSync(file, 'w', 0o600)
  writeSync(opened, `${JSON.stringify(whole)}\n`)
  return {
    [Symbol.dispose]() {
      closeSync(opened)
      rmSync(file, { force: true })
    },
  }
}

/** The most recently started server on a data folder, if it is running; files of servers that were killed are stale. */
export async function runningServer(directory: string): Promise<ServerNote | null> {
  const notes = notesIn(directory).map(([, note]) => note)
  notes.sort((one, other) => (one.started_at < other.started_at ? 1 : -1))
  for (const note of notes) {
    // Another process may have the id of one that was killed, so the server itself is asked.
    if (isAlive(note.process_id) && (await footnoteAt(note.address)) === note.public_url) return note
  }
  return null
}

function notesIn(directory: string): [string, ServerNote][] {
  return namesIn(directory).flatMap((name): [string, ServerNote][] => {
    const note = noteIn(join(directory, name))
    return note ? [[name, note]] : []
  })
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter(name => NAME.test(name))
  } catch {
    return []
  }
}

function noteIn(file: string): ServerNote | null {
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const isNote =
      isObject(note) &&
      Number.isInteger(note.process_id) &&
      [note.address, note.public_url].every(url => typeof url === 'string' && URL.canParse(url)) &&
      typeof note.started_at === 'string'
    return isNote ? (note as unknown as ServerNote) : null
  } catch {
    return null
  }
}

export function isAlive(process_id: number): boolean {
  try {
    return process.kill(process_id, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The origin that the links of the Footnote server at an address start with; null if none answers there. */
export async function footnoteAt(address: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const body: unknown = await (await fetch(`${address}${protectedResource.path}`, { signal })).json()
    if (!isObject(body) || body.resource_name !== 'Footnote') return null
    return typeof body.resource === 'string' ? body.resource : null
  } catch {
    return null
  }
}
