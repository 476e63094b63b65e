import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * A thread must be given the compile cache before it loads anything. That is done in JavaScript: for a TypeScript file
 * that is not in the cache, each thread would load Node's compiler, which takes 15 MB and stays in memory.
 */
const BEGINNING = `
const { file, compileCache } = require('node:worker_threads').workerData
if (compileCache !== null) require('node:module').enableCompileCache(compileCache)
import(file)`

export function startThread(file: URL, resourceLimits: ResourceLimits): Worker {
  const workerData = { file: file.href, compileCache: compileCacheFolder() }
  return new Worker(BEGINNING, { eval: true, workerData, resourceLimits })
}

/** The folder in which this thread caches compiled code, if any. Node uses a subfolder for its own version. */
function compileCacheFolder(): string | null {
  const used = getCompileCacheDir()
  return used === undefined ? null : dirname(used)
}
