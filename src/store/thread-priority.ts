import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/**
 * How much each thread yields to the main one, which answers small reads. A scan yields less than a write, because
 * somebody waits for it.
 */
const NICER = { reader: 5, writer: 10, analyst: 10 }

/** Lets others go before this thread. Only Linux has priorities of threads; elsewhere this does nothing. */
export function yieldToOthers(role: keyof typeof NICER): void {
  if (process.platform !== 'linux' || isMainThread) return
  const niceness = getPriority(process.pid) + NICER[role]
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.min(niceness, constants.priority.PRIORITY_LOW))
  } catch {
    // A container may have no /proc, or may not allow it.
  }
}
