import { enableCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

// Each thread has to be told of the cache, before it loads anything.
const { compileCache } = workerData as { compileCache: string | null }
if (compileCache !== null) enableCompileCache(compileCache)
await import('./thread.ts')
