import type { Worker } from 'node:worker_threads'
import { startThread } from '../start-thread.ts'

/** Size of the young generation: the garbage of a scan is collected early instead of piling up. */
const YOUNG_MEGABYTES = 12
const MOST_SPARE = 4

/**
 * Threads that closed their store, kept for the next one with the same limit. A thread takes much longer to load its
 * code than to open a store.
 */
const spare = new Set<{ worker: Worker; heapMegabytes: number; forget(): void }>()

export function takeThread(heapMegabytes: number): Worker {
  const found = [...spare].find(thread => thread.heapMegabytes === heapMegabytes)
  if (!found) return newThread(heapMegabytes)
  found.forget()
  return found.worker.off('error', found.forget).off('exit', found.forget)
}

export function keepThread(worker: Worker, heapMegabytes: number): void {
  if (spare.size >= MOST_SPARE) {
    worker.terminate()
    return
  }
  const kept = { worker, heapMegabytes, forget: () => void spare.delete(kept) }
  spare.add(kept)
  worker.on('error', kept.forget).on('exit', kept.forget).unref()
}

function newThread(heapMegabytes: number): Worker {
  const file = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js'
  const limits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES, maxOldGenerationSizeMb: heapMegabytes }
  return startThread(new URL(file, import.meta.url), limits)
}
