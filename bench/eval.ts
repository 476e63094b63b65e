import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { meaningFolder } from '../src/meaning/folder.ts'
import { ModelProcess } from '../src/meaning/model-process.ts'
import { REFINEMENTS, type Without } from '../src/model/search/refinements.ts'
import { ENGINES, type Engine } from '../test/engines.ts'
import { stopPostgres } from '../test/postgres.ts'
import { printAnswers } from './eval/answers/print-answers.ts'
import { type JudgedCollection, readCollections } from './eval/collections.ts'
import { merged, readKept } from './eval/kept.ts'
import { chanceOf, mean, scoresOf } from './eval/measures.ts'
import { PLAIN_SETTINGS, searchPlainly } from './eval/plain-fts5.ts'
import { type Measured, qualityPage, tableLine } from './eval/report.ts'
import { JudgedServer } from './eval/server.ts'

const USAGE = `Measures retrieval quality on judged collections, through the real /v1/search.

Usage: npm run eval -- --data DIR [--engine sqlite|postgres] [--only NAME] [--each] [--keep FILE] [--write] [--meaning DIR]
       npm run eval -- --answers [--engine sqlite|postgres] [--only samples|life]

  --answers    asks fourteen questions over MCP, in each channel alone, and prints which are answered within
               their calls and bytes
  --data DIR   a folder with collections
  --only NAME  collections whose name contains NAME
  --each       also without each refinement
  --meaning DIR  also by meaning, with the model that is installed in the data folder DIR
  --keep FILE  adds what is measured to a file of JSON, collection by collection, so that several runs make one page
  --write      writes docs/reference/search-quality.md, from that file or from this run alone; without --data it
               measures nothing
`

const { values } = parseArgs({
  options: {
    answers: { type: 'boolean', default: false },
    data: { type: 'string' },
    engine: { type: 'string' },
    only: { type: 'string' },
    each: { type: 'boolean', default: false },
    keep: { type: 'string' },
    write: { type: 'boolean', default: false },
    meaning: { type: 'string' },
    help: { type: 'boolean' },
  },
})

/** Waits for the model as long as it takes: measured is the order, not the time. */
const model =
  values.meaning === undefined
    ? null
    : new ModelProcess({
        folder: meaningFolder(values.meaning),
        patienceMs: 600_000,
        report: error => console.error(error),
      })

async function measure(collection: JudgedCollection, engines: readonly Engine[]): Promise<Measured> {
  const plain = PLAIN_SETTINGS.map(setting => {
    const scores = scoresOf(collection, searchPlainly(collection, setting))
    return { setting, score: mean(scores), scores }
  }).reduce((best, each) => (each.score > best.score ? each : best))
  const { name, language, metric, target } = collection
  const queries = collection.queries.filter(({ relevant }) => relevant.size > 0).length
  const day = new Date().toISOString().slice(0, 10)
  const about = { name, language, metric, target, queries, day }
  const { setting, score } = plain
  const measured: Measured = {
    ...about,
    plain: { setting, score },
    engines: {},
    without: {},
    chance: {},
  }
  for (const engine of engines) {
    await using server = await JudgedServer.fill(engine, collection, model)
    const scores = async (without: Without) => scoresOf(collection, await server.ask(collection, without))
    const all = await scores([])
    measured.engines[engine] = mean(all)
    if (engine !== engines[0]) continue
    const off: [string, Without][] = [['all of them', REFINEMENTS]]
    const each = REFINEMENTS.filter(name => (name === 'meaning' ? model !== null : values.each))
    off.push(...each.map(name => [name, [name]] as [string, Without]))
    measured.chance['plain FTS5'] = chanceOf(all, plain.scores)
    for (const [name, without] of off) {
      const less = await scores(without)
      measured.without[name] = mean(less)
      measured.chance[name] = chanceOf(all, less)
    }
  }
  return measured
}

function writePage(all: readonly Measured[]): void {
  const page = join(import.meta.dirname, '..', 'docs', 'reference', 'search-quality.md')
  writeFileSync(page, qualityPage(all))
}

if (values.help) console.log(USAGE)
else if (values.answers) {
  const engines = ENGINES.filter(engine => (values.engine ?? engine) === engine)
  const isReached = await printAnswers(engines, values.only)
  await stopPostgres()
  process.exit(isReached ? 0 : 1)
} else if (values.data === undefined && values.keep !== undefined && values.write) {
  writePage(readKept(values.keep))
} else if (values.data === undefined || !existsSync(values.data)) {
  console.error(`Error: name a folder with judged collections.\nTry: npm run eval -- --data DIR`)
  process.exitCode = 2
} else {
  const engines = ENGINES.filter(engine => (values.engine ?? engine) === engine)
  const collections = readCollections(values.data).filter(({ name }) => name.includes(values.only ?? ''))
  if (collections.length === 0) {
    console.error('Error: the folder contains no collection that can be read.')
    process.exitCode = 2
  }
  let all: Measured[] = values.keep === undefined ? [] : readKept(values.keep)
  for (const collection of collections) {
    const measured = await measure(collection, engines)
    all = merged(all, measured)
    if (values.keep !== undefined) writeFileSync(values.keep, `${JSON.stringify(all, null, 2)}\n`)
    console.log(tableLine(measured))
  }
  if (values.write) writePage(all)
  await stopPostgres()
  process.exit()
}
