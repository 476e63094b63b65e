import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextSyncRun } from '../src/store/records/syncs.ts'
import { type Engine, onEachEngine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX } from './mailbox.ts'

const COUNTS = { seen: 3, added: 2, updated: 1, unchanged: 0, rejected: 0, deleted: 0 }
const FOLDER = { no: 1, path: 'INBOX', uid_validity: '9', uid_next: 4, messages: 3, modseq: '12' }

async function syncedServer(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection_id = await server.connect(MAILBOX)
  const settings = { address: 'imap://ada@mail.example:993', security: 'tls', deletes: false }
  const body = { name: 'Ada', connection_id, every_minutes: 15, secret: 'v1.sealed', ...settings }
  const added = await server.post('/v1/owner/syncs', body)
  assert.equal(added.status, 201)
  const path = `/v1/owner/syncs/${added.body.sync_id}`
  const note = (content: object) => server.send('PATCH', `${path}/run`, content)
  const listed = async () => (await server.json('/v1/owner/syncs')).body.data
  return { server, connection_id, body, path, note, listed }
}

onEitherEngine('a sync never shows its secret, and its names are unique', async engine => {
  const { server, body, path, listed } = await syncedServer(engine)
  await using _ = server
  const [sync] = await listed()
  assert.equal(JSON.stringify(sync).includes('sealed'), false)
  assert.deepEqual([sync.running, sync.messages, sync.last_run, sync.failures], [false, 0, null, 0])
  assert.equal((await server.post('/v1/owner/syncs', body)).body.error.param, 'name')
  const nowhere = { ...body, name: 'Other', connection_id: 'cin_none' }
  assert.equal((await server.post('/v1/owner/syncs', nowhere)).body.error.code, 'connection_not_found')
  assert.equal((await server.request(path, { method: 'DELETE' })).status, 204)
  assert.equal((await server.json(path, { method: 'DELETE' })).body.error.code, 'sync_not_found')
})

onEitherEngine(
  'only one run at a time: a second is refused until the first ends, stops reporting or is dead',
  async engine => {
    const { server, path, note, listed } = await syncedServer(engine)
    await using _ = server
    const begun = await server.post(`${path}/run`, { runner: 'one' })
    assert.deepEqual([begun.status, begun.body.secret, begun.body.folders], [201, 'v1.sealed', []])
    assert.equal((await listed())[0].running, true)
    const refused = await server.post(`${path}/run`, { runner: 'two' })
    assert.deepEqual(
      [refused.status, refused.body.error.code, refused.body.error.runner],
      [409, 'sync_running', 'one'],
    )
    assert.equal((await server.post(`${path}/run`, { runner: 'two', replaces: 'one' })).status, 201)
    assert.equal((await note({ runner: 'one' })).body.error.code, 'sync_running')
    assert.equal((await note({ runner: 'two' })).status, 200)
    server.clockOffsetMs = 61_000
    assert.equal((await server.post(`${path}/run`, { runner: 'three' })).status, 201)
    assert.equal((await note({ runner: 'three', ended: { counts: COUNTS, error: null } })).status, 200)
    const early = await server.post(`${path}/run`, { runner: 'four', due: true })
    assert.deepEqual([early.status, early.body.error.code], [409, 'sync_running'])
    server.clockOffsetMs += 16 * 60_000
    assert.equal((await server.post(`${path}/run`, { runner: 'four', due: true })).status, 201)
    assert.equal((await note({ runner: 'four', ended: { counts: COUNTS, error: null } })).status, 200)
    assert.equal((await server.post(`${path}/run`, { runner: 'five' })).status, 201)
  },
)

onEachEngine('a sync runs again after a clock that was ahead is set back', async engine => {
  const { server, path, note, listed } = await syncedServer(engine)
  await using _ = server
  server.clockOffsetMs = 365 * 86_400_000
  await server.post(`${path}/run`, { runner: 'one' })
  server.clockOffsetMs = 0
  assert.equal((await listed())[0].running, false, 'a lease that ends in a year')
  server.clockOffsetMs = 365 * 86_400_000
  await note({ runner: 'one', ended: { counts: COUNTS, error: null } })
  server.clockOffsetMs = 0
  assert.ok(Date.parse((await listed())[0].next_run_at) <= Date.now())
  assert.equal((await server.post(`${path}/run`, { runner: 'two', due: true })).status, 201)
})

onEachEngine('a server whose clock is behind neither takes over a run nor repeats it', async engine => {
  const { server, path, note, listed } = await syncedServer(engine)
  await using _ = server
  await server.post(`${path}/run`, { runner: 'one' })
  server.clockOffsetMs = -2_000
  assert.equal((await listed())[0].running, true)
  assert.equal((await server.post(`${path}/run`, { runner: 'two' })).body.error.code, 'sync_running')
  server.clockOffsetMs = 0
  await note({ runner: 'one', ended: { counts: COUNTS, error: null } })
  server.clockOffsetMs = -2_000
  const again = await server.post(`${path}/run`, { runner: 'two', due: true })
  assert.equal(again.body.error?.code, 'sync_running')
})

onEitherEngine('a run keeps folders and messages, and forgets those that are gone', async engine => {
  const { server, path, note } = await syncedServer(engine)
  await using _ = server
  const messages = async (query = '') => (await server.json(`${path}/messages${query}`)).body.messages
  await server.post(`${path}/run`, { runner: 'one' })
  const message = (folder_no: number, uid: number) => ({
    folder_no,
    uid,
    record_id: `r${uid}`,
    labels: ['Unread'],
  })
  const known = [message(1, 2), message(1, 3), message(2, 1)]
  await note({ runner: 'one', folders: [FOLDER, { ...FOLDER, no: 2, path: 'Sent' }], messages: known })
  assert.deepEqual(await messages(), known)
  assert.deepEqual(await messages('?folder=1&after=2'), known.slice(1))
  await note({
    runner: 'one',
    gone: [{ folder_no: 1, uids: [3, 99] }],
    messages: [{ ...message(1, 2), labels: [] }],
  })
  assert.deepEqual(await messages(), [{ ...message(1, 2), labels: [] }, message(2, 1)])
  await note({ runner: 'one', folders: [FOLDER] })
  assert.deepEqual(await messages(), [{ ...message(1, 2), labels: [] }])
  const ended = await note({ runner: 'one', ended: { counts: COUNTS, error: null } })
  assert.deepEqual([ended.body.messages, ended.body.last_run.added, ended.body.running], [3, 2, false])
  assert.deepEqual((await server.post(`${path}/run`, { runner: 'two' })).body.folders, [FOLDER])
})

onEitherEngine(
  'a failed run stores its error and waits longer; deleting a connection deletes its syncs',
  async engine => {
    const { server, connection_id, path, note, listed } = await syncedServer(engine)
    await using _ = server
    const waits: number[] = []
    for (const error of [{ code: 'x', message: 'Wrong.' }, { code: 'x', message: 'Wrong.' }, null]) {
      await server.post(`${path}/run`, { runner: 'one' })
      const { body } = await note({ runner: 'one', ended: { counts: COUNTS, error } })
      assert.equal(body.last_error?.message ?? null, error && 'Wrong.')
      waits.push((Date.parse(body.next_run_at) - Date.parse(body.last_run.ended_at)) / 60_000)
    }
    assert.deepEqual(waits, [30, 60, 15])
    await server.request(`/v1/owner/connections/${connection_id}`, { method: 'DELETE' })
    assert.deepEqual(await listed(), [])
    assert.equal((await server.json(`${path}/messages`)).body.error.code, 'sync_not_found')
  },
)

test('the wait between runs doubles up to a day, and a longer interval is kept', () => {
  const after = (every: number, failures: number) => {
    const next = nextSyncRun('2026-11-16T00:00:00.000Z', every, failures)
    return next === null ? null : (Date.parse(next) - Date.parse('2026-11-16T00:00:00.000Z')) / 60_000
  }
  assert.deepEqual([after(0, 3), after(15, 0), after(15, 1), after(15, 30)], [null, 15, 30, 1440])
  assert.equal(after(2880, 4), 2880)
})

onEitherEngine('a requested sync is due immediately, unless it is running', async engine => {
  const { server, path, note, listed } = await syncedServer(engine)
  await using _ = server
  const begin = (runner: string) => server.post(`${path}/run`, { runner, due: true })
  const end = (runner: string) => note({ runner, ended: { counts: COUNTS, error: null } })
  assert.equal((await begin('one')).status, 201, 'a new sync is due')
  const next = (await listed())[0].next_run_at
  assert.equal((await server.post(`${path}/due`, {})).body.next_run_at, next)
  await end('one')
  assert.equal((await begin('two')).status, 409)
  const asked = (await server.post(`${path}/due`, {})).body
  assert.ok(Date.parse(asked.next_run_at) <= Date.now())
  assert.equal((await begin('two')).status, 201)
  await end('two')
  assert.ok(Date.parse((await listed())[0].next_run_at) > Date.now())
  assert.equal((await server.post('/v1/owner/syncs/syn_none/due', {})).status, 404)
})
