import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDeclaration } from '../src/model/declaration/parse-declaration.ts'
import type { Database } from '../src/store/engine/database.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { NOTHING_NUMBERED, reserveNumbers } from '../src/store/engine/owner-row.ts'
import { Ingest } from '../src/store/ingest/ingest.ts'
import type { IngestTarget } from '../src/store/ingest/write-records.ts'
import { CONNECTIONS, OWNERS } from '../src/store/records/tables.ts'
import { scopeWord } from '../src/store/search/indexing.ts'
import { loadRows, PLACES } from '../src/store/search/search-rows.ts'
import { storeLocation } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const NOW = '2026-01-01T00:00:00.000Z'

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
