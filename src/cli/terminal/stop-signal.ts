import { once } from 'node:events'
import type { Starter } from '../config.ts'
import { parentsUpToNpm } from './parents.ts'

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
