import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Size } from './options.ts'
import type { Engine } from './place.ts'
import { plot } from './plot.ts'
import type { Result } from './result.ts'
import { cells, HEAD } from './table.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const PAGE = join(DOCS, 'reference', 'benchmarks.md')
const HEADING = '## The last figures'

export interface Measured {
  calibration_ms: number[]
  size: Size
  engines: { engine: Engine; results: Result[] }[]
}

/** Writes a run to the page of figures, with a plot for each engine and everything as JSON beside it. */
export async function writeReport({ calibration_ms, size, engines }: Measured): Promise<string> {
  const date = new Date().toISOString().slice(0, 10)
  const rows = engines.flatMap(({ engine, results }) => results.map(result => ({ engine, ...result })))
  const json = { date, machine: machine(), calibration_ms, size, rows }
  await writeFile(join(DOCS, 'reference', 'benchmarks.json'), `${JSON.stringify(json, null, 2)}\n`)
  for (const { engine, results } of engines)
    await writeFile(join(DOCS, 'images', `benchmarks-${engine}.svg`), plot(engine, results))
  const page = await readFile(PAGE, 'utf8')
  const [text = ''] = page.split(HEADING)
  const moments = calibration_ms.map(value => `${value.toFixed(1)} ms`).join(', ')
  const lines = [
    HEADING,
    '',
    `Measured on ${date} with ${size.records.toLocaleString('en')} records on ${machine()}. The calibration took ${moments}.`,
    'The same values are in [benchmarks.json](benchmarks.json). A bar shows the figure in parts of its target.',
    ...engines.flatMap(({ engine, results }) => [
      '',
      `### ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
      '',
      `![Each figure in parts of its target](../images/benchmarks-${engine}.svg)`,
      '',
      line([...HEAD.slice(0, -1), 'target is']),
      line(HEAD.map(() => '---')),
      ...results.map(result => line(cells(result))),
    ]),
  ]
  await writeFile(PAGE, `${text.trimEnd()}\n\n${lines.join('\n')}\n`)
  return PAGE
}

function line(values: readonly string[]): string {
  return `| ${values.join(' | ')} |`
}

function machine(): string {
  const [first] = cpus()
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`
}
