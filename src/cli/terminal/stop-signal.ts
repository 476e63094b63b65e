import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Starter } from '../config.ts'

const LOOK_MS = 500
/** A process that is still running this long after it was asked to stop is ended. */
const LONGEST_END_MS = 10_000

/**
 * A signal that is aborted when the process is asked to stop: by SIGINT, by SIGTERM, or because npm was asked. npm runs
 * a script in a shell, and passes signals on to that shell. The shell may end without passing them on, and npm may end
 * before it is ready to. So a process started by npm also stops when any process from its parent up to npm has ended.
 */
export function stopSignal({ startedByNpm, runsOwnScript }: Starter): AbortSignal {
  const stop = new AbortController()
  const ask = () => {
    if (stop.signal.aborted) return
    stop.abort()
    setTimeout(() => process.exit(1), LONGEST_END_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask)
  if (startedByNpm) {
    const parents = parentsUpToNpm()
    if (runsOwnScript && !parents.reachNpm) ask()
    setInterval(() => {
      if (!parents.areThere()) ask()
    }, LOOK_MS).unref()
  }
  return stop.signal
}

export async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** npm and programs like it, by their command lines: `npm start`, `node /usr/bin/pnpm start`. */
const NPM = /(?:^|\/)(?:p?npm|yarn|bun)(?:[-.]\w+)*(?: |$)/

interface Parents {
  /** Whether npm is among them. If it is not, it ended before this process looked. */
  reachNpm: boolean
  /** Whether they are all still running. A process whose parent ends gets another parent. */
  areThere(): boolean
}

/**
 * The parent of this process, its parent, and so on up to npm: a shell may be between. On systems without /proc only
 * the parent is known; there the shell is replaced by the script, so the parent is npm.
 */
function parentsUpToNpm(): Parents {
  const parents = [process.ppid]
  let isNpm = process.platform !== 'linux' || NPM.test(commandLineOf(process.ppid))
  for (let pid = parentOf(process.ppid); !isNpm && pid > 0; pid = parentOf(pid)) {
    parents.push(pid)
    isNpm = NPM.test(commandLineOf(pid))
  }
  const watched = isNpm ? parents : parents.slice(0, 1)
  return {
    reachNpm: isNpm,
    areThere: () =>
      watched.every((pid, index) => pid === (index === 0 ? process.ppid : parentOf(watched[index - 1] ?? 0))),
  }
}

function commandLineOf(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

/** The id of the parent of a process; 0 if there is none, or if the process has ended. */
function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
