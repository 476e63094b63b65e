import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { analyst } from '../src/store/analysis/analyst.ts'
import { answerTo, claim, claimable } from '../src/store/analysis/answer.ts'
import type { Database } from '../src/store/engine/database.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { Ingest, type IngestOutcome } from '../src/store/ingest/ingest.ts'
import { beginStore } from '../src/store/known-store.ts'
import { createConnection, readCatalog, registerDeclaration } from '../src/store/records/catalog.ts'
import { onEachEngine, storeLocation } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const now = '2026-01-01T00:00:00.000Z'
const RECORDS = 200

function lines(): object[] {
  const made = Array.from({ length: RECORDS }, (_, i) =>
    message(`m${i}`, {
      subject: i % 7 === 0 ? 'Zürich, 北京大学' : `Letter ${i}`,
      body: `${`running to bob.smith@example.org w${i} `.repeat(i % 40 === 3 ? 400 : 3)}`,
    }),
  )
  const long = message('long', { body: 'a long lantern '.repeat(2_000) })
  return [...made, long, { op: 'delete', key: 'm5' }, message('m6', { body: 'changed at once' })]
}

async function ingestLines(
  database: Database,
  owner_id: string,
  connection_id: string,
  sent: readonly object[],
) {
  const [stream] = (await readCatalog(database, owner_id)).connections[0]?.declaration.streams ?? []
  assert.ok(stream)
  const ingest = new Ingest(database, { owner_id, connection_id, stream })
  await ingest.write(Buffer.from(sent.map(line => JSON.stringify(line)).join('\n')))
  return ingest.end()
}

/** Everything that the index contains for a connection, by record. */
async function indexOf(database: Database, owner_id: string, connection_id: string): Promise<unknown[]> {
  const rows = await database.all<{ row_id: number; record_key: string; row_no: number; sections: string }>(
    `SELECT r.row_id, r.record_key, r.row_no, c.sections FROM search_rows r JOIN search_counts c ON c.row_id = r.row_id
     WHERE r.connection_id = ? ORDER BY r.record_key, r.row_no`,
    [connection_id],
  )
  const ids = new Map(rows.map(({ row_id, record_key, row_no }) => [row_id, `${record_key} ${row_no}`]))
  const words = new Map<string, string[]>()
  for (const key of ['letter', 'run', 'zurich', '北京', 'w7', 'lantern', 'chang'])
    for (const code of [1, 2, 3])
      for (const later of [false, true]) {
        const found = await database.words.match(
          owner_id,
          { word: `${code}\u{e002}${key}` },
          { below: Number.MAX_SAFE_INTEGER, later },
          10_000,
        )
        words.set(`${code} ${key} ${later}`, found.flatMap(id => ids.get(id) ?? []).sort())
      }
  const hashes = await database.all<{ hashes: Uint8Array }>(
    'SELECT hashes FROM word_hashes WHERE connection_id = ? ORDER BY seq',
    [connection_id],
  )
  const known = new Set(
    hashes.flatMap(({ hashes: packed }) =>
      Array.from({ length: packed.length / 3 }, (_, i) =>
        Buffer.from(packed)
          .subarray(3 * i, 3 * i + 3)
          .toString('hex'),
      ),
    ),
  )
  return [rows.map(({ row_id, ...row }) => row), [...words], [...known].sort()]
}

onEachEngine('EV-8 records analysed by another thread are indexed in the same way', async engine => {
  const { location, remove } = await storeLocation(engine)
  try {
    await using database = await openDatabase(location, 'writer')
    const { owner_id } = await beginStore(database, { now })
    await registerDeclaration(database, { owner_id, content: JSON.stringify(MAILBOX), now })
    const made: string[] = []
    for (const display_name of ['alone', 'with help', 'with help that stops', 'with help that is late']) {
      const args = { owner_id, source_id: MAILBOX.source.id, display_name, now }
      made.push((await createConnection(database, args)).connection_id)
    }
    const [alone = '', helped = '', left = '', waiting = ''] = made
    const outcomes: IngestOutcome[] = []
    outcomes.push(await ingestLines(database, owner_id, alone, lines()))
    const expected = await indexOf(database, owner_id, alone)

    analyst.start()
    while (!analyst.isReady) await sleep(5)
    const asked = mock.method(analyst, 'analyse')
    outcomes.push(await ingestLines(database, owner_id, helped, lines()))
    assert.equal(asked.mock.callCount(), Math.ceil((RECORDS + 1) / 64))
    assert.deepEqual(await indexOf(database, owner_id, helped), expected)

    asked.mock.mockImplementation(async () => null)
    outcomes.push(await ingestLines(database, owner_id, left, lines()))
    assert.deepEqual(await indexOf(database, owner_id, left), expected)

    // Instead of waiting, the writer claims what the other thread has not begun.
    asked.mock.mockImplementation(() => new Promise(() => {}))
    outcomes.push(await ingestLines(database, owner_id, waiting, lines()))
    assert.deepEqual(await indexOf(database, owner_id, waiting), expected)
    asked.mock.restore()
    for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0])
    assert.equal(outcomes[0]?.added, RECORDS + 1)

    // A thread that ends answers its open requests with null, and the next one is started when needed.
    const question = { fields: ['body'], codes: new Map([['body', 1]]), scope: 's', values: ['a lantern'] }
    const claimed = claimable(question)
    assert.ok(claim(claimed) && !claim(claimed))
    assert.equal(await analyst.analyse(claimed), null, 'what this thread has claimed is left to it')
    assert.equal((await analyst.analyse(claimable(question)))?.sections, answerTo(question).sections)
    const answer = analyst.analyse(claimed)
    await analyst.end()
    assert.equal(await answer, null)
    assert.equal(analyst.isReady, false)
    assert.equal(await analyst.analyse(claimable(question)), null)
  } finally {
    await analyst.end()
    await remove()
  }
})

onEachEngine('batches that change nothing soon stop being analysed ahead', async engine => {
  const { location, remove } = await storeLocation(engine)
  try {
    await using database = await openDatabase(location, 'writer')
    const { owner_id } = await beginStore(database, { now })
    await registerDeclaration(database, { owner_id, content: JSON.stringify(MAILBOX), now })
    const args = { owner_id, source_id: MAILBOX.source.id, display_name: 'mail', now }
    const { connection_id } = await createConnection(database, args)
    const sent = Array.from({ length: 10 }, (_, i) => message(`m${i}`, { body: `w${i}` }))
    await ingestLines(database, owner_id, connection_id, sent)
    analyst.start()
    while (!analyst.isReady) await sleep(5)
    const asked = mock.method(analyst, 'analyse')
    const asks: number[] = []
    for (let round = 0; round < 3; round++) {
      const { unchanged } = await ingestLines(database, owner_id, connection_id, sent)
      assert.equal(unchanged, 10)
      asks.push(asked.mock.callCount())
    }
    assert.deepEqual(asks, [1, 1, 1])
    asked.mock.restore()
  } finally {
    await analyst.end()
    await remove()
  }
})
