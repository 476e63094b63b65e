import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { TestServer } from '../engines.ts'
import { record } from '../figures.ts'
import { MAILBOX, message } from '../mailbox.ts'

test('lines that PostgreSQL lost when it was killed are written again before the ledger counts as intact', async context => {
  // Keeps lines from aging on a slow machine.
  context.mock.timers.enable({ apis: ['setInterval'] })
  await using server = await TestServer.start('postgres')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m')])
  const token = await server.grant()
  const read = () => server.json('/v1/streams/messages/records/m', { token })
  for (let n = 0; n < 3; n++) assert.equal((await read()).status, 200)
  const lines = async () => (await server.json('/v1/owner/disclosures')).body.data
  const before = await lines()
  assert.equal(before.length, 3)

  const { location } = server
  assert.ok(location.engine === 'postgres')
  const other = new pg.Client({ connectionString: location.url })
  await other.connect()
  await other.query(`DELETE FROM disclosures WHERE disclosure_id <> $1`, [before.at(-1).disclosure_id])
  await other.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  )
  await other.end()
  const since = performance.now()
  while ((await server.json('/healthz', { token: null })).status !== 200)
    assert.ok(performance.now() - since < 30_000, 'the server did not recover')
  assert.deepEqual(await lines(), before)
  const { body: report } = await server.json('/v1/owner/ledger/verify', { method: 'POST' })
  assert.deepEqual([report.state, report.entries], ['intact', 3])
  record('lines of the ledger lost by PostgreSQL', 'postgres', { lost: 2, 'written again': 2 })
})
