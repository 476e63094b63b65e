import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDeclaration } from '../src/model/declaration/parse-declaration.ts'
import type { Database } from '../src/store/engine/database.ts'
import { migrate } from '../src/store/engine/migrations.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { NOTHING_NUMBERED, reserveNumbers } from '../src/store/engine/owner-row.ts'
import { Ingest } from '../src/store/ingest/ingest.ts'
import type { IngestTarget } from '../src/store/ingest/write-records.ts'
import { CONNECTIONS, OWNERS } from '../src/store/records/tables.ts'
import { scopeWord } from '../src/store/search/indexing.ts'
import { loadRows, PLACES } from '../src/store/search/search-rows.ts'
import { freshLocation, onEachEngine, storeLocation } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const NOW = '2026-01-01T00:00:00.000Z'
/** The number of migrations before every key began with the owner. */
const BEFORE_OWNER_KEYS = 19

async function addOwner(database: Database, owner_id: string): Promise<IngestTarget> {
  const connection_id = `cin_${owner_id}`
  const { streams, source } = parseDeclaration(MAILBOX)
  await database.insert(OWNERS, [{ owner_id, created_at: NOW, ...NOTHING_NUMBERED }])
  await database.insert(CONNECTIONS, [
    { owner_id, connection_id, source_id: source.id, display_name: owner_id, created_at: NOW },
  ])
  return { owner_id, connection_id, stream: streams[0] ?? assert.fail() }
}

async function ingest(database: Database, target: IngestTarget, lines: readonly object[]): Promise<void> {
  const written = new Ingest(database, target)
  await written.write(Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join('')))
  assert.equal((await written.end()).rejected, 0)
}

test('two owners of one database write at the same time and have numbers of their own [postgres]', async () => {
  const { location, remove } = await storeLocation('postgres')
  {
    await using database = await openDatabase(location, 'writer')
    await using other = await openDatabase(location, 'writer')
    const [ann, ben] = [await addOwner(database, 'oann'), await addOwner(database, 'oben')]
    await ingest(database, ann, [message('a1'), message('a2')])
    await database.transaction(async transaction => {
      for (const sequence of ['change_seq', 'row_seq', 'words_seq', 'name_seq'] as const)
        await reserveNumbers(transaction, ann.owner_id, sequence, 1)
      // This finishes although the numbers of the other owner are locked until the transaction ends.
      await ingest(other, ben, [message('b1'), message('b2')])
    })
    const rowsOf = async ({ owner_id, connection_id, stream }: IngestTarget) => {
      const word = scopeWord(owner_id, connection_id, stream.name)
      const ids = await database.words.match(owner_id, { word }, { below: 100 }, 10)
      const rows = await loadRows(database, owner_id, PLACES, ids)
      return rows.map(row => [row.row_id, row.record_key]).sort()
    }
    assert.deepEqual(await rowsOf(ann), [
      [1, 'a1'],
      [2, 'a2'],
    ])
    assert.deepEqual(await rowsOf(ben), [
      [1, 'b1'],
      [2, 'b2'],
    ])
    await ingest(database, ann, [{ key: 'a1', op: 'delete' }])
    assert.deepEqual(await rowsOf(ann), [[2, 'a2']])
    assert.deepEqual((await rowsOf(ben)).length, 2, 'a row of the same number stays')
  }
  await remove()
})

onEachEngine('an index from before keys started with the owner is kept unchanged', async engine => {
  const { location, remove } = await freshLocation(engine)
  {
    await using database = await openDatabase(location, 'writer')
    await migrate(database, BEFORE_OWNER_KEYS)
    const text = (value: string) => `'${value}'`
    const insert = (table: string, values: Record<string, string | number>) =>
      database.run(
        `INSERT INTO ${table} (${Object.keys(values).join(', ')})
         VALUES (${Object.values(values).join(', ')})`,
      )
    const owner_id = text('oann')
    const place = { owner_id, connection_id: text('cin_a'), stream: text('notes') }
    await insert('owners', { owner_id, created_at: text(NOW), catalog_seq: 0, change_seq: 2, text_seq: 0 })
    for (const row_id of [7, 8]) {
      const record_key = text(`n${row_id}`)
      await insert('search_rows', { ...place, row_id, record_key, row_no: 0, time_key: text('t') })
      await insert('search_counts', { row_id, sections: text(`s${row_id}`) })
      const words = text(`walrus word${row_id}`)
      if (engine === 'sqlite') await insert('token_index', { rowid: row_id, words })
      else await insert('token_index', { row_id, time_key: text('t'), words })
    }
    const vector = engine === 'sqlite' ? `x'01'` : `'\\x01'`
    await insert('meaning_vectors', { row_id: 7, owner_id, made: 3, digest: text('d'), vector })
    await insert('names', {
      ...{ ...place, name_key: text('k'), name_no: 5, field: text('from'), text: text('Ann') },
      ...{ person: text('ann'), words: text(' ann '), wrote: 1, n: 1 },
    })
    await insert('name_records', { name_no: 5, time_key: text('t'), record_key: text('n7') })
    for (const [name, value] of Object.entries({
      search_rows: 8,
      word_hashes: 2,
      meaning_vectors: 3,
      names: 5,
    }))
      await database.run('UPDATE counters SET value = ? WHERE name = ?', [value, name])

    await migrate(database)
    const found = async (word: string) => database.words.match('oann', { word }, { below: 100 }, 10)
    assert.deepEqual(await found('walrus'), [8, 7])
    assert.deepEqual(await found('word7'), [7])
    assert.deepEqual(
      await database.all(
        `SELECT owner_id, row_id, record_key, sections FROM search_rows JOIN search_counts USING (owner_id, row_id)
         ORDER BY row_id`,
      ),
      [
        { owner_id: 'oann', row_id: 7, record_key: 'n7', sections: 's7' },
        { owner_id: 'oann', row_id: 8, record_key: 'n8', sections: 's8' },
      ],
    )
    assert.deepEqual(await database.all('SELECT owner_id, row_id, digest FROM meaning_vectors'), [
      { owner_id: 'oann', row_id: 7, digest: 'd' },
    ])
    assert.deepEqual(await database.all('SELECT owner_id, name_no, record_key FROM name_records'), [
      { owner_id: 'oann', name_no: 5, record_key: 'n7' },
    ])
    const { created_at: _, ...numbers } = (await database.get<object>('SELECT * FROM owners')) as Record<
      string,
      unknown
    >
    assert.deepEqual(numbers, {
      ...{ owner_id: 'oann', catalog_seq: 0, change_seq: 2, text_seq: 0 },
      ...{ row_seq: 8, words_seq: 2, name_seq: 5 },
    })
  }
  await remove()
})
