import assert from 'node:assert/strict'
import type { Source } from '../src/model/access/enforce.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { TALLIES } from '../src/store/records/tables.ts'
import { populationOf } from '../src/store/search/ranking/population.ts'
import { onEachEngine, storeLocation } from './engines.ts'

const OWNER = 'o_1'
const PLACE = { owner_id: OWNER, connection_id: 'cin_1', stream: 'mail' }
const OPEN = { fields: null, since: null, until: null, record_ids: null }

function selected(...clauses: object[]) {
  const source = { connection_id: 'cin_1', stream: { name: 'mail' }, clauses } as unknown as Source
  return [{ source, conditions: [] }]
}

onEachEngine('the records of a source are added up again whenever data has changed', async engine => {
  const { location, remove } = await storeLocation(engine)
  const database = await openDatabase(location, 'writer')
  const tally = (day: string, n: number) => database.upsert(TALLIES, [{ ...PLACE, day, n }])
  await tally('2024-01-31', 3)
  await tally('2024-02-01', 4)
  const state = { change_seq: 7, catalog_seq: 2 }
  const count = (clauses: object[], at = state) => populationOf(database, OWNER, selected(...clauses), at)
  const bounded = { ...OPEN, since: 't2024-02-01T00:00:00.000000000Z' }
  assert.equal(await count([OPEN]), 7)
  assert.equal(await count([bounded]), 4)
  assert.equal(await count([bounded, { ...OPEN, record_ids: new Set(['a', 'b']) }]), 6)
  await tally('2024-02-01', 40)
  assert.equal(await count([OPEN]), 7, 'nothing has changed, so nothing is read')
  assert.equal(await count([OPEN], { ...state, change_seq: 8 }), 43)
  await tally('2024-02-01', 50)
  assert.equal(await count([OPEN], { change_seq: 8, catalog_seq: 3 }), 53)
  await database[Symbol.asyncDispose]()
  await remove()
})
