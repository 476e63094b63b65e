import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: object) => void

/** Above this many characters a line is large enough that its leftovers should not wait for the next collection. */
export const LARGE_CHARS = 8 * 1024 * 1024

const SETTLED_MS = 1_000
let again: NodeJS.Timeout | undefined

/**
 * Gives the memory of large leftovers back; an idle thread would keep it. Once now, before more is needed, and once
 * when the call that left them is over.
 */
export function collectGarbage(): void {
  collectNow()
  clearTimeout(again)
  again = setTimeout(collectNow, SETTLED_MS).unref()
}

export function collectNow(): void {
  // The engine keeps the last text that a pattern matched; a short match lets go of a long one.
  'x'.match(/x/)
  collect()
}

/** Gives back all that can be given, the space for young objects included, which a start has made large. */
export function shrinkHeap(): void {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

let modest = 0

/**
 * Runs work that goes through much text but keeps none of it. Meanwhile the heap's space for young objects does not
 * grow, as it would with every megabyte read; that would cost memory and save no time.
 */
export async function withModestHeap<T>(work: () => Promise<T>): Promise<T> {
  if (modest++ === 0) setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await work()
  } finally {
    if (--modest === 0) setFlagsFromString('--semi-space-growth-factor=2')
  }
}
