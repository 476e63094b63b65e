import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { View } from '../engine/database.ts'
import { ReadRows } from './search-rows.ts'

/** Answers for every row below 100, and notes which ids were read from which table. */
function notingDatabase() {
  const read: { table: string; ids: number[] }[] = []
  const database = {
    oneOf: () => 'row_id = ANY(?)',
    list: (ids: readonly number[]) => ids,
    async all(sql: string, [, ids]: [string, number[]]) {
      const table = /FROM (.+) WHERE/.exec(sql)?.[1] ?? ''
      read.push({ table, ids })
      const place = { connection_id: 'cin_a', stream: 'messages', row_no: 0, time_key: null }
      const found = ids.filter(row_id => row_id < 100)
      if (table === 'search_rows')
        return found.map(row_id => ({ ...place, row_id, record_key: `m-${row_id}` }))
      return found.map(row_id => ({ row_id, sections: `counts of ${row_id}` }))
    },
  }
  return { read, database: database as unknown as View }
}

test('the place of a row and its counts are read once, and the counts only where they are needed', async () => {
  const { read, database } = notingDatabase()
  const rows = new ReadRows('owner')
  await Promise.all([rows.places(database, [9, 8, 7]), rows.places(database, [8, 7, 6])])
  const counted = await rows.rows(database, [7, 9])
  await rows.rows(database, [9, 5])
  await rows.places(database, [9, 5])
  assert.deepEqual(
    counted.map(({ record_key, sections }) => `${record_key}: ${sections}`),
    ['m-7: counts of 7', 'm-9: counts of 9'],
  )
  assert.deepEqual(read, [
    { table: 'search_rows', ids: [9, 8, 7] },
    { table: 'search_rows', ids: [6] },
    { table: 'search_counts', ids: [7, 9] },
    { table: 'search_counts', ids: [5] },
    { table: 'search_rows', ids: [5] },
  ])
})

test('a row that is gone is left out, wherever it is asked for', async () => {
  const { database } = notingDatabase()
  const rows = new ReadRows('owner')
  const ids = (found: readonly { row_id: number }[]) => found.map(({ row_id }) => row_id)
  assert.deepEqual(ids(await rows.places(database, [120, 3])), [3])
  assert.deepEqual(ids(await rows.rows(database, [4, 120, 3])), [4, 3])
})
