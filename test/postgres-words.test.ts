import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fieldWord } from '../src/store/analysis/analysed-rows.ts'
import { PostgresLanes } from '../src/store/engine/connections/postgres-lanes.ts'
import { MOVE_WORDS, PostgresStatements } from '../src/store/engine/postgres-statements.ts'
import type { Way } from '../src/store/engine/postgres-statistics.ts'
import { BLOCKS_OF_ROW, blocksOf } from '../src/store/engine/upgrades/postgres-definitions.ts'
import { TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

test('the words of a row are stored uncompressed, because each lookup by rows reads them [postgres]', async () => {
  await using server = await TestServer.start('postgres')
  const mail = await server.connect(MAILBOX)
  const body = Array.from({ length: 300 }, (_, n) => `harbour${n}`).join(' ')
  await server.ingest('messages', mail, [message('m1', { body })])
  const row = await server.store.database.get<{ stored: number; plain: number }>(
    `SELECT pg_column_size(words) AS stored, pg_column_size(words || '') AS plain FROM token_index`,
  )
  assert.ok(row && row.plain > 2_048, 'large enough that PostgreSQL would compress it')
  assert.equal(row.stored, row.plain)
})

test('whichever way words are looked up, the same rows are found [postgres]', async () => {
  await using server = await TestServer.start('postgres')
  const mail = await server.connect(MAILBOX)
  const bodies = Array.from({ length: 60 }, (_, n) => (n < 30 ? 'harbour' : n % 10 === 0 ? 'Harbour' : 'sea'))
  await server.ingest(
    'messages',
    mail,
    bodies.map((body, n) => message(`m${n}`, { body })),
  )
  const { location, store } = server
  assert.ok(location.engine === 'postgres')
  // Over several blocks of the index.
  await writable(store).run('UPDATE token_index SET row_id = row_id * 300')
  const lanes = new PostgresLanes({ connectionString: location.url }, 1)
  await using _ended = { [Symbol.asyncDispose]: () => lanes.end() }
  const codes = await store.database.numbers('SELECT code AS n FROM search_fields')
  const harbour = { any: codes.map(code => ({ word: fieldWord(code, 'harbour') })) }
  const found = async (way: Way, limit: number) => {
    const ways = { wayTo: async () => way, isCluster: async () => false }
    const statements = new PostgresStatements(lanes, { connection: lanes, ways })
    return statements.words.match(store.owner_id, harbour, { below: 50_000 }, limit)
  }
  for (const limit of [1, 3, 5, 40]) {
    const newest = await found({ by: 'rows' }, limit)
    assert.equal(newest.length, Math.min(limit, 33))
    assert.deepEqual(await found({ by: 'words' }, limit), newest)
    for (const rows of [1, 8_000, 33_000, 40_000, 45_904, 80_000])
      assert.deepEqual(await found({ by: 'stretch', rows }, limit), newest, `${limit} rows in ${rows}`)
  }
})

test('words are looked up in a stretch of rows without reading postings of others [postgres]', async () => {
  await using server = await TestServer.start('postgres')
  const database = writable(server.store)
  await database.run(`INSERT INTO token_index (owner_id, row_id, words)
    SELECT 'owner', n, 'harbour sea'::tsvector FROM generate_series(1, 150000) AS n`)
  await database.run('VACUUM ANALYZE token_index')
  const pages = async (condition: string) => {
    const plan = await database.all<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT text) SELECT row_id FROM token_index
       WHERE (owner_id || '') = 'owner' AND words @@ 'harbour & sea'::tsquery ${condition}`,
    )
    const lines = plan.map(line => line['QUERY PLAN'])
    const scan = lines.findIndex(line => line.includes('Bitmap Index Scan on token_index_words'))
    assert.ok(scan >= 0, lines.join('\n'))
    return Number(/Buffers: shared hit=(\d+)/.exec(lines.slice(scan).join('\n'))?.[1])
  }
  await database.run('SET enable_seqscan = off')
  const all = await pages('')
  const within = await pages(`AND ${BLOCKS_OF_ROW} && '{${blocksOf('owner', 146_000, 150_000)}}'::text[]`)
  assert.ok(within * 2 < all, `${within} pages instead of ${all}`)
})

test('new words are moved into the word index beside the import, so that no lookup has to read a long list [postgres]', async () => {
  await using server = await TestServer.start('postgres')
  const mail = await server.connect(MAILBOX)
  const database = writable(server.store)
  const moves = () =>
    database.numbers(
      `SELECT count(*) AS n FROM pg_stat_activity
       WHERE datname = current_database() AND query = ? AND state = 'idle'`,
      [MOVE_WORDS],
    )
  const body = (n: number) => Array.from({ length: 200 }, (_, word) => `harbour${n}x${word}`).join(' ')
  await server.ingest(
    'messages',
    mail,
    Array.from({ length: 400 }, (_, n) => message(`m${n}`, { body: body(n) })),
  )
  const until = Date.now() + 60_000
  while ((await moves())[0] === 0 && Date.now() < until) await sleep(20)
  assert.deepEqual(await moves(), [1], 'outside of the transaction that added them')
  const left = `SELECT gin_clean_pending_list('token_index_words') AS n`
  assert.deepEqual(await database.numbers(left), [0], 'no page of the list is left')
})
