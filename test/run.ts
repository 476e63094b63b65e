import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs the whole suite in two processes side by side; the files of each run one after the other, in one process. Each
 * has a folder of its own for temporary files, where the browser is unpacked too. The many commands that tests start
 * share one cache of compiled code.
 */
const HALVES = 2
const COMPILED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'tests')
const FILES = ['src/**/*.test.ts', 'test/**/*.test.ts']

const runs = Array.from({ length: HALVES }, async (_, index) => {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    '--test',
    '--test-isolation=none',
    `--test-shard=${index + 1}/${HALVES}`,
  ]
  const folder = await mkdtemp(join(tmpdir(), 'footnote-tests-'))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(folder, 0o755)
  const child = spawn(process.execPath, [...flags, ...FILES], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder, NODE_COMPILE_CACHE: COMPILED },
  })
  const said: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.push(text)
    process.stdout.write(text)
  })
  const [code] = await once(child, 'close')
  await rm(folder, { recursive: true, force: true })
  return { code: code ?? 1, said: said.join('') }
})
const ended = await Promise.all(runs)
const sum = (what: string) =>
  ended.reduce(
    (total, { said }) => total + Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(said)?.[1] ?? 0),
    0,
  )
process.stdout.write(
  `\nBoth halves: ${sum('tests')} tests, ${sum('pass')} pass, ${sum('fail')} fail, ${sum('skipped')} skipped\n`,
)
process.exitCode = ended.find(({ code }) => code !== 0)?.code ?? 0
