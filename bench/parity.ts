import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { TestServer } from '../test/engines.ts'
import { stopPostgres } from '../test/postgres.ts'
import { Random } from '../test/random.ts'
import { compare, fill } from './parity/compare.ts'
import { drawQuery } from './parity/queries.ts'
import { madeMessage, messagesIn, type PlainMessage } from './parity/texts.ts'

const USAGE = `Shows that both engines find the same, in the same order, with the same windows, and that each window is proven.

Usage: npm run parity -- --data DIR [--records N] [--queries N] [--seed N]
`
const MOST_READ = 20_000
const MOST_SHOWN = 20

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    records: { type: 'string', default: '50000' },
    queries: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
})

async function run(folder: string): Promise<boolean> {
  const random = new Random(Number(values.seed))
  const records = Number(values.records)
  const messages: PlainMessage[] = []
  for (const message of messagesIn(folder)) {
    if (messages.length >= Math.min(MOST_READ, records)) break
    messages.push(message)
  }
  const read = messages.length
  while (messages.length < records) messages.push(madeMessage(random, messages.length))
  const queries = Array.from({ length: Number(values.queries) }, () => {
    const from = random.chance(0.6) ? messages.slice(0, read) : messages.slice(read)
    return drawQuery(random, from.length > 0 ? from : messages)
  })
  const naughty = join(folder, 'unicode-blns', 'blns.json')
  if (existsSync(naughty)) {
    const strings = JSON.parse(readFileSync(naughty, 'utf8')) as string[]
    queries.push(
      ...strings.map(text => Array.from(text.toWellFormed()).slice(0, 1_000).join('')).filter(Boolean),
    )
  }
  console.log(`${read} messages read, ${messages.length - read} made, ${queries.length} queries`)
  await using one = await TestServer.start('sqlite')
  await using other = await TestServer.start('postgres')
  for (const server of [one, other]) await fill(server, messages)
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
