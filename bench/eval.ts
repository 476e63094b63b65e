import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Cursors } from '../src/model/reading/cursor.ts'
import { createOrigin } from '../src/origin/routes.ts'
import type { Location } from '../src/store/engine/database.ts'
import { Store } from '../src/store/store.ts'
import { SELECTABLE, source } from '../test/mailbox.ts'
import { freshDatabase, stopPostgres } from '../test/postgres.ts'
import { type JudgedCollection, ndcg, readCollections } from './eval/collections.ts'
import { PLAIN_SETTINGS, searchPlainly } from './eval/plain-fts5.ts'

const USAGE = `Measures retrieval quality (nDCG@10) on judged collections, through the real /v1/search.

Usage: npm run eval -- --data DIR [--engine sqlite|postgres] [--only NAME]
`

const DECLARATION = {
  ...source('judged', 'Judged collection'),
  streams: [
    {
      name: 'documents',
      ...SELECTABLE,
      schema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          title: { type: 'string', x_pdpp_role: 'primary-title' },
          text: { type: 'string' },
        },
      },
      primary_key: ['id'],
      query: { search: { lexical_fields: ['title', 'text'] } },
    },
  ],
}

/** Asks every query of the collection and returns the ids found. */
async function searchWith(location: Location, collection: JudgedCollection): Promise<Map<string, string[]>> {
  await using store = await Store.open(location)
  const now = new Date().toISOString()
  const token = await store.writer.call('createOwnerToken', { owner_id: store.owner_id, now })
  const { dispatch } = createOrigin({
    store,
    cursors: new Cursors(store.sealingKey, 3_600),
    publicUrl: 'http://localhost',
    rateLimit: null,
    changesTtlSeconds: 3_600,
    clock: () => new Date(),
    report: error => console.error(error),
  })
  const call = async (path: string, body?: string, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type }
    const init = body === undefined ? { headers } : { method: 'POST', body, headers }
    const response = await dispatch(new Request(`http://localhost${path}`, init))
    const answer = (await response.json()) as { connection_id: string; data: { record_key: string }[] }
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  await call('/v1/owner/declarations', JSON.stringify(DECLARATION))
  const { connection_id } = await call(
    '/v1/owner/connections',
    JSON.stringify({ source_id: DECLARATION.source.id, display_name: collection.name }),
  )
  const lines = collection.documents.map(data => JSON.stringify({ data })).join('\n')
  await call(`/v1/ingest/documents?connection_id=${connection_id}`, lines, 'application/x-ndjson')
  const found = new Map<string, string[]>()
  for (const { id, text } of collection.queries) {
    const q = Array.from(text.replace(/["*]|(?<=\s)-/g, ' '))
      .slice(0, 1_000)
      .join('')
    const { data } = await call(`/v1/search?limit=10&windows=0&q=${encodeURIComponent(q)}`)
    found.set(
      id,
      data.map(hit => hit.record_key),
    )
  }
  return found
}

async function freshPlace(engine: string): Promise<{ location: Location; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-eval-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  if (engine !== 'postgres') return { location: { engine: 'sqlite', directory }, remove }
  return { location: { engine, url: await freshDatabase(), directory }, remove }
}

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    engine: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(USAGE)
else if (values.data === undefined || !existsSync(values.data)) {
  console.error(`Error: name a folder with judged collections.\nTry: npm run eval -- --data DIR`)
  process.exitCode = 2
} else {
  const engines = values.engine ? [values.engine] : ['sqlite', 'postgres']
  const collections = readCollections(values.data).filter(
    ({ name }) => !values.only || name.includes(values.only),
  )
  if (collections.length === 0) {
    console.error('Error: the folder contains none of ir-cranfield, ir-cisi, ir-xquad.')
    process.exitCode = 2
  }
  for (const collection of collections) {
    const cells = [collection.name.padEnd(12)]
    for (const setting of PLAIN_SETTINGS)
      cells.push(`${setting} ${ndcg(collection, searchPlainly(collection, setting)).toFixed(3)}`)
    for (const engine of engines) {
      const { location, remove } = await freshPlace(engine)
      const score = ndcg(collection, await searchWith(location, collection))
      const verdict =
        collection.target === null
          ? ''
          : score >= collection.target
            ? ' reached'
            : ` missed (${collection.target})`
      cells.push(`${engine} ${score.toFixed(4)}${verdict}`)
      await remove()
    }
    console.log(cells.join('  |  '))
  }
  await stopPostgres()
}
