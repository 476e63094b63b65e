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

/** How many seconds the slow files take on two idle cores. This only decides which process runs a file. */
const LONG: Readonly<Record<string, number>> = {
  'documented-commands.test.ts': 29,
  'kill.test.ts': 27,
  'hidden.test.ts': 26,
  'large-field.test.ts': 23,
  'package.test.ts': 21,
  'cli.test.ts': 20,
  'ledger-kill.test.ts': 21,
  'mcp-conformance.test.ts': 18,
  'stopping.test.ts': 18,
  'grant-property.test.ts': 18,
  'mcp-fuzz.test.ts': 16,
  'removal.test.ts': 16,
  'browser-consent.test.ts': 16,
  'search.test.ts': 16,
  'hidden-changes.test.ts': 14,
  'door.test.ts': 14,
  'finding.test.ts': 14,
  'records.test.ts': 14,
  'mcp-printed-calls.test.ts': 13,
  'pdpp-conformance.test.ts': 13,
  'bad-input.test.ts': 13,
  'authorization.test.ts': 12,
  'authorization-hostile.test.ts': 12,
  'attack.test.ts': 12,
  'mcp-apps.test.ts': 11,
  'mcp-budgets.test.ts': 11,
  'import-kill.test.ts': 11,
  'browser-console.test.ts': 11,
  'consent.test.ts': 11,
  'doctor.test.ts': 11,
  'console-activity.test.ts': 10,
  'aggregate.test.ts': 10,
  'mcp-transports.test.ts': 10,
  'pending-requests.test.ts': 10,
  'workers.test.ts': 10,
  'answers.test.ts': 10,
  'importers-twice.test.ts': 10,
  'mcp-hostile.test.ts': 10,
  'mcp-stdio.test.ts': 10,
  'import-large-mail.test.ts': 10,
  'import-memory.test.ts': 9,
  'core-consent.test.ts': 9,
  'mcp-plain-server.test.ts': 8,
  'running-server.test.ts': 8,
  'import-watch.test.ts': 8,
  'console-import.test.ts': 8,
  'changes.test.ts': 8,
  'mcp-grant.test.ts': 8,
  'browser-core.test.ts': 8,
  'ledger-chain.test.ts': 8,
  'reading-commands.test.ts': 8,
  'console.test.ts': 8,
  'published-clients.test.ts': 8,
  'sign-in.test.ts': 7,
  'importers-chatgpt.test.ts': 7,
  'examples.test.ts': 7,
  'mcp-read-record-field.test.ts': 7,
  'mcp-research.test.ts': 7,
  'browser-evidence.test.ts': 7,
  'samples.test.ts': 7,
  'search-edges.test.ts': 6,
  'import.test.ts': 6,
  'connect-stdio.test.ts': 6,
  'mcp-nothing-found.test.ts': 6,
  'importers-killed.test.ts': 6,
  'fairness.test.ts': 6,
  'mcp-provider.test.ts': 6,
  'aggregate-query.test.ts': 6,
  'apps.test.ts': 6,
  'refresh-tokens.test.ts': 6,
  'prepared-statements.test.ts': 6,
  'budgets.test.ts': 6,
  'conversation.test.ts': 6,
  'ocr.test.ts': 6,
  'export.test.ts': 5,
  'step-up.test.ts': 5,
  'attachment-text.test.ts': 5,
  'mcp-sources.test.ts': 5,
  'mcp-ladder.test.ts': 5,
  'heap.test.ts': 5,
  'reindex.test.ts': 5,
  'ingest.test.ts': 5,
  'extraction.test.ts': 5,
  'ledger.test.ts': 5,
  'console-people.test.ts': 5,
  'search-by-time.test.ts': 5,
  'literal.test.ts': 5,
  'races.test.ts': 5,
}

/** The average of the other files. */
const USUAL = 1.2

async function parts(): Promise<string[][]> {
  const files = await Array.fromAsync(glob(['src/**/*.test.ts', 'test/**/*.test.ts']))
  const seconds = (file: string) => LONG[basename(file)] ?? USUAL
  const split = Array.from({ length: PROCESSES }, () => ({ files: [] as string[], seconds: 0 }))
  for (const file of files.sort((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1))) {
    const part = split.reduce((least, each) => (each.seconds < least.seconds ? each : least))
    part.files.push(file)
    part.seconds += seconds(file)
  }
  return split.map(part => part.files.sort())
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
