import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: object) => void
// Compiled code that is kept is used again only while the flags are the same.
setFlagsFromString('--no-expose-gc')

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

let isShrunk = false

/**
 * Gives back all that can be given, the space for young objects included, which a start has made large. Only the first
 * call does: it looks at the whole heap, and nothing makes it so large again.
 */
export function shrinkHeap(): void {
  if (isShrunk) return
  isShrunk = true
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Half of the space for young objects, and how often its size is looked at. */
export interface YoungSpace {
  megabytes: number
  lookMs: number
}

const OF_A_SERVER: YoungSpace = { megabytes: 8, lookMs: 1_000 }
/** With the 1 MB that it begins with, a quarter of the time of an import is spent on collecting. */
export const OF_AN_IMPORT: YoungSpace = { megabytes: 4, lookMs: 20 }

let modest = 0
let isGrown = false

/**
 * Keeps the space for young objects of this thread small. Under load it would grow to more than 100 MB, which save no
 * time: what a request leaves behind is dead when the next ones come. The flag that stops its growth holds for all
 * threads, so workers get the size that they may grow to from their start.
 */
export function limitYoungSpace({ megabytes, lookMs }: YoungSpace = OF_A_SERVER): Disposable {
  setFlagsFromString(`--min-semi-space-size=${megabytes}`)
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    isGrown = (space?.space_size ?? 0) >= 2 * megabytes * 1024 * 1024
    setGrowth()
  }
  const looking = setInterval(look, lookMs).unref()
  return { [Symbol.dispose]: () => clearInterval(looking) }
}

/** By so much a heap may grow after a collection until the next one; V8 would let it grow to four times its size. */
const GROWTH_PERCENT = 50
/** A thread is idle if it was busy for less than this share of the time, at so many looks one after the other. */
const IDLE_SHARE = 0.02
const IDLE_LOOKS = 10
/** Less than this is not worth a collection. */
const WORTH_BYTES = 4 * 1024 * 1024

/** Keeps the heap of a server small: while it works, and by a collection when its main thread has become idle. */
export function keepHeapSmall(lookMs = OF_A_SERVER.lookMs): Disposable {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const young = limitYoungSpace({ ...OF_A_SERVER, lookMs })
  let before = performance.eventLoopUtilization()
  let idleLooks = 0
  let kept = 0
  const look = () => {
    const now = performance.eventLoopUtilization()
    idleLooks = performance.eventLoopUtilization(now, before).utilization < IDLE_SHARE ? idleLooks + 1 : 0
    before = now
    if (idleLooks < IDLE_LOOKS || getHeapStatistics().used_heap_size < kept + WORTH_BYTES) return
    shrinkHeap()
    kept = getHeapStatistics().used_heap_size
  }
  const looking = setInterval(look, lookMs).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(looking)
      young[Symbol.dispose]()
    },
  }
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
