import { glob } from 'node:fs/promises'
import { basename } from 'node:path'
import { figuresTable } from './figures.ts'
import { runFiles } from './run-files.ts'

/** Runs the whole suite in two processes side by side. */
const SLOWEST_SHOWN = 10

/** Seconds of the files that take long, on two quiet cores. They only decide which half runs a file. */
const LONG: Readonly<Record<string, number>> = {
  'hidden.test.ts': 66,
  'cli.test.ts': 43,
  'grant-property.test.ts': 43,
  'kill.test.ts': 42,
  'documented-commands.test.ts': 36,
  'answers.test.ts': 36,
  'import-kill.test.ts': 32,
  'import.test.ts': 30,
  'import-large-mail.test.ts': 27,
  'large-field.test.ts': 26,
  'ledger-kill.test.ts': 25,
  'stopping.test.ts': 24,
  'pending-requests.test.ts': 20,
  'mcp-printed-calls.test.ts': 20,
  'import-memory.test.ts': 20,
  'attack.test.ts': 20,
  'examples.test.ts': 19,
  'browser-console.test.ts': 19,
  'browser-consent.test.ts': 18,
  'pdpp-conformance.test.ts': 18,
  'mcp-transports.test.ts': 16,
  'search-edges.test.ts': 16,
  'mcp-conformance.test.ts': 16,
  'door.test.ts': 15,
  'mcp-fuzz.test.ts': 15,
  'package.test.ts': 15,
  'hidden-changes.test.ts': 14,
  'sign-in.test.ts': 14,
  'samples.test.ts': 14,
  'records.test.ts': 14,
  'search-parity.test.ts': 14,
  'removal.test.ts': 14,
  'authorization.test.ts': 13,
  'bad-input.test.ts': 13,
  'fairness.test.ts': 12,
  'search.test.ts': 12,
  'running-server.test.ts': 12,
  'doctor.test.ts': 11,
  'finding.test.ts': 11,
  'mcp-apps.test.ts': 11,
  'workers.test.ts': 11,
  'aggregate-query.test.ts': 10,
  'mcp-budgets.test.ts': 10,
  'ingest.test.ts': 10,
  'apps.test.ts': 10,
  'consent.test.ts': 10,
  'reading-commands.test.ts': 10,
  'mcp-hostile.test.ts': 9,
  'ledger-chain.test.ts': 9,
  'console.test.ts': 8,
  'mcp-plain-server.test.ts': 8,
  'connect-stdio.test.ts': 8,
  'provenance.test.ts': 8,
  'core-consent.test.ts': 8,
  'mcp-stdio.test.ts': 8,
  'console-import.test.ts': 8,
  'import-kinds.test.ts': 8,
  'step-up.test.ts': 8,
}

/** Of the other files, on average. */
const USUAL = 2

async function halves(): Promise<string[][]> {
  const files = await Array.fromAsync(glob(['src/**/*.test.ts', 'test/**/*.test.ts']))
  const seconds = (file: string) => LONG[basename(file)] ?? USUAL
  const split = [
    { files: [] as string[], seconds: 0 },
    { files: [] as string[], seconds: 0 },
  ]
  for (const file of files.sort((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1))) {
    const half = split.reduce((least, each) => (each.seconds < least.seconds ? each : least))
    half.files.push(file)
    half.seconds += seconds(file)
  }
  return split.map(half => half.files.sort())
}

const ended = await Promise.all((await halves()).map(runFiles))
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
  `\nSlowest files (the halves took ${totals.join(' and ')} s):\n${lines.join('\n')}\n` +
    `\nBoth halves: ${sum('tests')} tests, ${sum('pass')} pass, ${sum('fail')} fail, ${sum('skipped')} skipped\n`,
)
const figures = ended.flatMap(half => half.figures)
if (process.env.FOOTNOTE_PROVE === '1') process.stdout.write(`\nFaults:\n${figuresTable(figures)}`)
process.exitCode = ended.every(({ passed }) => passed) ? 0 : 1
