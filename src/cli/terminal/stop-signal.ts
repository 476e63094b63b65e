import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Starter } from '../config.ts'

const LOOK_MS = 500
/** A process that is still running this long after it was asked to stop is ended. */
const LONGEST_END_MS = 10_000

/**
 * A signal that is aborted when the process is asked to stop: by SIGINT, by SIGTERM, or because npm was asked. npm
 * passes a signal on to the shell that runs the script, and some shells end without passing it on. So a process started
 * by npm also stops when its parent has ended.
 */
export function stopSignal({ startedByNpm, ownScript }: Starter): AbortSignal {
  const stop = new AbortController()
  const ask = () => {
    if (stop.signal.aborted) return
    stop.abort()
    setTimeout(() => process.exit(1), LONGEST_END_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask)
  if (startedByNpm) {
    const parent = process.ppid
    if (ownScript !== null && !runsScript(parent, ownScript)) ask()
    setInterval(() => {
      if (process.ppid !== parent) ask()
    }, LOOK_MS).unref()
  }
  return stop.signal
}

export async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/**
 * Whether a process is the shell that runs an npm script, or npm itself. If that shell ended before this process
 * checked its parent, the parent is another process. On systems without /proc, the shell is replaced by the script.
 */
function runsScript(pid: number, script: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return line.includes(script) || /\bnpm\b/.test(line)
  } catch {
    return false
  }
}
