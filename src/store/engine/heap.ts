import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: object) => void

const collect = exposedCollect()

/** Flags apply to all threads, so another thread that starts at the same time may have taken this one back. */
function exposedCollect(): Collect {
  let exposed: Collect | undefined
  while (!exposed) {
    setFlagsFromString('--expose-gc')
    exposed = runInNewContext('globalThis.gc') as Collect | undefined
  }
  // Cached compiled code is reused only with the same flags.
  setFlagsFromString('--no-expose-gc')
  return exposed
}

/** The garbage of a line longer than this should not wait for the next collection. */
export const LARGE_CHARS = 8 * 1024 * 1024

const SETTLED_MS = 1_000
let again: NodeJS.Timeout | undefined

/**
 * Frees the memory of large garbage, which an idle thread would otherwise keep: once now, before more is needed, and
 * once when the call that produced it has ended.
 */
export function collectGarbage(): void {
  collectNow()
  clearTimeout(again)
  again = setTimeout(collectNow, SETTLED_MS).unref()
}

let collections = 0

export function collectNow(): void {
  // The engine keeps the last text that a pattern matched; a short match releases a long one.
  'x'.match(/x/)
  collect()
  collections++
}

const PASSED_BYTES = 2 * 1024 * 1024

/**
 * Counts bytes that pass through and are not kept, and collects their garbage every 2 MB, because the engine would collect
 * it late. A collection that another caller needed counts too.
 */
export function passingBytes(): (bytes: number) => void {
  let passed = 0
  let known = collections
  return bytes => {
    if (known !== collections) passed = 0
    known = collections
    passed += bytes
    if (passed >= PASSED_BYTES) collectNow()
  }
}

let isShrunk = false

/**
 * Frees as much memory as possible, including the young generation, which startup has made large. Only the first call
 * does this: it examines the whole heap, and nothing makes it that large again.
 */
export function shrinkHeap(): void {
  if (isShrunk) return
  isShrunk = true
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Half of the size of the young generation, and how often it is checked. */
export interface YoungSpace {
  megabytes: number
  /** Half of the size in the threads that are started from now on. */
  ofWorkers: number
  lookMs: number
}

const OF_A_SERVER: YoungSpace = { megabytes: 8, ofWorkers: 4, lookMs: 1_000 }
/** With its initial size of 1 MB, garbage collection takes a quarter of the time of an import. */
export const OF_AN_IMPORT: YoungSpace = { megabytes: 4, ofWorkers: 4, lookMs: 20 }

/** Whether the launcher limited the young generation of the main thread. */
const IS_LIMITED = process.execArgv.some(flag => flag.startsWith('--max-semi-space-size'))

let modest = 0
let isGrown = false

/**
 * Keeps the young generation of this thread small. Under load it would grow to more than 100 MB, which saves no time:
 * the objects of a request are dead when the next requests arrive. The flag that stops its growth applies to all
 * threads, so workers start with the size that they may grow to.
 */
export function limitYoungSpace({ megabytes, ofWorkers, lookMs }: YoungSpace): Disposable {
  setFlagsFromString(`--min-semi-space-size=${ofWorkers}`)
  // The launcher's limit is for this thread. As a flag it would replace the limits that workers are started with.
  setFlagsFromString('--max-semi-space-size=0')
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    isGrown = !IS_LIMITED && (space?.space_size ?? 0) >= 2 * megabytes * 1024 * 1024
    setGrowth()
  }
  const looking = setInterval(look, lookMs).unref()
  return { [Symbol.dispose]: () => clearInterval(looking) }
}

/** How much a heap may grow between two collections; V8 would let it grow to four times its size. */
const GROWTH_PERCENT = 25
/** A thread is idle if it was busy for less than this share of the time, in this many consecutive checks. */
const IDLE_SHARE = 0.02
const IDLE_LOOKS = 10
/** Freeing less than this is not worth a collection. */
const WORTH_BYTES = 4 * 1024 * 1024

/** Keeps the heap of a server small: while it works, and by a collection when its main thread has become idle. */
export function keepHeapSmall(): Disposable {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const young = limitYoungSpace(OF_A_SERVER)
  let before = performance.eventLoopUtilization()
  let idleLooks = 0
  let kept = 0
  const look = () => {
    const now = performance.eventLoopUtilization()
    idleLooks = performance.eventLoopUtilization(now, before).utilization < IDLE_SHARE ? idleLooks + 1 : 0
    before = now
    if (idleLooks < IDLE_LOOKS || getHeapStatistics().used_heap_size < kept + WORTH_BYTES) return
    if (isShrunk) collectNow()
    else shrinkHeap()
    kept = getHeapStatistics().used_heap_size
  }
  const looking = setInterval(look, OF_A_SERVER.lookMs).unref()
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
 * Runs work that reads a lot of text but keeps none of it. Meanwhile the young generation does not grow; it would
 * otherwise grow with every megabyte read, which costs memory and saves no time.
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
