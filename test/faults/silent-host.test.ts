import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '../../src/store/engine/database.ts'
import { PostgresDatabase } from '../../src/store/engine/postgres.ts'
import { storeLocation, TestServer } from '../engines.ts'
import { MAILBOX, message } from '../mailbox.ts'
import { SilentProxy } from '../silent-proxy.ts'

const OPTIONS = { connections: 2, durability: 'full', statementTimeoutMs: 0, patienceMs: 200 } as const
const UNREACHABLE = { code: 'service_unavailable', message: /^The database cannot be reached\./ }
/** Without a limit these tests would wait for hours. */
const LIMIT = { timeout: 60_000 }

async function proxied(): Promise<{ proxy: SilentProxy; url: string; remove: () => Promise<void> }> {
  const { location, remove } = await storeLocation('postgres')
  assert.ok(location.engine === 'postgres')
  return { proxy: await SilentProxy.before(location.url), url: location.url, remove }
}

test('statements of a host that falls silent fail with an error that says so', LIMIT, async () => {
  const { proxy, remove } = await proxied()
  {
    await using _proxy = proxy
    await using database = new PostgresDatabase({ url: proxy.url, ...OPTIONS })
    const one = () => database.get('SELECT 1 AS one')
    const inside = (work: (transaction: Transaction) => Promise<unknown>) => database.transaction(work)
    assert.deepEqual(await one(), { one: 1 })
    const asked = [
      inside(async transaction => {
        await transaction.get('SELECT 1 AS one')
        proxy.isSilent = true
        await transaction.get('SELECT 2 AS two')
      }),
      inside(async transaction => {
        await transaction.get('SELECT 1 AS one')
        while (!proxy.isSilent) await sleep(1)
      }),
      inside(async () => {}),
    ]
    while (!proxy.isSilent) await sleep(1)
    const rest = [one(), one(), one(), database.words.match('o', { word: 'w' }, { below: 1 }, 1)]
    await Promise.all([...asked, ...rest].map(each => assert.rejects(each, UNREACHABLE)))
    await assert.rejects(one(), UNREACHABLE, 'a new connection')
    await assert.rejects(database.frozen(), UNREACHABLE)
    proxy.isSilent = false
    assert.deepEqual(await one(), { one: 1 })
    assert.deepEqual(await inside(transaction => transaction.get('SELECT 1 AS one')), { one: 1 })
  }
  await remove()
})

test('a database is closed although its host is silent', LIMIT, async () => {
  const { proxy, remove } = await proxied()
  {
    await using _proxy = proxy
    const database = new PostgresDatabase({ url: proxy.url, ...OPTIONS })
    await database.transaction(transaction => transaction.get('SELECT 1 AS one'))
    await database.get('SELECT 1 AS one')
    proxy.isSilent = true
    const asked = assert.rejects(database.get('SELECT 1 AS one'), UNREACHABLE)
    await database[Symbol.asyncDispose]()
    await asked
  }
  await remove()
})

test(
  'a statement that takes long, or waits for others, is not given up while the host answers',
  LIMIT,
  async () => {
    const { proxy, url, remove } = await proxied()
    {
      await using _proxy = proxy
      await using database = new PostgresDatabase({ url, ...OPTIONS })
      const slow = () => database.transaction(transaction => transaction.run('SELECT pg_sleep(0.7)'))
      await Promise.all([slow(), slow(), slow(), database.run('SELECT pg_sleep(0.7)')])
    }
    await remove()
  },
)

test('/healthz and /readyz say that the database does not answer', LIMIT, async () => {
  const { location, remove } = await storeLocation('postgres')
  assert.ok(location.engine === 'postgres')
  {
    await using proxy = await SilentProxy.before(location.url)
    await using server = await TestServer.on({ ...location, url: proxy.url })
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [message('m')])
    proxy.isSilent = true
    for (const path of ['/healthz', '/readyz']) {
      const { status, body } = await server.json(path, { token: null })
      assert.deepEqual(
        [status, body.status, body.parts.database, body.parts.ledger],
        [503, 'unavailable', 'down', 'down'],
      )
    }
    proxy.isSilent = false
    proxy.cut()
    while ((await server.json('/readyz', { token: null })).status !== 200) await sleep(10)
  }
  await remove()
})
