import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { meaningFolder } from '../src/meaning/folder.ts'
import { ModelProcess } from '../src/meaning/model-process.ts'
import { REFINEMENTS, type Refinement, type Without } from '../src/model/search/refinements.ts'
import { ENGINES, type Engine } from '../test/places.ts'
import { stopPostgres } from '../test/postgres.ts'
import { printAnswers } from './eval/answers/print-answers.ts'
import { type JudgedCollection, readCollections, WITH_MEANING } from './eval/collections.ts'
import { printCost } from './eval/cost.ts'
import { merged, readKept } from './eval/kept.ts'
import { makeKnownItems } from './eval/known-items/make.ts'
import { chanceOf, mean, reachedOf, readOf, scoresOf } from './eval/measures.ts'
import { PLAIN_SETTINGS, searchPlainly } from './eval/plain-fts5.ts'
import { ALL, type Measured, qualityPage, tableLine } from './eval/report.ts'
import { JudgedServer } from './eval/server.ts'

const USAGE = `Measures retrieval quality on judged collections, through the real /v1/search.

Usage: npm run eval -- --data DIR [--engine sqlite|postgres] [--only NAME] [--each] [--keep FILE] [--write] [--meaning DIR]
       npm run eval -- --answers [--engine sqlite|postgres] [--only samples|life]
       npm run eval -- --make DIR
       npm run eval -- --cost [--engine sqlite|postgres] [--records N] [--only CLASS] [--each]

  --answers    asks fourteen questions over MCP, in each channel alone, and prints which are answered within
               their calls and bytes
  --cost       prints the processor time of searches in N (20000) made-up mails, with and without refinements
  --make DIR   downloads packages of Debian and writes collections of known items in ten languages to DIR
  --data DIR   a folder with collections. A folder in it with corpus.jsonl, queries.jsonl and qrels.tsv is one; the
               lines of a corpus of messages also have who, thread and at
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
    cost: { type: 'boolean', default: false },
    records: { type: 'string', default: '20000' },
    make: { type: 'string' },
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

/** Waits for the model as long as it takes, because the order is measured, not the time. */
const model =
  values.meaning === undefined
    ? null
    : new ModelProcess({
        folder: meaningFolder(values.meaning),
        patienceMs: 600_000,
        report: error => console.error(error),
      })

/** Collections over the same documents, which are ingested once. */
async function measure(
  collections: readonly JudgedCollection[],
  engines: readonly Engine[],
): Promise<Measured[]> {
  const [one] = collections
  if (!one) return []
  const all = collections.map(collection => ({ collection, ...besidePlain(collection) }))
  for (const engine of engines) {
    await using server = await JudgedServer.fill(engine, one, model)
    for (const { collection, measured, plain } of all) {
      const ask = (without: Without) => server.ask(collection, without)
      const found = await ask([])
      const scores = scoresOf(collection, found)
      measured.engines[engine] = mean(scores)
      if (engine !== engines[0]) continue
      measured.chance['plain FTS5'] = chanceOf(scores, plain)
      if (measured.known) measured.known.footnote = reachedOf(collection, found)
      if (measured.read) measured.read.footnote = readOf(collection, found)
      const off: [string, Without][] = [[ALL, REFINEMENTS]]
      const each = REFINEMENTS.filter(name => isMeasured(name, collection))
      off.push(...each.map(name => [name, [name]] as [string, Without]))
      for (const [name, without] of off) {
        const less = await ask(without)
        if (measured.read && name === 'spread_windows') measured.read.piece = readOf(collection, less)
        measured.without[name] = mean(scoresOf(collection, less))
        measured.chance[name] = chanceOf(scores, scoresOf(collection, less))
        if (measured.known && name === ALL) measured.known.without = reachedOf(collection, less)
      }
    }
  }
  return all.map(({ measured }) => measured)
}

/** What is known about a collection before it is queried, and the scores of plain FTS5. */
function besidePlain(collection: JudgedCollection): { measured: Measured; plain: number[] } {
  const plain = PLAIN_SETTINGS.map(setting => {
    const found = searchPlainly(collection, setting)
    const scores = scoresOf(collection, found)
    return { setting, found, scores, score: mean(scores) }
  }).reduce((best, each) => (each.score > best.score ? each : best))
  const { language, metric } = collection
  const name = model ? `${collection.name}, with meaning` : collection.name
  const target = (model && WITH_MEANING[collection.name]) || collection.target
  const reached = reachedOf(collection, plain.found)
  const read = readOf(collection, plain.found)
  const measured: Measured = {
    ...{ name, language, metric, target },
    queries: collection.queries.filter(({ relevant }) => relevant.size > 0).length,
    day: new Date().toISOString().slice(0, 10),
    plain: { setting: plain.setting, score: plain.score },
    engines: {},
    without: {},
    chance: {},
    ...(reached && { known: { plain: reached, footnote: null, without: null } }),
    ...(read && { read: { plain: read, piece: null, footnote: null } }),
  }
  return { measured, plain: plain.scores }
}

/** On long records only what chooses their windows, which takes one more round and is always measured. */
function isMeasured(name: Refinement, { metric }: JudgedCollection): boolean {
  if (metric === 'W@3') return name === 'spread_windows'
  return name === 'meaning' ? model !== null : values.each
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
} else if (values.make !== undefined) makeKnownItems(values.make)
else if (values.cost) {
  for (const engine of ENGINES.filter(engine => (values.engine ?? engine) === engine))
    await printCost(engine, {
      records: Number(values.records),
      only: values.only ?? '',
      isEach: values.each,
    })
  await stopPostgres()
  process.exit()
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
  for (const together of Map.groupBy(collections, ({ documents }) => documents).values()) {
    for (const measured of await measure(together, engines)) {
      all = merged(all, measured)
      console.log(tableLine(measured))
    }
    if (values.keep !== undefined) writeFileSync(values.keep, `${JSON.stringify(all, null, 2)}\n`)
  }
  if (values.write) writePage(all)
  await stopPostgres()
  process.exit()
}
