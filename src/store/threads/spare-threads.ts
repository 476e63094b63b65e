import type { Worker } from 'node:worker_threads'
import { startThread } from '../start-thread.ts'
import type { ThreadRole } from './calls.ts'
import { YOUNG_MEGABYTES } from './heap-limit.ts'

const MOST_SPARE = 4

/** The limits of a thread's heap. */
export interface Heap {
  heapMegabytes: number
  role: ThreadRole
}

/**
 * Threads that closed their store, kept for the next one with the same limit. A thread takes much longer to load its
 * code than to open a store.
 */
const spare = new Set<Heap & { worker: Worker; forget(): void }>()

export function takeThread({ heapMegabytes, role }: Heap): Worker {
  const found = [...spare].find(thread => thread.heapMegabytes === heapMegabytes && thread.role === role)
  if (!found) return newThread({ heapMegabytes, role })
  found.forget()
  return found.worker.off('error', found.forget).off('exit', found.forget)
}

export function keepThread(worker: Worker, { heapMegabytes, role }: Heap): void {
  if (spare.size >= MOST_SPARE) {
    worker.terminate()
    return
  }
  const kept = { worker, heapMegabytes, role, forget: () => void spare.delete(kept) }
  spare.add(kept)
  worker.on('error', kept.forget).on('exit', kept.forget).unref()
}

function newThread({ heapMegabytes, role }: Heap): Worker {
  const file = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js'
  const limits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES[role], maxOldGenerationSizeMb: heapMegabytes }
  return startThread(new URL(file, import.meta.url), limits)
}
