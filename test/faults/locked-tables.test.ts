import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../src/store/engine/open-database.ts'
import { PostgresDatabase } from '../../src/store/engine/postgres.ts'
import { storeLocation, TestServer } from '../engines.ts'
import { MAILBOX, message } from '../mailbox.ts'

/** Without a limit these tests would wait for as long as the tables are locked. */
const LIMIT = { timeout: 60_000 }
const LOCKED = { code: 'service_unavailable', message: /^Another program has locked the database\./ }

/** Another session of a database that holds a lock until it is disposed. */
async function locking(url: string, statement: string): Promise<AsyncDisposable> {
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('BEGIN')
  await other.query(statement)
  return { [Symbol.asyncDispose]: () => other.end() }
}

test('requests are refused with 503 while another session of PostgreSQL locks a table', LIMIT, async () => {
  await using server = await TestServer.start('postgres')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m')])
  const token = await server.grant()
  const read = () => server.json('/v1/streams/messages/records/m', { token })
  assert.equal((await read()).status, 200)
  assert.ok(server.location.engine === 'postgres')
  {
    await using _lock = await locking(server.location.url, 'LOCK TABLE records')
    const { status, body, headers } = await read()
    assert.deepEqual([status, body.error.code], [503, 'service_unavailable'])
    assert.match(body.error.message, LOCKED.message)
    assert.ok(headers.has('Retry-After'))
  }
  assert.equal((await read()).status, 200)
  {
    await using _lock = await locking(server.location.url, 'LOCK TABLE disclosures')
    const { status, body } = await read()
    assert.deepEqual([status, body.error.code], [503, 'ledger_unavailable'])
  }
  assert.equal((await read()).status, 200)
})

test(
  'statements and transactions of PostgreSQL wait for a lock only as long as they may',
  LIMIT,
  async () => {
    const { location, remove } = await storeLocation('postgres')
    assert.ok(location.engine === 'postgres')
    {
      const options = {
        url: location.url,
        connections: 2,
        durability: 'full',
        statementTimeoutMs: 0,
      } as const
      await using database = new PostgresDatabase({ ...options, lockTimeoutMs: 50 })
      const count = 'SELECT count(*) AS n FROM records'
      {
        await using _lock = await locking(location.url, 'LOCK TABLE records, token_index')
        await assert.rejects(database.get(count), LOCKED)
        await assert.rejects(
          database.transaction(transaction => transaction.get(count)),
          LOCKED,
        )
        await assert.rejects(database.words.match('o', { word: 'w' }, { below: 1 }, 1), LOCKED)
        const frozen = await database.frozen()
        await assert.rejects(frozen.get(count), LOCKED)
      }
      assert.deepEqual(await database.get(count), { n: 0 })
    }
    await remove()
  },
)

test(
  'PostgreSQL gets the limits of SQLite, and an upgrade waits for another one without limit',
  LIMIT,
  async () => {
    const { location, remove } = await storeLocation('postgres')
    const limits: Record<string, string> = {}
    for (const role of ['point-reader', 'reader', 'writer', 'exporter', 'ledger'] as const) {
      await using database = await openDatabase(location, role)
      const limit = await database.get<{ lock_timeout: string }>('SHOW lock_timeout')
      limits[role] = limit?.lock_timeout ?? ''
      const upgrading = await database.exclusively(transaction => transaction.get('SHOW lock_timeout'))
      assert.deepEqual(upgrading, { lock_timeout: '0' })
    }
    assert.deepEqual(limits, {
      'point-reader': '2s',
      reader: '2min',
      writer: '2min',
      exporter: '2min',
      ledger: '2s',
    })
    await remove()
  },
)
