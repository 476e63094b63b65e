import assert from 'node:assert/strict'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { freshLocation, onEachEngine, storeLocation, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

onEachEngine('data in a state that this version does not know is refused and kept', async engine => {
  for (const [part, no, reason] of [
    ['store', 19, /from before the first release .*\(store schema 19\)/],
    ['ledger', 3, /from before the first release .*\(ledger schema 3\)/],
    ['store', 9_999, /written by a newer Footnote \(store schema 9999\)/],
  ] as const) {
    const { location, remove } = await storeLocation(engine)
    {
      await using database = await openDatabase(location, part === 'store' ? 'writer' : 'ledger')
      await database.run('UPDATE migrations SET no = ? WHERE part = ?', [no, part])
      await assert.rejects(TestServer.on(location), reason)
      assert.deepEqual(await database.all('SELECT no FROM migrations WHERE part = ?', [part]), [{ no }])
    }
    await remove()
  }
})

onEachEngine('tables are created once', async engine => {
  const { location, remove } = await freshLocation(engine)
  const states = []
  for (let start = 0; start < 2; start++) {
    await using server = await TestServer.on(location)
    const { database, ledger } = server.store
    const sql = 'SELECT no FROM migrations WHERE part = ?'
    states.push([await database.all(sql, ['store']), await ledger.database.all(sql, ['ledger'])])
    assert.equal((await server.json('/readyz', { token: null })).status, 200)
  }
  assert.deepEqual(states[0], states[1])
  await remove()
})

onEachEngine(
  'PC-50: a grant of a version that is not known opens nothing and is not guessed',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX, 'Mail')
    await server.ingest('messages', connection, [message('m1')])
    const token = await server.grant({ connections: [connection] })
    const [{ grant_id }] = (await server.json('/v1/owner/grants')).body.data
    await writable(server.store).run(
      `UPDATE grants SET content = replace(content, '"version":"', '"version":"9') WHERE grant_id = ?`,
      [grant_id],
    )
    const refused = await server.json('/v1/schema', { token })
    assert.deepEqual(
      [refused.status, refused.body.error.code],
      [401, 'authorization_state.unsupported_legacy_shape'],
    )
    assert.match(refused.body.error.message, /Connect the app again/)
    assert.equal((await server.json(`/v1/owner/grants/${grant_id}`)).body.grant, null)
    assert.deepEqual(server.failures, [])
  },
)
