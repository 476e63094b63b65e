import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figures } from './figures.ts'
import { SILENT_MS } from './limits.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The commands that tests start share one compile cache. */
const COMPILED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'tests')
const STOPPING_MS = 10_000
/**
 * With the small default heap of a thread, a sixth of the time is spent on garbage collection. So each thread has
 * more space for young objects, and old ones are collected only when there are many. Both sizes are in MB. The
 * collector uses no threads of its own, because the other processes need the cores.
 */
const MEMORY = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--initial-old-space-size=512',
  '--single-threaded-gc',
]
const PART = join(import.meta.dirname, 'run-part.ts')
const PRELOADED = join(import.meta.dirname, 'without-test-hook.ts')

export interface Ended {
  passed: boolean
  /** The output. */
  said: string
  /** Seconds by file. */
  seconds: Record<string, number>
  figures: Figures[]
}

/**
 * Runs test files one after the other in a separate process. It has its own folder for temporary files, where the
 * browser is unpacked too.
 */
export async function runFiles(
  files: readonly string[],
  show: (text: string) => void = text => process.stdout.write(text),
): Promise<Ended> {
  const folder = await mkdtemp(join(await temporaryFolder(), 'footnote-tests-'))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(folder, 0o755)
  const outcomes = join(folder, 'outcomes.json')
  const options = ['--disable-warning=ExperimentalWarning', ...MEMORY, '--import', PRELOADED]
  const child = spawn(process.execPath, [...options, PART, outcomes, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder, NODE_COMPILE_CACHE: COMPILED },
  })
  const said: string[] = []
  const silence = setTimeout(() => {
    process.stderr.write(
      `A process with tests printed nothing for ${SILENT_MS / 60_000} minutes. It is stopped.\n`,
    )
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), STOPPING_MS).unref()
  }, SILENT_MS)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.push(text)
    silence.refresh()
    show(text)
  })
  const [code] = await once(child, 'close')
  clearTimeout(silence)
  const written = await readFile(outcomes, 'utf8').catch(() => '{}')
  const { seconds = {}, figures = [] } = JSON.parse(written) as Partial<Ended>
  await rm(folder, { recursive: true, force: true })
  // A process that ends early, for example because of a signal, prints no summary, but its exit code may still be 0.
  const passed = code === 0 && /^ℹ fail 0$/m.test(said.join(''))
  return { passed, said: said.join(''), seconds, figures }
}
