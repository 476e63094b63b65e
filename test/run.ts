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
  'package.test.ts': 15,
  'cli.test.ts': 14,
  'attack.test.ts': 13,
  'documented-commands.test.ts': 13,
  'stopping.test.ts': 12,
  'browser-consent.test.ts': 11,
  'browser-console.test.ts': 11,
  'door.test.ts': 11,
  'hidden.test.ts': 11,
  'large-field.test.ts': 11,
  'ledger-kill.test.ts': 11,
  'mcp-conformance.test.ts': 11,
  'authorization.test.ts': 10,
  'search-edges.test.ts': 10,
  'kill.test.ts': 9,
  'mcp-stdio.test.ts': 9,
  'records.test.ts': 9,
  'search.test.ts': 9,
  'consent.test.ts': 8,
  'finding.test.ts': 8,
  'hidden-changes.test.ts': 8,
  'hidden-twins.test.ts': 8,
  'running-server.test.ts': 8,
  'bad-input.test.ts': 7,
  'changes.test.ts': 7,
  'extraction.test.ts': 7,
  'import-kill.test.ts': 7,
  'pdpp-conformance.test.ts': 7,
  'removal.test.ts': 7,
  'aggregate.test.ts': 6,
  'apps.test.ts': 6,
  'browser-passkeys.test.ts': 6,
  'console-apps.test.ts': 6,
  'doctor.test.ts': 6,
  'heap.test.ts': 6,
  'mcp-nothing-found.test.ts': 6,
  'workers.test.ts': 6,
  'aggregate-query.test.ts': 5,
  'answers.test.ts': 5,
  'authorization-hostile.test.ts': 5,
  'browser-document.test.ts': 5,
  'client-journey.test.ts': 5,
  'connect-stdio.test.ts': 5,
  'core-consent.test.ts': 5,
  'grant-property.test.ts': 5,
  'hidden-search.test.ts': 5,
  'import-large-mail.test.ts': 5,
  'import-memory.test.ts': 5,
  'mcp-apps.test.ts': 5,
  'mcp-budgets.test.ts': 5,
  'pending-requests.test.ts': 5,
  'prepared-statements.test.ts': 5,
  'published-clients.test.ts': 5,
  'search-parity.test.ts': 5,
  'attachment-text.test.ts': 4,
  'backup-during-writes.test.ts': 4,
  'consent-known.test.ts': 4,
  'console-demo.test.ts': 4,
  'console-hostile.test.ts': 4,
  'console-weeks.test.ts': 4,
  'conversation.test.ts': 4,
  'import-names.test.ts': 4,
  'importers-chatgpt.test.ts': 4,
  'importers-killed.test.ts': 4,
  'importers-twice.test.ts': 4,
  'ledger-chain.test.ts': 4,
  'mcp-fuzz.test.ts': 4,
  'mcp-hostile.test.ts': 4,
  'mcp-plain-server.test.ts': 4,
  'mcp-printed-calls.test.ts': 4,
  'mcp-read-record-field.test.ts': 4,
  'refresh-tokens.test.ts': 4,
  'reindex.test.ts': 4,
  'samples.test.ts': 4,
  'search-by-time.test.ts': 4,
  'console-people.test.ts': 3,
  'console-search.test.ts': 3,
  'console.test.ts': 3,
  'export.test.ts': 3,
  'fairness.test.ts': 3,
  'field-window.test.ts': 3,
  'grants.test.ts': 3,
  'hidden-load.test.ts': 3,
  'import.test.ts': 3,
  'lexical-profile.test.ts': 3,
  'literal.test.ts': 3,
  'mcp-provider.test.ts': 3,
  'mcp-transports.test.ts': 3,
  'meaning.test.ts': 3,
  'migrations.test.ts': 3,
  'ocr.test.ts': 3,
  'open-routes-flood.test.ts': 3,
  'races.test.ts': 3,
  'reading-commands.test.ts': 3,
  'search-clauses.test.ts': 3,
  'sign-in-explained.test.ts': 3,
  'sign-in.test.ts': 3,
  'step-up.test.ts': 3,
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
