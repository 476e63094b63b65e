import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'

const LIST = '/v1/streams/messages/records'

onEachEngine(
  'PC-65 PC-78 a list contains its path, and its last page the mark from which changes continue',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    await server.ingest(
      'messages',
      mail,
      ['a', 'b', 'c'].map(id => message(id)),
    )
    const token = await server.grant({ fields: ['id', 'subject', 'received_at'] })
    for (const by of [server.ownerToken, token]) {
      for (const order of ['asc', 'desc']) {
        const get = async (query: string) => (await server.json(`${LIST}?${query}`, { token: by })).body
        const first = await get(`order=${order}&limit=2`)
        assert.equal(first.url, LIST)
        assert.deepEqual([first.has_more, first.next_changes_since], [true, undefined])
        // A write between two pages is newer than the horizon of the first page.
        const subject = `new ${order} ${by === token}`
        await server.ingest('messages', mail, [message('a', { subject })])
        const last = await get(`order=${order}&limit=2&cursor=${first.next_cursor}`)
        assert.deepEqual([last.has_more, typeof last.next_changes_since], [false, 'string'])
        const changes = await get(`changes_since=${last.next_changes_since}`)
        assert.deepEqual(
          changes.data.map(({ id, data }: { id: string; data: { subject: string } }) => [id, data.subject]),
          [['a', subject]],
        )
        const nothing = await get(`changes_since=${(await get(`order=${order}`)).next_changes_since}`)
        assert.deepEqual(nothing.data, [])
        const some = await get('where[id]=a')
        assert.deepEqual([some.has_more, some.next_changes_since], [false, undefined])
      }
    }
    assert.equal((await server.json('/v1/streams')).body.url, '/v1/streams')
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('PC-96 writing a key again in an append-only stream changes nothing', async engine => {
  await using server = await TestServer.start(engine)
  const events = stream('events', { n: { type: 'number' } }, { semantics: 'append_only' })
  const log = { ...source('log'), streams: [events] }
  const connection = await server.connect(log)
  const line = (id: string, n: number) => ({ type: 'RECORD', stream: 'events', key: id, data: { id, n } })
  const first = await server.ingest('events', connection, [
    line('a', 1),
    line('a', 2),
    line('b', 1),
    { data: {} },
  ])
  const { added, updated, unchanged, records_accepted, records_rejected } = first.body
  assert.deepEqual([added, updated, unchanged, records_accepted, records_rejected], [2, 0, 1, 3, 1])
  const mark = (await server.json('/v1/streams/events/records')).body.next_changes_since
  const again = await server.ingest('events', connection, [line('a', 3)])
  assert.deepEqual([again.body.unchanged, again.body.updated], [1, 0])
  const record = (await server.json('/v1/streams/events/records/a')).body
  assert.deepEqual([record.data.n, record.version], [1, 1])
  const changes = await server.json(`/v1/streams/events/records?changes_since=${mark}`)
  assert.deepEqual(changes.body.data, [])
  // A deleted key can be used again.
  await server.ingest('events', connection, [{ op: 'delete', key: 'a' }, line('a', 4)])
  assert.equal((await server.json('/v1/streams/events/records/a')).body.data.n, 4)
})

onEachEngine(
  'PC-104 PC-106 PC-108 only streams that declare figures have them, down to the minute',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    const at = (id: string, time: string) => message(id, { received_at: `2026-03-29T${time}Z` })
    await server.ingest('messages', mail, [
      at('a', '00:59:10'),
      at('b', '00:59:50'),
      at('c', '01:00:00'),
      at('d', '09:30:01'),
    ])
    const get = async (query: string) => (await server.json(`/v1/streams/messages/aggregate?${query}`)).body
    const minutes = await get('group_by_time=received_at&granularity=minute&time_zone=Europe/Berlin&limit=3')
    assert.deepEqual(minutes.groups, [
      { key: '2026-03-29T01:59', count: 2 },
      { key: '2026-03-29T03:00', count: 1 },
      { key: '2026-03-29T11:30', count: 1 },
    ])
    const utc = await get('group_by_time=received_at&granularity=minute&limit=2')
    assert.deepEqual(utc.groups, [
      { key: '2026-03-29T00:59', count: 2 },
      { key: '2026-03-29T01:00', count: 1 },
    ])
    assert.deepEqual([utc.other_count, utc.approximate, utc.filtered_record_count], [1, false, 4])
    assert.deepEqual([(await get('')).value, (await get('')).approximate], [4, false])

    const bare = stream('bare', {})
    const declaration = { ...source('bare'), streams: [bare] }
    const connection = await server.connect(declaration)
    await server.ingest('bare', connection, [{ data: { id: 'x' } }])
    const token = await server.grant({ streams: ['bare'] })
    for (const by of [server.ownerToken, token]) {
      const { status, body } = await server.json('/v1/streams/bare/aggregate', { token: by })
      assert.deepEqual([status, body.error.code, body.error.param], [404, 'not_found', 'stream'])
    }

    const uncounted = { ...bare, name: 'uncounted', query: { aggregations: { count_distinct: ['id'] } } }
    const described = { ...source('uncounted'), streams: [uncounted] }
    const other = await server.connect(described)
    await server.ingest('uncounted', other, [{ data: { id: 'x' } }])
    const figures = (query: string) => server.json(`/v1/streams/uncounted/aggregate?${query}`)
    const refused = await figures('')
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'metric'])
    assert.equal((await figures('metric=count_distinct&field=id')).body.value, 1)
  },
)
