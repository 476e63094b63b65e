import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WatchedFolder, WatchedFolders } from '../../data-folder/watched-folders.ts'
import { CodedError } from '../../model/errors.ts'
import { SerialQueue } from '../../model/serial-queue.ts'
import type { Log } from '../log.ts'
import type { OwnServer } from '../own-server.ts'
import { changedPaths, type Pace } from './watch.ts'

/**
 * How often the list of watched folders is checked, and how long to wait before retrying a folder that cannot be read.
 */
const LIST_MS = 2_000
const RETRY_MS = 30_000

const UNFORESEEN = 'Something went wrong. The server log has the details.'

interface Paces {
  listMs: number
  retryMs: number
  folder?: Pace
}

/**
 * Keeps the watched folders imported until it is stopped: first what is in them, then what is new or changed. Folders
 * that are added or removed meanwhile are noticed. One import runs at a time.
 */
export async function keepImported(
  directory: string,
  server: OwnServer,
  log: Log,
  stop: AbortSignal,
  paces: Paces = { listMs: LIST_MS, retryMs: RETRY_MS },
): Promise<void> {
  const watched = new WatchedFolders(directory)
  const running = new Map<string, { end: AbortController; done: Promise<void> }>()
  const imports = new SerialQueue()
  let known = ''
  while (!stop.aborted) {
    const stamp = stampOf(watched.file)
    if (stamp !== known) {
      known = stamp
      const folders = foldersIn(watched, log)
      const wanted = new Map(folders.map(folder => [JSON.stringify(folder), folder]))
      for (const [key, { end }] of running) if (!wanted.has(key)) end.abort()
      for (const [key, folder] of wanted) {
        if (running.has(key)) continue
        const end = new AbortController()
        const until = AbortSignal.any([stop, end.signal])
        const done = keepFolder(folder, { watched, server, log, imports, paces }, until).finally(() => {
          running.delete(key)
          if (!stop.aborted) log.event(`No longer watching ${folder.path}.`, 'folder_unwatched')
          // It may have been added again meanwhile.
          known = ''
        })
        running.set(key, { end, done })
        log.event(`Watching ${folder.path}.`, 'folder_watched')
      }
    }
    await sleep(paces.listMs, undefined, { signal: stop }).catch(() => {})
  }
  await Promise.all([...running.values()].map(({ done }) => done))
}

interface Keeping {
  watched: WatchedFolders
  server: OwnServer
  log: Log
  imports: SerialQueue
  paces: Paces
}

async function keepFolder(folder: WatchedFolder, keeping: Keeping, stop: AbortSignal): Promise<void> {
  const { watched, log, imports, paces } = keeping
  const told = new Set<string>()
  const note = async (error: unknown) => {
    const refusal = error instanceof CodedError ? error : null
    const failed = { code: refusal?.code ?? 'internal_error', message: refusal?.message ?? UNFORESEEN }
    const state = { looked_at: new Date().toISOString(), error: error === null ? null : failed }
    await watched.note(folder.path, state).catch(each => log.failure(each, 'watch'))
  }
  const tell = (error: unknown) => {
    if (!(error instanceof CodedError)) return log.failure(error, 'watch')
    if (told.has(error.message)) return
    told.add(error.message)
    log.event(error.message, 'watched_folder_not_imported', { code: error.code })
  }
  while (!stop.aborted) {
    try {
      for await (const path of changedPaths(folder.path, stop, paces.folder)) {
        // Loaded when needed, because most servers watch no folder.
        const { importPath } = await import('./import-path.ts')
        const error = await imports
          .add(() => importPath(path, folder, keeping, stop))
          .then(
            () => null,
            (thrown: unknown) => thrown,
          )
        if (stop.aborted) continue
        if (error !== null) tell(error)
        await note(error)
      }
    } catch (error) {
      tell(error)
      await note(error)
      await sleep(paces.retryMs, undefined, { signal: stop }).catch(() => {})
    }
  }
}

function foldersIn(watched: WatchedFolders, log: Log): WatchedFolder[] {
  try {
    return watched.list()
  } catch (error) {
    log.failure(error, 'watch')
    return []
  }
}

/** Changes when the list is replaced; empty if there is no list. */
function stampOf(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false })
  return info ? `${info.ino} ${info.mtimeMs} ${info.size}` : ''
}
