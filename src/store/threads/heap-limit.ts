import { totalmem } from 'node:os'

const MOST_MEGABYTES = { writer: 4_096, reader: 1_024 }
/** The share of the machine's memory that a worker's heap may take. */
const SHARE = { writer: 1 / 2, reader: 1 / 4 }
const LEAST_MEGABYTES = 128

/**
 * The size of the young generation. What a scan leaves behind is collected early instead of piling up. A search has
 * more of it: its candidates should be garbage before they count as old, because old garbage costs a full collection.
 */
export const YOUNG_MEGABYTES = { writer: 12, reader: 24 }

/** How large the heap of a worker may grow, in megabytes. See docs/decisions/13-workers-are-replaced.md. */
export function heapLimit(role: 'writer' | 'reader'): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const share = Math.floor((machine * SHARE[role]) / (1024 * 1024))
  return Math.max(LEAST_MEGABYTES, Math.min(MOST_MEGABYTES[role], share))
}
