import { parseArgs } from 'node:util'
import { stopPostgres } from '../../test/postgres.ts'
import { output, ServerProcess } from '../child.ts'
import { ENGINES, type Engine, freshPlace } from '../place.ts'
import type { Finding } from './part.ts'
import { PARTS } from './parts.ts'
import { prepareWorld, type Scale } from './world.ts'

const HELP = `npm run attack -- [flags]

Starts a server of its own on this machine, attacks it, and prints what that cost.

  --quick                   2,000 records, and each attack for half a second
  --records NUMBER          so many records instead of 30,000
  --requests NUMBER         so many requests of a flood instead of 20,000
  --only NAME               only the parts whose name contains NAME
  --engine sqlite|postgres  one engine instead of both
`

const FOOTNOTE = 'src/cli/main.ts'

/** Whether the server withstood everything. Each part is printed when it ends, because the whole run takes minutes. */
async function attackServer(engine: Engine, scale: Scale, only: string): Promise<boolean> {
  await using place = await freshPlace(engine)
  await using server = await ServerProcess.start([FOOTNOTE, 'serve', '--port', '0', ...place.flags])
  const ownerToken = await output([FOOTNOTE, 'owner-token', ...place.flags])
  process.stderr.write(`${engine}: loading ${scale.records.toLocaleString('en')} records\n`)
  const databaseUrl = engine === 'postgres' ? place.name : null
  const { url, pid } = server
  using world = await prepareWorld({ url, ownerToken, pid, databaseUrl, size: place.size }, scale)
  await place.settle()
  let held = true
  for (const part of PARTS.filter(({ name }) => name.includes(only))) {
    process.stderr.write(`${engine}: ${part.name}\n`)
    const findings = await part.run(world)
    print(engine, part.name, findings)
    held &&= findings.every(finding => finding.held)
  }
  return held
}

/** The findings of a part as aligned columns. */
function print(engine: Engine, name: string, findings: readonly Finding[]): void {
  const lines = findings.map(({ what, figures, held }) => [
    what,
    ...figures.map(([figure, value]) => `${figure} ${value}`),
    held ? 'held' : 'MISSED',
  ])
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? []
  const text = lines.map(line =>
    line
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const held = findings.filter(finding => finding.held).length
  process.stdout.write(`\n${engine}, ${name}: ${held} of ${findings.length} held\n${text.join('\n')}\n`)
}

let exitCode = 0
try {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      records: { type: 'string' },
      requests: { type: 'string' },
      only: { type: 'string' },
      engine: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) process.stdout.write(HELP)
  else {
    const records = Number(values.records ?? (values.quick ? 2_000 : 30_000))
    const requests = Number(values.requests ?? (values.quick ? 1_000 : 20_000))
    const engines = ENGINES.filter(engine => values.engine === undefined || engine === values.engine)
    for (const engine of engines) {
      const scale = {
        records,
        seconds: values.quick ? 0.5 : 2,
        otherMs: 150,
        requests,
        longMailBytes: 5_400_000,
      }
      if (!(await attackServer(engine, scale, values.only ?? ''))) exitCode = 1
    }
  }
} catch (error) {
  process.stderr.write(`Error: ${(error as Error).stack}\n`)
  exitCode = 1
} finally {
  await stopPostgres()
}
// Set explicitly: otherwise the embedded PostgreSQL ends the process with 0.
process.exit(exitCode)
