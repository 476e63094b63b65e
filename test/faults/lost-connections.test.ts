import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { PostgresLanes } from '../../src/store/engine/connections/postgres-lanes.ts'
import { PostgresDatabase } from '../../src/store/engine/postgres.ts'
import { storeLocation } from '../engines.ts'

const LOSSES = 20

test('a connection that replaces a lost one is used until the end, and then closed', async () => {
  const { location, remove } = await storeLocation('postgres')
  assert.ok(location.engine === 'postgres')
  const other = new pg.Client({ connectionString: location.url })
  await other.connect()
  const connections = async () => {
    const { rows } = await other.query(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    )
    return rows.map(({ pid }) => pid as number)
  }
  const lanes = new PostgresLanes({ connectionString: location.url }, 1)
  const answers = () =>
    lanes.query({ text: 'SELECT 1' }).then(
      () => true,
      () => false,
    )
  for (let no = 0; no < LOSSES; no++) {
    assert.ok(await answers())
    await other.query('SELECT pg_terminate_backend($1)', [await lanes.processOf(0)])
    while (lanes.losses === no) {
      await answers()
      await setImmediate()
    }
  }
  assert.ok(await answers())
  assert.deepEqual(await connections(), [await lanes.processOf(0)])
  await lanes.end()
  while ((await connections()).length > 0) await setImmediate()
  await other.end()
  await remove()
})

test('queries that are asked for together or in sequence take one connection, and those beside them another', async () => {
  const { location, remove } = await storeLocation('postgres')
  assert.ok(location.engine === 'postgres')
  const lanes = new PostgresLanes({ connectionString: location.url }, 2)
  const ask = async (seconds = 0) => {
    const { rows } = await lanes.query({
      text: `SELECT pg_backend_pid() AS pid FROM pg_sleep(${seconds})`,
    })
    return (rows as { pid: number }[])[0]?.pid
  }
  for (let round = 0; round < 3; round++) {
    const [one, other] = await Promise.all([ask(), ask()])
    assert.equal(one, other)
    assert.equal(await ask(), one)
    const slow = ask(0.1)
    await setImmediate()
    assert.notEqual(await ask(), one)
    assert.equal(await slow, one)
  }
  await lanes.end()
  await remove()
})

test('a lease that is stopped does not cancel the statement of the next one', async () => {
  const { location, remove } = await storeLocation('postgres')
  assert.ok(location.engine === 'postgres')
  {
    await using database = new PostgresDatabase({
      url: location.url,
      connections: 1,
      durability: 'full',
      statementTimeoutMs: 0,
    })
    await database.get('SELECT 1 AS one')
    for (let round = 0; round < 20; round++) {
      const first = database.lease()
      const stopping = first.stop()
      const second = database.lease()
      await second.view.get('SELECT pg_sleep(0.05)')
      await stopping
      first.release()
      second.release()
    }
  }
  await remove()
})
