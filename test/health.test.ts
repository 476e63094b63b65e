import assert from 'node:assert/strict'
import type { Database } from '../src/store/engine/database.ts'
import { onEachEngine, TestServer, writable } from './engines.ts'

const ALIVE = { database: 'ok', ledger: 'ok', writer: 'ok', scanner: 'ok' }

onEachEngine('/healthz and /readyz check each part and name the one that does not answer', async engine => {
  await using server = await TestServer.start(engine)
  const ask = async (path: string) => {
    const { status, body } = await server.json(path, { token: null })
    return [status, body.status, body.parts]
  }
  assert.deepEqual(await ask('/healthz'), [200, 'ok', ALIVE])
  assert.deepEqual(await ask('/readyz'), [200, 'ok', { ...ALIVE, migrations: 'ok' }])

  const database = writable(server.store)
  const { ledger, writer } = server.store
  const broken: Partial<Database> = ledger.database
  const gone = () => Promise.reject(new Error('the disk is gone'))
  Object.assign(broken, { get: gone, transaction: gone })
  const without = { ...ALIVE, ledger: 'down' }
  assert.deepEqual(await ask('/healthz'), [503, 'unavailable', without])
  assert.deepEqual(await ask('/readyz'), [503, 'unavailable', { ...without, migrations: 'down' }])
  delete broken.get
  delete broken.transaction

  await database.run(`INSERT INTO migrations (part, no) VALUES ('store', 9999)`)
  assert.deepEqual(await ask('/healthz'), [200, 'ok', ALIVE])
  assert.deepEqual(await ask('/readyz'), [503, 'unavailable', { ...ALIVE, migrations: 'down' }])
  await database.run('DELETE FROM migrations WHERE no = 9999')
  assert.deepEqual((await ask('/readyz'))[0], 200)

  await writer.kill()
  assert.deepEqual(await ask('/healthz'), [503, 'unavailable', { ...ALIVE, writer: 'down' }])
  assert.deepEqual(server.failures, [])
})
