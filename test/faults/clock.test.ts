import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onEachEngine, PROVING, storeLocation } from '../engines.ts'
import { record } from '../figures.ts'
import { message } from '../mailbox.ts'
import { Random } from '../random.ts'
import { ownerTokenFor, SpawnedServer } from '../spawned-server.ts'

const JUMPS = 40
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const CLOCK = join(import.meta.dirname, 'jumping-clock.ts')

/** Jumps of days and minutes, forwards and backwards. */
const OFFSETS = [DAY_MS, -DAY_MS, 30 * DAY_MS, -30 * DAY_MS, MINUTE_MS, -MINUTE_MS, 0]

const proving = PROVING ? onEachEngine : () => {}
proving('a clock that jumps back and forth loses no record, no change and no line', async engine => {
  const { location, remove } = await storeLocation(engine)
  const owner = await ownerTokenFor(location)
  const file = join(location.directory, 'clock')
  const jumpTo = (ms: number) => {
    writeFileSync(`${file}.new`, String(ms))
    renameSync(`${file}.new`, file)
  }
  jumpTo(0)
  {
    await using server = await SpawnedServer.start(location, {
      args: ['--import', CLOCK],
      env: { JUMPING_CLOCK: file },
    })
    const connection_id = await server.connect(owner)
    const token: string = (await server.post('/v1/owner/grants', owner, { client_name: 'Reader' })).body
      .access_token
    const random = new Random(1)
    const expected = new Map<string, string>()
    const seen = new Map<string, string>()
    const answered = new Set<string>()
    const read = async (path: string) => {
      const answer = await server.json(path, token)
      answered.add(answer.headers.get('Request-Id') ?? '')
      return answer
    }
    let mark = 'beginning'
    const follow = async () => {
      for (let more = true; more; ) {
        const answer = await read(
          `/v1/streams/messages/records?limit=20&changes_since=${encodeURIComponent(mark)}`,
        )
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        for (const { id, data } of answer.body.data) seen.set(id, data.subject)
        mark = answer.body.next_changes_since
        more = answer.body.has_more
      }
    }
    for (let jump = 0; jump < JUMPS; jump++) {
      const ms = OFFSETS[jump % OFFSETS.length] as number
      jumpTo(ms)
      const lines = Array.from({ length: 10 }, () => {
        const id = `m${random.integer(1, 60)}`
        const subject = `${id} at jump ${jump} ${random.integer(0, 1e9)}`
        expected.set(id, subject)
        return JSON.stringify(message(id, { subject }))
      })
      const stored = await server.ingest('messages', connection_id, owner, lines.join('\n'))
      assert.deepEqual([stored.status, stored.body.rejected], [200, 0], JSON.stringify(stored.body))
      await follow()
      assert.deepEqual(seen, expected, `after jump ${jump} to ${ms} ms`)
      const page = await read('/v1/streams/messages/records?limit=2')
      const next = await read(`/v1/streams/messages/records?limit=2&cursor=${page.body.next_cursor}`)
      assert.equal(next.status, 200, JSON.stringify(next.body))
      const found = await read(`/v1/search?q=%22jump%20${jump}%22&limit=1`)
      assert.deepEqual([found.status, found.body.data.length], [200, 1])
    }
    jumpTo(0)
    const noted = new Map<string, number>()
    for (let cursor = ''; ; ) {
      const { status, body } = await server.json(`/v1/owner/disclosures?limit=100${cursor}`, owner)
      assert.equal(status, 200, JSON.stringify(body))
      for (const { request_id, at } of body.data) noted.set(request_id, Date.parse(at))
      if (!body.has_more) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.deepEqual(
      [...answered].filter(id => !noted.has(id)),
      [],
    )
    const times = [...noted.values()]
    assert.ok(Math.max(...times) - Math.min(...times) > 59 * DAY_MS, 'the clock of the server did not move')
    const { body: report } = await server.json('/v1/owner/ledger/verify', owner, { method: 'POST' })
    assert.equal(report.state, 'intact', JSON.stringify(report))
    const counts = { jumps: JUMPS, records: expected.size, answers: answered.size, lost: 0 }
    record('clock jumps', engine, counts)
  }
  await remove()
})
