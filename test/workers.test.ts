import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import workerThreads from 'node:worker_threads'
import { Store } from '../src/store/store.ts'
import { Writer } from '../src/store/threads/worker.ts'
import { type Answer, count, freshLocation, onEachEngine, TestServer } from './engines.ts'
import { record } from './figures.ts'
import { MAILBOX, message } from './mailbox.ts'

const now = '2026-01-01T00:00:00.000Z'

/** Under load a thread takes longer to start than the server takes to replace it. */
const BACK_WITHIN_MS = count(10_000, 2_000)

async function health(server: TestServer): Promise<Answer> {
  return server.json('/healthz', { token: null })
}

/** Waits until the server reports that every part works, and returns how long that took. */
async function untilHealthy(server: TestServer): Promise<number> {
  const since = performance.now()
  while ((await health(server)).status !== 200) {
    assert.ok(performance.now() - since < 30_000, 'the server did not recover')
    await sleep(10)
  }
  return performance.now() - since
}

function assertUnavailable(answer: Answer): void {
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'service_unavailable'])
  assert.equal(answer.headers.get('Retry-After'), '1')
  assert.match(answer.body.error.message, /stopped and is being restarted.*Repeat the request in 1 second\.$/)
}

onEachEngine('a writer that stops is replaced; its callers get 503, and health says so', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const reasons: string[] = []
  server.store.reportTo((error, part) => reasons.push(`${part}: ${error.message}`))
  assert.equal((await server.ingest('messages', connection, [message('before')])).status, 200)

  const lines = Array.from({ length: 3_000 }, (_, n) => message(`m${n}`, { body: 'walrus '.repeat(50) }))
  const interrupted = server.ingest('messages', connection, lines)
  await sleep(30)
  await server.store.writer.kill()
  const down = await health(server)
  assert.deepEqual([down.status, down.body.status, down.body.parts.writer], [503, 'unavailable', 'down'])
  assertUnavailable(await interrupted)
  const read = await server.json(`/v1/streams/messages/records/before?connection_id=${connection}`)
  assert.equal(read.status, 200, 'reads do not need the writer')

  assert.ok((await untilHealthy(server)) < BACK_WITHIN_MS)
  const again = await server.ingest('messages', connection, lines)
  assert.deepEqual([again.status, again.body.seen, again.body.rejected], [200, 3_000, 0])
  const counted = await server.json('/v1/streams/messages/aggregate?metric=count')
  assert.equal(counted.body.value, 3_001)
  assert.deepEqual(reasons, ['writer: The thread exited with code 1.'])
  record('writer killed during ingest', engine, { kills: 1, lines: lines.length, lost: 0 })
})

onEachEngine('a scanner that stops is replaced; its callers get 503', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Array.from({ length: 200 }, (_, n) => message(`m${n}`, { body: `walrus ${n}` }))
  await server.ingest('messages', connection, lines)
  const search = () => server.json('/v1/search?q=walrus')
  assert.equal((await search()).body.data.length > 0, true)

  const interrupted = [search(), search()]
  await server.store.scanner.kill()
  for (const answer of await Promise.all(interrupted)) if (answer.status !== 200) assertUnavailable(answer)
  await untilHealthy(server)
  let kills = 1
  let isDown = false
  let isRefused = false
  // On a busy machine the scanner may have restarted before a request reaches it.
  while (!isDown || !isRefused) {
    await server.store.scanner.kill()
    kills++
    const [state, answer] = await Promise.all([health(server), search()])
    if (state.body.parts.scanner === 'down') isDown = true
    if (answer.status !== 200) {
      assertUnavailable(answer)
      isRefused = true
    }
    assert.ok((await untilHealthy(server)) < BACK_WITHIN_MS)
    assert.equal((await search()).status, 200)
  }
  record('scanner killed during searches', engine, { kills })
})

/** The niceness of each thread of this process, ascending. */
async function niceness(): Promise<number[]> {
  const stats = (await readdir('/proc/self/task')).map(id => readFile(`/proc/self/task/${id}/stat`, 'utf8'))
  // The name of a thread is in parentheses and may contain spaces.
  return (await Promise.all(stats))
    .map(stat => Number(stat.split(') ')[1]?.split(' ')[16]))
    .sort((a, b) => a - b)
}

test('the threads of long work yield to the main thread', {
  skip: process.platform !== 'linux',
}, async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m1', { body: 'walrus' })])
  assert.equal((await server.json('/v1/search?q=walrus')).body.data.length, 1)
  const [main, now] = [getPriority(), await niceness()]
  for (const nicer of [5, 10])
    assert.ok(now.includes(Math.min(main + nicer, constants.priority.PRIORITY_LOW)), String(now))
  assert.ok(now.filter(value => value === main).length > now.length / 2, `the others are as before: ${now}`)
})

test('a thread that the system does not allow now is started later', { timeout: 60_000 }, async context => {
  const { Worker } = workerThreads
  const make = (made: typeof Worker) => {
    workerThreads.Worker = made
    syncBuiltinESMExports()
  }
  context.after(() => make(Worker))
  const { location, remove } = await freshLocation('sqlite')
  {
    // No other test has threads of this size, which could be used again.
    await using worker = new Writer({ location, heapMegabytes: 117, memory: 'server' })
    const stops: Error[] = []
    worker.onStop = cause => stops.push(cause)
    make(function refuse() {
      throw new Error('EAGAIN')
    } as unknown as typeof Worker)
    await assert.rejects(worker.call('beginStore', { now }), { code: 'service_unavailable' })
    while (stops.length < 3) await sleep(10)
    assert.match(String(stops[2]), /EAGAIN/)
    make(Worker)
    while (!worker.isRunning) await sleep(10)
    await worker.call('beginStore', { now })
  }
  await remove()
})

onEachEngine('an idle thread is ended, and the next call starts another', async engine => {
  const { location, remove } = await freshLocation(engine)
  {
    await using worker = new Writer({ location, memory: 'server', restAfterMs: 5 })
    const stops: Error[] = []
    worker.onStop = cause => stops.push(cause)
    const begun = await worker.call('beginStore', { now })
    while (worker.isRunning) await sleep(5)
    assert.equal(await worker.state(10_000), 'ok', 'a thread that rests is not down')
    assert.equal(worker.isRunning, false, 'asking for its state does not start it')
    const calls = Array.from({ length: 5 }, () => worker.call('beginStore', { now }))
    assert.deepEqual(await Promise.all(calls), [begun, begun, begun, begun, begun])
    assert.deepEqual([worker.isRunning, worker.restarts, stops], [true, 0, []])
  }
  await remove()
})

onEachEngine(
  'a store that is closed answers or refuses its last calls, and no later store receives them',
  async engine => {
    const places = [await freshLocation(engine), await freshLocation(engine)]
    const [first, second] = places.map(({ location }) => new Writer({ location, memory: 'server' })) as [
      Writer,
      Writer,
    ]
    const opened = first.call('beginStore', { now })
    const last = [
      opened,
      opened.then(() => first.call('beginStore', { now })),
      first.call('beginStore', { now }),
    ]
    const settled = Promise.allSettled(last)
    await sleep(20)
    await first[Symbol.asyncDispose]()
    assert.ok((await second.call('beginStore', { now })).sealingKey.length > 0)
    assert.equal((await settled).length, last.length)
    await second[Symbol.asyncDispose]()
    for (const { remove } of places) await remove()
  },
)

onEachEngine('a grant whose end cannot be stored is refused until it is stored', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m')])
  const read = async (token: string) =>
    (await server.json('/v1/streams/messages/records/m', { token })).status
  const other = await server.grant()
  for (let attempt = 0; ; attempt++) {
    await untilHealthy(server)
    assert.ok(attempt < 20, 'the writer was never down at the right moment')
    const { body } = await server.post('/v1/owner/grants', { client_name: 'Removed' })
    const token: string = body.access_token
    assert.equal(await read(token), 200)
    const stored = () => server.json(`/v1/owner/grants/${body.grants[0].grant_id}`)
    await server.store.writer.kill()
    const revoked = await server.json(`/v1/owner/grants/${body.grants[0].grant_id}`, { method: 'DELETE' })
    if (revoked.status === 200) continue
    assertUnavailable(revoked)
    assert.deepEqual([(await stored()).body.active, await read(token)], [true, 403])
    assert.equal(await read(other), 200, 'other grants are not touched')
    const since = performance.now()
    while ((await stored()).body.active) {
      assert.equal(await read(token), 403)
      assert.ok(performance.now() - since < 30_000, 'the end was not stored later')
      await sleep(20)
    }
    assert.equal(await read(token), 403)
    const events = await server.json(`/v1/owner/audit?grant_id=${body.grants[0].grant_id}`)
    assert.deepEqual(
      events.body.data.map((event: { event: string }) => event.event),
      ['grant_revoked', 'grant_made'],
    )
    return
  }
})

test('if the ledger is locked or missing, requests fail with an error that says so', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m')])
  const token = await server.grant()
  const read = () => server.json('/v1/streams/messages/records/m', { token })
  assert.equal((await read()).status, 200)
  assert.equal(server.location.engine, 'sqlite')
  const file = join((server.location as { directory: string }).directory, 'ledger.sqlite')

  const locking = new DatabaseSync(file)
  locking.exec('BEGIN IMMEDIATE')
  const locked = await read()
  assert.deepEqual([locked.status, locked.body.error.code], [503, 'ledger_unavailable'])
  assert.match(locked.body.error.message, /^The ledger cannot be written, so nothing is shown\. /)
  locking.exec('ROLLBACK')
  locking.close()
  assert.equal((await read()).status, 200)

  await rename(file, `${file}.away`)
  const gone = await read()
  assert.equal(gone.status, 503)
  assert.match(gone.body.error.message, /^The ledger cannot be written, so nothing is shown\. /)
  assert.deepEqual((await health(server)).body.parts.ledger, 'down')
  await rename(`${file}.away`, file)
  assert.equal((await read()).status, 200)
  record('ledger locked, ledger gone', 'sqlite', { refused: 2, 'answers without a line': 0 })
})

test('a store that cannot be opened says why', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const file = join(folder, 'not-a-folder')
  await writeFile(file, '')
  await assert.rejects(Store.open({ engine: 'sqlite', directory: join(file, 'data') }), /ENOTDIR/)
  await rm(folder, { recursive: true })
})

test('a thread that served a store whose clock ran ahead serves the next store at its own time', async () => {
  const event = async (ms: number) => {
    await using server = await TestServer.start('sqlite')
    await server.connect(MAILBOX)
    server.clockOffsetMs = ms
    const { body } = await server.post('/v1/owner/grants', { client_name: 'Reader' })
    const { grant_id } = body.grants[0]
    server.clockOffsetMs += 1_000
    await server.json(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
    const events = await server.json(`/v1/owner/audit?grant_id=${grant_id}`)
    return events.body.data.map((each: { event: string; event_id: string }) => each.event_id.slice(0, 9))
  }
  const [ahead] = await event(86_400_000)
  const [later, earlier] = await event(0)
  assert.ok(earlier < later && later < ahead, `${earlier} ${later} ${ahead}`)
})
