import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Size } from './options.ts'
import type { Engine } from './place.ts'
import { plot } from './plot.ts'
import type { Result } from './result.ts'
import { cells, HEAD } from './table.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const HEADING = '## The last figures'
const ENGINE_NAMES: Record<Engine, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** Of one engine at one size. */
export interface Run {
  engine: Engine
  size: Size
  date: string
  machine: string
  /** Before and after. */
  calibration_ms: number[]
  results: Result[]
}

/**
 * Writes runs to the page of figures, with a plot for each and everything as JSON beside it. A run takes the place of the
 * last one of its engine and size; the others stay.
 */
export async function writeReport(runs: readonly Run[], docs = DOCS): Promise<string> {
  const [page, json] = [join(docs, 'reference', 'benchmarks.md'), join(docs, 'reference', 'benchmarks.json')]
  const kept: Run[] = JSON.parse(await readFile(json, 'utf8').catch(() => '[]'))
  const all = [...kept.filter(run => !runs.some(other => nameOf(other) === nameOf(run))), ...runs].sort(
    (a, b) => a.size.records - b.size.records || (a.engine < b.engine ? 1 : -1),
  )
  await writeFile(json, `${JSON.stringify(all, null, 2)}\n`)
  await mkdir(join(docs, 'images'), { recursive: true })
  for (const run of runs)
    await writeFile(join(docs, 'images', plotFile(run)), plot(ENGINE_NAMES[run.engine], run.results))
  const [text = ''] = (await readFile(page, 'utf8')).split(HEADING)
  const head = [
    HEADING,
    '',
    'The same values are in [benchmarks.json](benchmarks.json). A bar shows the figure in parts of its target.',
  ]
  await writeFile(page, `${text.trimEnd()}\n\n${[...head, ...all.flatMap(section)].join('\n')}\n`)
  return page
}

export function machine(): string {
  const [first] = cpus()
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`
}

function section(run: Run): string[] {
  const moments = run.calibration_ms.map(value => `${value.toFixed(1)} ms`).join(' and ')
  return [
    '',
    `### ${run.size.records.toLocaleString('en')} records on ${ENGINE_NAMES[run.engine]}`,
    '',
    `Measured on ${run.date} on ${run.machine}. The calibration took ${moments}.`,
    '',
    `![Each figure in parts of its target](../images/${plotFile(run)})`,
    '',
    line([...HEAD.slice(0, -1), 'target is']),
    line(HEAD.map(() => '---')),
    ...run.results.map(result => line(cells(result))),
  ]
}

const nameOf = ({ engine, size }: Run): string => `${engine}-${size.records}`
const plotFile = (run: Run): string => `benchmarks-${nameOf(run)}.svg`

function line(values: readonly string[]): string {
  return `| ${values.join(' | ')} |`
}
