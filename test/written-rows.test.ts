import assert from 'node:assert/strict'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { changeRows, deleteRows, findRow, listRows } from '../src/store/engine/rows.ts'
import { table } from '../src/store/engine/table.ts'
import { onEachEngine, storeLocation } from './engines.ts'

const KEPT = table('kept_values', ['no'], {
  no: 'bigint',
  text: 'text?',
  number: 'bigint?',
  bytes: 'bytes',
})

const TEXTS = [
  '',
  'plain',
  '"quoted", {braces} and \\ backslash',
  'NULL',
  null,
  'Zürich 北京 🜚',
  '\u{e002}\u{10fffd}',
  'x'.repeat(70_000),
]
const NUMBERS = [0, 1, -1, null, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, -(2 ** 53) + 1]

onEachEngine('few rows and many are stored exactly as given', async engine => {
  const { location, remove } = await storeLocation(engine)
  try {
    await using database = await openDatabase(location, 'writer')
    await database.define(
      'CREATE TABLE kept_values (no BIGINT NOT NULL PRIMARY KEY, text TEXT, number BIGINT, bytes BYTES NOT NULL);',
    )
    const rows = TEXTS.map((text, no) => ({
      no,
      text,
      number: NUMBERS[no] ?? null,
      bytes: new Uint8Array([no, 0, 255]),
    }))
    const read = async () =>
      (await database.all<(typeof rows)[number]>('SELECT * FROM kept_values ORDER BY no')).map(row => ({
        ...row,
        bytes: new Uint8Array(row.bytes),
      }))
    await database.insert(KEPT, rows)
    assert.deepEqual(await read(), rows)
    await database.run('DELETE FROM kept_values')
    for (const row of rows) await database.insert(KEPT, [row])
    assert.deepEqual(await read(), rows)
    // Lists that wait for each other on one connection do not share their memory.
    await database.transaction(transaction =>
      transaction.writeTogether(
        [1_000, 2_000, 3_000].map(first => ({
          table: KEPT,
          rows: rows.map(row => ({ ...row, no: first + row.no, text: `${first} ${row.no}` })),
          existing: 'fail',
        })),
      ),
    )
    const later = (await read()).filter(({ no }) => no >= 1_000)
    assert.equal(later.length, 3 * rows.length)
    for (const { no, text } of later) assert.equal(text, `${no - (no % 1_000)} ${no % 1_000}`)
  } finally {
    await remove()
  }
})

onEachEngine('rows are found, listed, changed and deleted by their values', async engine => {
  const { location, remove } = await storeLocation(engine)
  try {
    await using database = await openDatabase(location, 'writer')
    await database.define(
      'CREATE TABLE kept_values (no BIGINT NOT NULL PRIMARY KEY, text TEXT, number BIGINT, bytes BYTES NOT NULL);',
    )
    const bytes = new Uint8Array([1])
    const rows = [3, 1, 2].map(no => ({ no, text: no === 2 ? 'other' : 'same', number: null, bytes }))
    await database.insert(KEPT, rows)
    assert.deepEqual(await findRow(database, KEPT, ['no', 'number'], { text: 'other' }), {
      no: 2,
      number: null,
    })
    assert.equal(await findRow(database, KEPT, ['no'], { text: 'other', no: 1 }), undefined)
    const same = await listRows(database, KEPT, ['no'], { text: 'same' }, ['no'])
    assert.deepEqual(same, [{ no: 1 }, { no: 3 }])
    assert.equal(await changeRows(database, KEPT, { text: null, number: 7 }, { text: 'same', no: 3 }), 1)
    assert.deepEqual(await listRows(database, KEPT, ['no', 'text'], { number: 7 }), [{ no: 3, text: null }])
    assert.equal(await deleteRows(database, KEPT, { number: 7 }), 1)
    assert.equal(await deleteRows(database, KEPT, { number: 7 }), 0)
    await assert.rejects(deleteRows(database, KEPT, {}))
  } finally {
    await remove()
  }
})
