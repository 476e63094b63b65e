import { stopPostgres } from '../test/postgres.ts'
import { calibrate } from './calibration.ts'
import { assertScoped, loadDocuments, loadMail, useOnce } from './load.ts'
import { HELP, type Options, readOptions, UsageError } from './options.ts'
import type { Engine } from './place.ts'
import { machine, type Run, writeReport } from './report.ts'
import type { Result } from './result.ts'
import { startRig } from './rig.ts'
import { ROWS } from './rows.ts'
import { table } from './table.ts'

const EXIT_FAILURE = 1
const EXIT_USAGE = 64
const EXIT_INTERRUPTED = 130

const note = (text: string) => process.stderr.write(`${text}\n`)

async function measure(engine: Engine, { only, size }: Options): Promise<Result[]> {
  const wanted = ROWS.filter(
    ({ name }) => only?.some(part => name.toLowerCase().includes(part.toLowerCase())) ?? true,
  )
  if (wanted.length === 0)
    throw new UsageError(`No row is named ${only?.join(', ')}: ${ROWS.map(row => row.name).join(', ')}.`)
  note(`${engine}: loading ${size.records.toLocaleString('en')} records and documents up to 100 MB`)
  await useOnce(engine, size)
  await using rig = await startRig(engine, size)
  const load = await loadMail(
    rig,
    wanted.some(row => row.name === 'ingest'),
  )
  await loadDocuments(rig)
  await rig.place.settle()
  await assertScoped(rig)
  const results: Result[] = []
  for (const row of wanted) {
    note(`${engine}: ${row.name}`)
    results.push(...(await row.measure(rig, load)))
  }
  return results
}

async function run(options: Options): Promise<void> {
  const { size } = options
  const runs: Run[] = []
  let before = calibrate()
  for (const engine of options.engines) {
    const results = await measure(engine, options)
    const after = calibrate()
    const date = new Date().toISOString().slice(0, 10)
    runs.push({ engine, size, date, machine: machine(), calibration_ms: [before, after], results })
    if (options.report) note(`Written: ${await writeReport(runs)}`)
    before = after
  }
  if (options.json) {
    process.stdout.write(`${JSON.stringify(runs, null, 2)}\n`)
    return
  }
  const scale = size.quick ? ' (quick; the targets are for 100,000)' : ''
  process.stdout.write(`${size.records.toLocaleString('en')} records${scale}\n`)
  for (const { engine, calibration_ms, results } of runs) {
    const moments = calibration_ms.map(value => `${value.toFixed(1)} ms`).join(' and ')
    process.stdout.write(`\n${engine}, calibration before and after: ${moments}\n${table(results)}\n`)
  }
}

process.once('SIGINT', () => process.exit(EXIT_INTERRUPTED))

let exitCode = 0
try {
  const options = readOptions(process.argv.slice(2))
  if (options) await run(options)
  else process.stdout.write(HELP)
} catch (error) {
  const usage = error instanceof UsageError
  process.stderr.write(`Error: ${usage ? error.message : (error as Error).stack}\n`)
  exitCode = usage ? EXIT_USAGE : EXIT_FAILURE
} finally {
  await stopPostgres()
}
// Set explicitly: otherwise the embedded PostgreSQL ends the process with 0.
process.exit(exitCode)
