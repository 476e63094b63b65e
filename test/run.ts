import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename } from 'node:path'
import { figuresTable } from './figures.ts'
import { PROVING } from './limits.ts'
import { runFiles } from './run-files.ts'

/**
 * Runs the whole suite in parallel processes: two more than there are cores, because tests often wait. If times are
 * measured, there are no extra ones.
 */
const PROCESSES = PROVING ? 2 : 4
const SLOWEST_SHOWN = 10

/** How many seconds of processor time the slow files take. This only decides which process runs a file. */
const LONG: Readonly<Record<string, number>> = {
  'hidden.test.ts': 14,
  'browser-consent.test.ts': 9,
  'browser-console.test.ts': 9,
  'documented-commands.test.ts': 9,
  'search-edges.test.ts': 9,
  'stopping.test.ts': 9,
  'pdpp-conformance.test.ts': 8,
  'finding.test.ts': 7,
  'hidden-changes.test.ts': 7,
  'mcp-stdio.test.ts': 7,
  'records.test.ts': 7,
  'attack.test.ts': 6,
  'changes.test.ts': 6,
  'cli.test.ts': 6,
  'consent.test.ts': 6,
  'grant-property.test.ts': 6,
  'import-memory.test.ts': 6,
  'kill.test.ts': 6,
  'large-field.test.ts': 6,
  'mcp-nothing-found.test.ts': 6,
  'removal.test.ts': 6,
  'aggregate.test.ts': 5,
  'door.test.ts': 5,
  'hidden-capped.test.ts': 5,
  'hidden-search.test.ts': 5,
  'ledger-kill.test.ts': 5,
  'mcp-conformance.test.ts': 5,
  'search.test.ts': 5,
  'workers.test.ts': 5,
  'authorization.test.ts': 4,
  'bad-input.test.ts': 4,
  'extraction.test.ts': 4,
  'heap.test.ts': 4,
  'hidden-load.test.ts': 4,
  'import-kill.test.ts': 4,
  'import-large-mail.test.ts': 4,
  'importers-chatgpt.test.ts': 4,
  'importers-twice.test.ts': 4,
  'mcp-budgets.test.ts': 4,
  'mcp-hostile.test.ts': 4,
  'mcp-plain-server.test.ts': 4,
  'package.test.ts': 4,
  'pending-requests.test.ts': 4,
  'reading-commands.test.ts': 4,
  'reindex.test.ts': 4,
  'search-by-time.test.ts': 4,
  'aggregate-query.test.ts': 3,
  'apps.test.ts': 3,
  'browser-passkeys.test.ts': 3,
  'console-activity.test.ts': 3,
  'console-apps.test.ts': 3,
  'console-import.test.ts': 3,
  'console-people.test.ts': 3,
  'console-search.test.ts': 3,
  'console.test.ts': 3,
  'conversation.test.ts': 3,
  'examples.test.ts': 3,
  'export.test.ts': 3,
  'fairness.test.ts': 3,
  'import-names.test.ts': 3,
  'ledger-chain.test.ts': 3,
  'ledger.test.ts': 3,
  'mcp-fuzz.test.ts': 3,
  'mcp-grant.test.ts': 3,
  'mcp-provider.test.ts': 3,
  'ocr.test.ts': 3,
  'prepared-statements.test.ts': 3,
  'races.test.ts': 3,
  'refresh-tokens.test.ts': 3,
  'running-server.test.ts': 3,
  'samples.test.ts': 3,
  'search-parity.test.ts': 3,
  'sign-in.test.ts': 3,
  'answers.test.ts': 2,
  'importers-killed.test.ts': 2,
  'step-up.test.ts': 2,
}

/** The average of the other files. */
const USUAL = 0.7

/** A browser is unpacked and started once for each process that uses it, so only the first one does. */
const usesBrowser = (file: string) => /from '\.\/browser\.ts'/.test(readFileSync(file, 'utf8'))

async function parts(): Promise<string[][]> {
  const files = await Array.fromAsync(glob(['src/**/*.test.ts', 'test/**/*.test.ts']))
  const seconds = (file: string) => LONG[basename(file)] ?? USUAL
  const total = (part: readonly string[]) => part.reduce((sum, file) => sum + seconds(file), 0)
  const { browser = [], other = [] } = Object.groupBy(files, file =>
    usesBrowser(file) ? 'browser' : 'other',
  )
  const split = [browser, ...Array.from({ length: PROCESSES - 1 }, (): string[] => [])]
  for (const file of other.sort((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1))) {
    split.reduce((least, each) => (total(each) < total(least) ? each : least)).push(file)
  }
  return split.map(part => part.sort())
}

const ended = await Promise.all((await parts()).map(files => runFiles(files)))
const sum = (what: string) =>
  ended.reduce(
    (total, { said }) => total + Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(said)?.[1] ?? 0),
    0,
  )
const times = ended.flatMap(({ seconds }) => Object.entries(seconds)).sort(([, a], [, b]) => b - a)
const lines = times.slice(0, SLOWEST_SHOWN).map(([file, s]) => `${s.toFixed(1).padStart(6)} s  ${file}`)
const totals = ended.map(({ seconds }) =>
  Object.values(seconds)
    .reduce((a, b) => a + b, 0)
    .toFixed(0),
)
process.stdout.write(
  `\nSlowest files (the processes took ${totals.join(', ')} s):\n${lines.join('\n')}\n` +
    `\nAll processes: ${sum('tests')} tests, ${sum('pass')} pass, ${sum('fail')} fail, ${sum('skipped')} skipped\n`,
)
const figures = ended.flatMap(part => part.figures)
if (PROVING) process.stdout.write(`\nFaults:\n${figuresTable(figures)}`)
process.exitCode = ended.every(({ passed }) => passed) ? 0 : 1
