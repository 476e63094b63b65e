import { createHash } from 'node:crypto'
import { watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFolder } from '../../importers/source/folder.ts'
import { EXIT_FAILURE, ExitError } from '../terminal/exit-errors.ts'

/** When new and changed files are reported: once nothing has changed for a while. */
export interface Pace {
  /** How long a folder must stay unchanged, so that a file that is still being copied is not read. */
  quietMs: number
  /** How often a folder is checked even if the system reports no change, as on network drives. */
  lookMs: number
}

const PACE: Pace = { quietMs: 1_000, lookMs: 30_000 }
/** An archive in a watched folder is a separate export. */
const ARCHIVE = /\.(zip|tar|tgz|gz)$/i

/**
 * The paths in a folder that are new or changed since they were last returned, initially all of them: the folder itself
 * for its files, and each archive in it. Ends when it is stopped.
 */
export async function* changedPaths(
  folder: string,
  stop: AbortSignal,
  { quietMs, lookMs }: Pace = PACE,
): AsyncGenerator<string> {
  const known = new Map<string, string>()
  const changes = new Changes(folder)
  try {
    while (!stop.aborted) {
      const before = await stampsIn(folder)
      await sleep(quietMs, undefined, { signal: stop })
      const stamps = await stampsIn(folder)
      if (sameStamps(before, stamps)) {
        for (const [path, stamp] of stamps) {
          if (known.get(path) === stamp) continue
          known.set(path, stamp)
          yield path
        }
        await changes.next(lookMs, stop)
      }
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
  } finally {
    changes.close()
  }
}

export async function assertFolder(path: string, usage: string): Promise<void> {
  const info = await stat(path).catch(() => null)
  if (!info?.isDirectory())
    throw new ExitError(`Watching needs a folder, and ${path} is not one.`, usage, EXIT_FAILURE)
}

/** A stamp of each path's content: names, sizes and times. */
async function stampsIn(folder: string): Promise<Map<string, string>> {
  await using source = await openFolder(folder)
  const stamps = new Map<string, string>()
  const rest = createHash('sha256')
  let files = 0
  for (const { path, size, modified_at } of source.files) {
    const stamp = `${path}\n${size}\n${modified_at}\n`
    if (ARCHIVE.test(path)) stamps.set(join(folder, path), stamp)
    else {
      rest.update(stamp)
      files++
    }
  }
  if (files > 0) stamps.set(folder, rest.digest('base64url'))
  return stamps
}

function sameStamps(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, stamp]) => b.get(path) === stamp)
}

/**
 * Changes that the system reports for a folder. If it cannot report any, the folder is only checked from time to time.
 */
class Changes {
  readonly #watcher: ReturnType<typeof watch> | null = null
  #changed = false
  #wake: () => void = () => {}

  constructor(folder: string) {
    try {
      this.#watcher = watch(folder, { recursive: true })
      this.#watcher.on('change', () => {
        this.#changed = true
        this.#wake()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // The periodic check remains.
    }
  }

  /** Waits for a change since the last call, for a while, or until it is stopped. */
  async next(mostMs: number, stop: AbortSignal): Promise<void> {
    const over = new AbortController()
    this.#wake = () => over.abort()
    if (!this.#changed)
      await sleep(mostMs, undefined, { signal: AbortSignal.any([stop, over.signal]) }).catch(() => {})
    this.#changed = false
  }

  close(): void {
    this.#watcher?.close()
  }
}
