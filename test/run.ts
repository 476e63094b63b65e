import { glob } from 'node:fs/promises'
import { basename } from 'node:path'
import { figuresTable } from './figures.ts'
import { runFiles } from './run-files.ts'

/** Runs the whole suite in two processes side by side. */
const SLOWEST_SHOWN = 10

/** Seconds of the files that take long, on two quiet cores. They only decide which half runs a file. */
const LONG: Readonly<Record<string, number>> = {
  'hidden.test.ts': 30,
  'pending-requests.test.ts': 25,
  'cli.test.ts': 28,
  'ledger-kill.test.ts': 22,
  'mcp-transports.test.ts': 22,
  'documented-commands.test.ts': 22,
  'import.test.ts': 30,
  'records.test.ts': 25,
  'search.test.ts': 25,
  'search-edges.test.ts': 22,
  'reading-commands.test.ts': 28,
  'authorization.test.ts': 18,
  'import-kill.test.ts': 18,
  'mcp-grant.test.ts': 17,
  'mcp-stdio.test.ts': 13,
  'mcp-hostile.test.ts': 13,
  'samples.test.ts': 12,
  'pdpp-conformance.test.ts': 15,
  'mcp-conformance.test.ts': 12,
  'authorization-hostile.test.ts': 12,
  'large-field.test.ts': 20,
  'mcp-plain-server.test.ts': 11,
  'importers-twice.test.ts': 10,
  'importers-killed.test.ts': 10,
  'mcp-journeys.test.ts': 9,
  'owner-routes.test.ts': 9,
  'mcp-evidence.test.ts': 9,
  'mcp-read-record-field.test.ts': 9,
  'aggregate.test.ts': 9,
  'mcp-handles.test.ts': 8,
  'mcp-fuzz.test.ts': 8,
  'kill.test.ts': 15,
  'bad-input.test.ts': 8,
  'mcp-ladder.test.ts': 7,
  'browser-consent.test.ts': 7,
  'grant-property.test.ts': 15,
  'running-server.test.ts': 10,
  'removal.test.ts': 14,
  'apps.test.ts': 10,
}

async function halves(): Promise<string[][]> {
  const files = await Array.fromAsync(glob(['src/**/*.test.ts', 'test/**/*.test.ts']))
  const seconds = (file: string) => LONG[basename(file)] ?? 1
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
