import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stopPostgres } from '../test/postgres.ts'
import { Random } from '../test/random.ts'
import { TestServer } from '../test/test-server.ts'
import { embedWords, wordMeaning } from '../test/word-meaning.ts'
import { compare, fill } from './parity/compare.ts'
import { madeMessage } from './parity/made.ts'
import { drawQuery } from './parity/queries.ts'
import { messagesIn } from './parity/texts.ts'

const USAGE = `Shows that both engines find the same, in the same order, with the same windows, and that each window is proven.

Usage: npm run parity -- --data DIR [--records N] [--queries N] [--seed N] [--meaning]

  --meaning  also orders by meaning, with a model to which every word means something
`
/** The rest is generated, so that every script occurs. */
const MOST_READ = 0.8
const MOST_SHOWN = 20
const NOT_LATIN = /(?!\p{sc=Latin})\p{L}/u

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    records: { type: 'string', default: '50000' },
    queries: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    meaning: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})

async function run(folder: string): Promise<boolean> {
  const random = new Random(Number(values.seed))
  const records = Number(values.records)
  const all = [...messagesIn(folder)]
  const every = Math.max(1, all.length / (records * MOST_READ))
  const read = all.filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every))
  const made = Array.from({ length: records - read.length }, (_, i) => madeMessage(random, read.length + i))
  const messages = [...read, ...made]
  const foreign = read.filter(({ body }) => NOT_LATIN.test(body))
  const pools = [read, foreign, made].filter(pool => pool.length > 0)
  const queries = Array.from({ length: Number(values.queries) }, () => drawQuery(random, random.pick(pools)))
  const naughty = join(folder, 'unicode-blns', 'blns.json')
  if (existsSync(naughty)) {
    const strings = JSON.parse(readFileSync(naughty, 'utf8')) as string[]
    queries.push(
      ...strings.map(text => Array.from(text.toWellFormed()).slice(0, 1_000).join('')).filter(Boolean),
    )
  }
  console.log(
    `${read.length} messages read, ${foreign.length} of them not only in Latin letters, ${made.length} made, ${queries.length} queries`,
  )
  const options = values.meaning ? { meaning: wordMeaning } : {}
  await using one = await TestServer.start('sqlite', options)
  await using other = await TestServer.start('postgres', options)
  for (const server of [one, other]) {
    await fill(server, messages)
    if (values.meaning) await embedWords(server.store)
  }
  console.log('ingested')
  const { hits, windows, differences } = await compare([one, other], queries)
  const failures = [...one.failures, ...other.failures]
  for (const line of differences.slice(0, MOST_SHOWN)) console.log(line)
  for (const failure of failures.slice(0, MOST_SHOWN)) console.log(failure)
  console.log(
    `${hits} hits, ${windows} windows, ${differences.length} differences, ${failures.length} failures`,
  )
  return differences.length === 0 && failures.length === 0 && hits > 0
}

let exitCode = 0
if (values.help) console.log(USAGE)
else if (values.data === undefined || !existsSync(values.data)) {
  console.error('Error: name a folder with messages.\nTry: npm run parity -- --data DIR')
  exitCode = 2
} else exitCode = (await run(values.data)) ? 0 : 1
await stopPostgres()
process.exit(exitCode)
