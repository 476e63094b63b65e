import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
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

/** The space for young objects of the main thread stops growing at this size. */
const MOST_YOUNG_BYTES = 16 * 1024 * 1024
/** Of half of the space of a worker, which it has from its start: the flag below holds for all threads. */
const WORKER_SEMI_SPACE_MEGABYTES = 8
const LOOK_MS = 1_000

let modest = 0
let isGrown = false

/**
 * Keeps the space for young objects of this thread small. Under load it would grow to more than 100 MB, which save no
 * time: what a request leaves behind is dead when the next ones come.
 */
export function limitYoungSpace(lookMs = LOOK_MS): Disposable {
  setFlagsFromString(`--min-semi-space-size=${WORKER_SEMI_SPACE_MEGABYTES}`)
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    isGrown = (space?.space_size ?? 0) >= MOST_YOUNG_BYTES
    setGrowth()
  }
  const looking = setInterval(look, lookMs).unref()
  return { [Symbol.dispose]: () => clearInterval(looking) }
}

function setGrowth(): void {
  setFlagsFromString(`--semi-space-growth-factor=${modest > 0 || isGrown ? 1 : 2}`)
}

/**
 * Runs work that goes through much text but keeps none of it. Meanwhile the heap's space for young objects does not
 * grow, as it would with every megabyte read; that would cost memory and save no time.
 */
export async function withModestHeap<T>(work: () => Promise<T>): Promise<T> {
  modest++
  setGrowth()
  try {
    return await work()
  } finally {
    modest--
    setGrowth()
  }
}
