import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * A thread has to be told of the cache of compiled code before it loads anything. That is done in JavaScript: for a file
 * of TypeScript that is not in the cache, each thread would load Node's compiler, which takes 15 MB and stays.
 */
const BEGINNING = `
const { file, compileCache } = require('node:worker_threads').workerData
if (compileCache !== null) require('node:module').enableCompileCache(compileCache)
import(file)`

export function startThread(file: URL, resourceLimits: ResourceLimits): Worker {
  const workerData = { file: file.href, compileCache: compileCacheFolder() }
  return new Worker(BEGINNING, { eval: true, workerData, resourceLimits })
}

/** The folder that this thread keeps compiled code in, if it does; what is in use is a folder of this Node's in it. */
function compileCacheFolder(): string | null {
  const used = getCompileCacheDir()
  return used === undefined ? null : dirname(used)
}
