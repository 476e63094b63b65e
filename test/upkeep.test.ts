import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startServer } from '../src/origin/server.ts'
import { forgetExpired } from '../src/origin/tidy.ts'
import { hashOf } from '../src/store/engine/identifiers.ts'
import type { Store } from '../src/store/store.ts'
import { freshLocation, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const DAY_MS = 86_400_000
const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString()

async function countOf(store: Store, table: string): Promise<number> {
  return (await store.database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1
}

onEachEngine('only tombstones that are old enough are deleted', async engine => {
  await using server = await TestServer.start(engine)
  const { store } = server
  const { owner_id } = store
  const mail = await server.connect(MAILBOX)
  await server.ingest('messages', mail, [message('kept'), message('old'), message('new')])
  await server.ingest('messages', mail, [{ op: 'delete', key: 'old' }])
  await sleep(10)
  const between = new Date().toISOString()
  await sleep(10)
  await server.ingest('messages', mail, [{ op: 'delete', key: 'new' }])
  const forget = (before: string) => store.writer.call('forgetTombstones', { owner_id, before })

  assert.equal(await forget(at(-DAY_MS)), 0)
  assert.equal(await forget(between), 1)
  const changed = await server.json('/v1/streams/messages/records?changes_since=beginning')
  const ids = changed.body.data.map((record: { id: string }) => record.id)
  assert.deepEqual(ids, ['kept'], 'a reader that knows nothing is not told of deletions')
  assert.equal(await countOf(store, 'records'), 2)
  assert.equal(await forget(at(DAY_MS)), 1)
  assert.equal(await countOf(store, 'records'), 1)
  assert.equal((await server.ingest('messages', mail, [message('old')])).body.added, 1)
})

onEachEngine(
  'bytes of interrupted uploads are removed after a while, but not those of running uploads',
  async engine => {
    await using server = await TestServer.start(engine)
    const { store } = server
    const { owner_id } = store
    const bytes = Buffer.alloc(600_000, 7)
    let resume = () => {}
    const paused = new Promise<void>(resolve => {
      resume = resolve
    })
    const running = store.writer.pour(
      'blob',
      { owner_id, mime_type: 'text/plain' },
      (async function* () {
        yield new Uint8Array(bytes)
        await paused
        yield new Uint8Array(bytes)
      })(),
    )
    const interrupted = store.writer.pour(
      'blob',
      { owner_id, mime_type: 'text/plain' },
      (async function* () {
        yield new Uint8Array(bytes)
        throw new Error('the client has gone')
      })(),
    )
    await assert.rejects(interrupted, /the client has gone/)
    while ((await countOf(store, 'blob_pieces')) < 4) await sleep(5)
    await server.connect(MAILBOX)
    await server.grant()

    const forget = (before: string) => store.writer.call('forgetBrokenUploads', { owner_id, before })
    assert.equal(await forget(at(-DAY_MS)), 0, 'both began today')
    resume()
    const { blob_id } = await running
    assert.equal(await forget(at(60_000)), 2, 'only the interrupted one is removed')
    const read = await server.request(`/v1/blobs/${blob_id}`)
    assert.equal((await read.arrayBuffer()).byteLength, 2 * bytes.length)
  },
)

onEachEngine('every hour, what has expired is deleted and what is valid stays', async engine => {
  const { location, remove } = await freshLocation(engine)
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    const place = { location, host: '127.0.0.1', port: 0, publicUrl: null }
    const options = { ...place, rateLimit: null, clientDocuments: false, cursorTtlSeconds: 600 }
    const failures: unknown[] = []
    await using server = await startServer(options, { report: error => failures.push(error) })
    const { store } = server
    const { owner_id } = store
    const artifact = (model: string, id: string, created: number, expires: number | null) =>
      store.writer.call('saveArtifact', {
        owner_id,
        model,
        id,
        payload: {},
        consent_id: model === 'AccessToken' ? 'consent' : null,
        lookup: null,
        opens: model === 'AccessToken',
        asked_from: null,
        now: at(created),
        expires_at: expires === null ? null : at(expires),
      })
    await artifact('AccessToken', 'expired', -DAY_MS, -1_000)
    await artifact('AccessToken', 'valid', -1_000, DAY_MS)
    await artifact('Client', 'idle', -31 * DAY_MS, null)
    await artifact('Client', 'young', -29 * DAY_MS, null)
    await store.writer.call('createSignInLink', { owner_id, now: at(-2 * 3_600_000) })
    await store.writer.call('createSignInLink', { owner_id, now: at(0) })
    await store.writer.call('createOwnerToken', { owner_id, now: at(0) })
    assert.deepEqual([await countOf(store, 'oauth_artifacts'), await countOf(store, 'sign_in_links')], [4, 2])

    mock.timers.tick(3_600_000)
    const since = performance.now()
    while ((await countOf(store, 'sign_in_links')) > 1) {
      assert.ok(performance.now() - since < 20_000, 'nothing was forgotten')
      await sleep(10)
    }
    const keys = await store.database.all<{ artifact_key: string }>(
      'SELECT artifact_key FROM oauth_artifacts ORDER BY artifact_key',
    )
    assert.deepEqual(keys.map(row => row.artifact_key).sort(), [hashOf('valid'), 'young'].sort())
    assert.equal(await countOf(store, 'tokens'), 2)
    assert.deepEqual(failures, [])
  } finally {
    mock.timers.reset()
    await remove()
  }
})

test('a lost connection to PostgreSQL is opened again by the next request', async () => {
  await using server = await TestServer.start('postgres')
  const { url } = server.location as { url: string }
  const mail = await server.connect(MAILBOX)
  await server.ingest('messages', mail, [message('m', { body: 'walrus' })])
  const read = () => server.json('/v1/streams/messages/records/m')
  const search = () => server.json('/v1/search?q=walrus')
  assert.deepEqual([(await read()).status, (await search()).status], [200, 200])

  const other = new pg.Client({ connectionString: url })
  await other.connect()
  const waiting = server.store.database.get('SELECT pg_sleep(30)')
  const failed = assert.rejects(waiting, error => (error as { code?: string }).code === 'service_unavailable')
  const isSleeping = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'SELECT pg_sleep(30)' AND wait_event = 'PgSleep'`
  while ((await other.query(isSleeping)).rowCount === 0) await sleep(5)
  const { rowCount } = await other.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  )
  assert.ok(rowCount && rowCount > 4, `${rowCount} connections`)
  await other.end()
  await failed
  const since = performance.now()
  for (const attempt of [read, search, () => server.ingest('messages', mail, [message('after')])]) {
    for (let status = 0; status !== 200; ) {
      status = (await attempt()).status
      assert.ok([200, 503].includes(status), String(status))
      assert.ok(performance.now() - since < 10_000)
    }
  }
})

onEachEngine(
  'positions of page cursors survive a restart and are deleted after they expire',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    const ids = [1, 2, 3].map(n => `${n}-${'x'.repeat(500)}`)
    await server.ingest(
      'messages',
      mail,
      ids.map(id => message(id)),
    )
    const page = (cursor: string) =>
      server.json(`/v1/streams/messages/records?limit=1&order=asc${cursor && `&cursor=${cursor}`}`)
    const first = (await page('')).body
    assert.equal(first.next_cursor.length, 64)
    const repeated = (await page('')).body
    assert.notEqual(repeated.next_cursor, first.next_cursor)
    const { store } = server
    const kept = async () =>
      (await store.ledger.database.get<{ n: number }>('SELECT count(*) AS n FROM page_positions'))?.n
    assert.equal(await kept(), 1, 'one position, however often its page is read')
    await forgetExpired(store, 86_400)
    assert.equal((await page(first.next_cursor)).body.data[0].id, ids[1])
    await forgetExpired(store, -7_200)
    assert.equal(await kept(), 0)
    const { status, body } = await page(first.next_cursor)
    assert.deepEqual([status, body.error.code, body.error.reason], [400, 'invalid_cursor', 'expired'])
  },
)
