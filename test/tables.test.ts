import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as access from '../src/store/access/tables.ts'
import type { Transaction } from '../src/store/engine/database.ts'
import type { Table } from '../src/store/engine/table.ts'
import * as names from '../src/store/names/tables.ts'
import * as records from '../src/store/records/tables.ts'
import { onEachEngine, TestServer, writable } from './engines.ts'

onEachEngine('the tables in code have the columns of the database, with their types', async engine => {
  await using server = await TestServer.start(engine)
  const database = writable(server.store)
  const { ledger } = server.store
  for (const table of [
    ...Object.values(records),
    ...Object.values(names),
    ...Object.values(access),
  ] as Table[]) {
    const home = ['disclosures', 'ledger_marks', 'line_blocks', 'page_positions'].includes(table.name)
      ? ledger.database
      : database
    const found =
      engine === 'sqlite'
        ? await home.all<{ name: string; type: string; required: number; key: number }>(
            `SELECT name, type, "notnull" AS required, pk AS key FROM pragma_table_info('${table.name}') ORDER BY name`,
          )
        : await home.all<{ name: string; type: string; required: number }>(
            `SELECT column_name AS name, data_type AS type, CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END AS required
             FROM information_schema.columns WHERE table_name = ? ORDER BY column_name`,
            [table.name],
          )
    const described = Object.entries(table.columns).sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(
      described,
      found.map(({ name, type, required }) => [name, `${TYPES[type]}${required ? '' : '?'}`]),
      table.name,
    )
  }
})

const TYPES: Record<string, string> = {
  TEXT: 'text',
  INTEGER: 'bigint',
  BLOB: 'bytes',
  text: 'text',
  bigint: 'bigint',
  bytea: 'bytes',
}

onEachEngine(
  'rows are written by column name; an existing row causes an error, is left alone or is replaced',
  async engine => {
    await using server = await TestServer.start(engine)
    const database = writable(server.store)
    const { CLIENTS } = access
    const row = { owner_id: 'o', client_id: 'c', name: 'First', created_at: '2026' }
    const stored = () => database.get(`SELECT client_id, name, origin FROM clients WHERE owner_id = 'o'`)
    await database.insert(CLIENTS, [row])
    assert.deepEqual(await stored(), { client_id: 'c', name: 'First', origin: null })
    await assert.rejects(database.insert(CLIENTS, [row]), /unique/i)
    const others = [row, { ...row, client_id: 'd' }]
    assert.equal(await database.insertNew(CLIENTS, others), 1)
    await database.upsert(CLIENTS, [{ ...row, name: 'Second', origin: 'oauth' }])
    assert.deepEqual(await stored(), { client_id: 'c', name: 'Second', origin: 'oauth' })
    await database.upsert(CLIENTS, [{ ...row, name: 'Third' }], `name = t.name || ' and ' || excluded.name`)
    assert.deepEqual(await stored(), { client_id: 'c', name: 'Second and Third', origin: 'oauth' })
  },
)

test('a row with a wrong name, a wrong type or a missing column does not compile', () => {
  const row = { owner_id: 'o', client_id: 'c', name: 'First', created_at: '2026' }
  const write = async (transaction: Transaction) => {
    // @ts-expect-error no such column
    await transaction.insert(access.CLIENTS, [{ ...row, title: 'First' }])
    // @ts-expect-error not text
    await transaction.insert(access.CLIENTS, [{ ...row, name: 1 }])
    // @ts-expect-error a column that allows no null
    await transaction.insert(access.CLIENTS, [{ ...row, name: null }])
    // @ts-expect-error a column is missing
    await transaction.insert(access.CLIENTS, [{ owner_id: 'o', client_id: 'c', name: 'First' }])
    // @ts-expect-error a transaction cannot be nested
    await transaction.transaction(async () => {})
  }
  assert.equal(typeof write, 'function')
})
