import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Database, Queryable, Transaction } from '../src/store/engine/database.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { table } from '../src/store/engine/table.ts'
import { type Engine, onEachEngine, storeLocation } from './engines.ts'
import { freePort } from './free-port.ts'

async function withTable(engine: Engine, work: (database: Database) => Promise<void>): Promise<void> {
  const { location, remove } = await storeLocation(engine)
  {
    await using database = await openDatabase(location, 'writer')
    await database.define('CREATE TABLE things (id TEXT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)')
    await database.run(`INSERT INTO things (id, n) VALUES ('a', 0)`)
    await work(database)
  }
  await remove()
}

const INSIDE = /inside a transaction of this database/

onEachEngine('a database refuses calls from inside its own transaction', async engine => {
  await withTable(engine, async database => {
    const calls: ((transaction: Transaction) => Promise<unknown>)[] = [
      () => database.transaction(async () => {}),
      () => database.exclusively(async () => {}),
      () => database.get('SELECT n FROM things'),
      () => database.run('UPDATE things SET n = 1'),
      () => database.words.match('o', { word: 'lantern' }, { below: 9 }, 1),
      async () => {
        await new Promise(setImmediate)
        return database.all('SELECT n FROM things')
      },
    ]
    for (const call of calls) {
      await assert.rejects(
        database.transaction(async transaction => {
          await transaction.run('UPDATE things SET n = 7')
          await call(transaction)
        }),
        INSIDE,
      )
    }
    assert.deepEqual(await database.get('SELECT n FROM things'), { n: 0 }, 'nothing was kept')
    await database.transaction(transaction => transaction.run('UPDATE things SET n = 2'))
    assert.deepEqual(await database.get('SELECT n FROM things'), { n: 2 })
  })
})

onEachEngine('a statement of another caller neither joins an open transaction nor sees it', async engine => {
  await withTable(engine, async database => {
    let begun = () => {}
    let finish = () => {}
    const isOpen = new Promise<void>(resolve => {
      begun = resolve
    })
    const mayEnd = new Promise<void>(resolve => {
      finish = resolve
    })
    const failing = database.transaction(async transaction => {
      await transaction.run(`INSERT INTO things (id, n) VALUES ('b', 1)`)
      begun()
      await mayEnd
      throw new Error('rolled back')
    })
    await isOpen
    const read = database.all('SELECT id FROM things ORDER BY id')
    const written = database.run(`INSERT INTO things (id, n) VALUES ('c', 1)`)
    await new Promise(setImmediate)
    finish()
    await assert.rejects(failing, /rolled back/)
    await written
    assert.deepEqual((await read).map(row => (row as { id: string }).id).includes('b'), false)
    assert.deepEqual(await database.all('SELECT id FROM things ORDER BY id'), [{ id: 'a' }, { id: 'c' }])
  })
})

onEachEngine('rows that are added together are all added, or none are', async engine => {
  const things = table('things', ['id'], { id: 'text', n: 'bigint' })
  await withTable(engine, async database => {
    await assert.rejects(
      database.insert(things, [
        { id: 'b', n: 1 },
        { id: 'a', n: 2 },
      ]),
    )
    assert.deepEqual(await database.all('SELECT id FROM things'), [{ id: 'a' }])
    await database.insert(things, [
      { id: 'b', n: 1 },
      { id: 'c', n: 2 },
    ])
    await database.insert(things, [{ id: 'd', n: 3 }])
    await assert.rejects(database.insert(things, [{ id: 'd', n: 4 }]))
    assert.equal(await database.insertNew(things, [{ id: 'd', n: 4 }]), 0)
    await database.upsert(things, [{ id: 'd', n: 4 }], 'n = t.n + excluded.n')
    const rows = await database.all('SELECT id, n FROM things ORDER BY id')
    assert.deepEqual(rows, [
      { id: 'a', n: 0 },
      { id: 'b', n: 1 },
      { id: 'c', n: 2 },
      { id: 'd', n: 7 },
    ])
  })
})

async function endConnection(url: string, database: Queryable): Promise<void> {
  const backend = await database.get<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('SELECT pg_terminate_backend($1, 5000)', [backend?.pid])
  await other.end()
  await setTimeout(100)
}

test('a connection that PostgreSQL ends during a transaction fails only that transaction', async () => {
  const { location, remove } = await storeLocation('postgres')
  assert.ok(location.engine === 'postgres')
  const { url } = location
  {
    await using database = await openDatabase(location, 'writer')
    const cut = database.transaction(async transaction => {
      await endConnection(url, transaction)
      await transaction.get('SELECT 1 AS one')
    })
    await assert.rejects(cut, { code: 'service_unavailable' })
    const next = database.transaction(transaction => transaction.get<{ one: number }>('SELECT 1 AS one'))
    assert.deepEqual(await next, { one: 1 })
    const frozen = await database.frozen()
    await endConnection(url, frozen)
    await assert.rejects(frozen.get('SELECT 1 AS one'), { code: 'service_unavailable' })
  }
  await remove()
})

test('while PostgreSQL is down, what was stored is not reported as failed, and exports are refused', async () => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`
  await using database = await openDatabase({ engine: 'postgres', url, directory: tmpdir() }, 'writer')
  database.noteGrowth(1_000_000)
  await assert.rejects(database.frozen(), { code: 'service_unavailable' })
})
