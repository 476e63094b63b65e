import { glob } from 'node:fs/promises'
import { basename } from 'node:path'
import { figuresTable } from './figures.ts'
import { runFiles } from './run-files.ts'

const PROVING = process.env.FOOTNOTE_PROVE === '1'

/**
 * Runs the whole suite in processes side by side: one more than the cores that it must do with, because tests wait. Where
 * times are measured, there is none more.
 */
const PROCESSES = PROVING ? 2 : 3
const SLOWEST_SHOWN = 10

/** Seconds of the files that take long, on two quiet cores. They only decide which process runs a file. */
const LONG: Readonly<Record<string, number>> = {
  'cli.test.ts': 20,
  'kill.test.ts': 18,
  'package.test.ts': 18,
  'documented-commands.test.ts': 17,
  'large-field.test.ts': 15,
  'mcp-conformance.test.ts': 14,
  'hidden.test.ts': 14,
  'ledger-kill.test.ts': 14,
  'stopping.test.ts': 14,
  'browser-consent.test.ts': 13,
  'grant-property.test.ts': 13,
  'mcp-stdio.test.ts': 13,
  'mcp-printed-calls.test.ts': 12,
  'removal.test.ts': 12,
  'workers.test.ts': 11,
  'hidden-changes.test.ts': 11,
  'pdpp-conformance.test.ts': 11,
  'importers-killed.test.ts': 10,
  'samples.test.ts': 10,
  'browser-console.test.ts': 10,
  'attack.test.ts': 9,
  'mcp-budgets.test.ts': 9,
  'door.test.ts': 9,
  'importers-twice.test.ts': 8,
  'console-import.test.ts': 8,
  'bad-input.test.ts': 8,
  'mcp-apps.test.ts': 8,
  'import-large-mail.test.ts': 8,
  'records.test.ts': 8,
  'import-watch.test.ts': 8,
  'running-server.test.ts': 8,
  'import-kill.test.ts': 7,
  'apps.test.ts': 7,
  'provenance.test.ts': 7,
  'mcp-plain-server.test.ts': 7,
  'ocr.test.ts': 7,
  'import-memory.test.ts': 7,
  'search-edges.test.ts': 7,
  'mcp-hostile.test.ts': 7,
  'finding.test.ts': 7,
  'answers.test.ts': 6,
  'search.test.ts': 6,
  'importers-chatgpt.test.ts': 6,
  'doctor.test.ts': 6,
  'reading-commands.test.ts': 6,
  'search-by-time.test.ts': 6,
  'mcp-fuzz.test.ts': 6,
  'mcp-transports.test.ts': 6,
  'authorization.test.ts': 6,
  'mcp-grant.test.ts': 6,
  'aggregate-query.test.ts': 5,
  'sync-imap-dovecot.test.ts': 5,
  'ledger-chain.test.ts': 5,
  'mcp-provider.test.ts': 5,
  'consent.test.ts': 5,
  'importers-markdown.test.ts': 5,
  'ingest.test.ts': 5,
  'pending-requests.test.ts': 5,
  'search-parity.test.ts': 5,
  'import.test.ts': 4,
  'sign-in.test.ts': 4,
  'examples.test.ts': 4,
}

/** The average of the other files. */
const USUAL = 1.5

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

const ended = await Promise.all((await parts()).map(runFiles))
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
