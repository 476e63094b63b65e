import assert from 'node:assert/strict'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'
import { callsIn, idsIn, McpTestClient } from './mcp-client.ts'

const DIARY = {
  ...source('diary', 'Diary'),
  streams: [
    stream(
      'days',
      {
        text: { type: 'string', x_pdpp_role: 'primary-text' },
        at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
      },
      { cursor_field: 'at', query: { search: { lexical_fields: ['text'] } } },
    ),
  ],
}

/** Two mailboxes and a diary of an owner in Tokyo. */
async function world(engine: Engine) {
  const server = await TestServer.start(engine, { timeZone: 'Asia/Tokyo' })
  const home = await server.connect(MAILBOX, 'Home mail')
  const work = await server.connect(MAILBOX, 'Work mail')
  const old = await server.connect(MAILBOX, 'Old mail')
  const diary = await server.connect(DIARY, 'Diary')
  const mail = (id: string, at: string) => message(id, { body: 'a heron', received_at: at })
  await server.ingest('messages', home, [mail('h', '2015-08-01T14:59:00Z')])
  await server.ingest('messages', work, [mail('w', '2015-08-01T15:00:00Z')])
  await server.ingest('messages', old, [mail('o', '2014-08-01T15:00:00Z')])
  await server.ingest('days', diary, [
    { data: { id: 'd', text: 'a heron at the pond', at: '2015-08-02T14:59:59.123Z' } },
  ])
  const client = await McpTestClient.connect(server, await server.grant())
  return { server, client, home, work, old, diary }
}

const recordsOf = (structured: { results: { id: string }[] }) =>
  structured.results.map(({ id }) => id.split(':')[1])

onEitherEngine('AN-32 one call reads several connections, one, or a kind of source', async engine => {
  const { server, client, home, work, old, diary } = await world(engine)
  await using _ = server
  await using __ = client
  for (const [connection_id, found] of [
    [
      [home, work],
      ['w', 'h'],
    ],
    [
      [work, old, diary],
      ['d', 'w', 'o'],
    ],
    [[old], ['o']],
    [old, ['o']],
  ] as const) {
    const search = await client.call('search', { query: 'heron', sort: 'newest', connection_id })
    assert.deepEqual(recordsOf(search.structured), found)
    const listed = await client.call('query_records', { connection_id })
    assert.deepEqual(recordsOf(listed.structured), found)
  }
  const mail = { stream: 'messages', connection_id: [home, old] }
  assert.deepEqual(recordsOf((await client.call('query_records', mail)).structured), ['h', 'o'])
  const kind = await client.call('search', { query: 'heron', connector: 'diary' })
  assert.deepEqual(recordsOf(kind.structured), ['d'])
  const id = `${home}/messages:h`
  const within = await client.call('search', { query: 'heron', within: id, connection_id: home })
  assert.equal(within.structured.results.length, 1)
  for (const [args, param] of [
    [{ query: 'heron', within: 'messages:h', connection_id: [home, work] }, 'connection_id'],
    [{ query: 'heron', sort: 'best' }, 'sort'],
  ] as const)
    assert.equal((await client.refused('search', args)).param, param)
  const unknown = await client.refused('search', { query: 'heron', connection_id: [home, 'cin_none'] })
  assert.equal(unknown.code, 'connection_not_found')
})

onEitherEngine('AN-32 without a stream, records of all streams are listed by time in pages', async engine => {
  const { server, client } = await world(engine)
  await using _ = server
  await using __ = client
  const seen: string[] = []
  let args: Record<string, unknown> | undefined = { limit: 1, count: true }
  while (args) {
    const { text, structured } = await client.call('query_records', args)
    assert.equal(structured.data.meta.count, 4)
    seen.push(...recordsOf(structured).map(String))
    assert.equal(idsIn(text).length, 1)
    args = callsIn(text).find(({ tool }) => tool === 'query_records')?.args
  }
  assert.deepEqual(seen, ['d', 'w', 'h', 'o'])
  const asc = await client.call('query_records', { order: 'asc', since: '2015', fields: ['id'] })
  assert.deepEqual(recordsOf(asc.structured), ['h', 'w', 'd'])
  for (const more of [{ filter: { size: 1 } }, { changes_since: 'beginning' }])
    assert.equal((await client.refused('query_records', more)).param, 'stream')
})

onEitherEngine(
  'AN-32 search by time lists the newest or the oldest, and says how many records match',
  async engine => {
    const { server, client } = await world(engine)
    await using _ = server
    await using __ = client
    const newest = await client.call('search', { query: 'heron', sort: 'newest', limit: 2 })
    assert.deepEqual(recordsOf(newest.structured), ['d', 'w'])
    assert.match(newest.text, /^2 hits\. 4 records contain all words\. More: search /m)
    const next = callsIn(newest.text).find(({ tool }) => tool === 'search')
    assert.deepEqual(recordsOf((await client.call('search', next?.args)).structured), ['h', 'o'])
    const oldest = await client.call('search', { query: 'heron', sort: 'oldest' })
    assert.deepEqual(recordsOf(oldest.structured), ['o', 'h', 'w', 'd'])
    assert.match(
      (await client.call('search', { query: 'pond' })).text,
      /^1 hit\. 1 record contains all words\.$/m,
    )
  },
)

onEitherEngine(
  "AN-33 both channels show the owner's local time; data has times as stored, and how dates were interpreted",
  async engine => {
    const { server, client, diary } = await world(engine)
    await using _ = server
    await using __ = client
    const day = { query: 'heron on:2015-08-02' }
    const found = await client.call('search', day)
    assert.deepEqual(new Set(recordsOf(found.structured)), new Set(['w', 'd']), "the owner's day")
    const range = { since: '2015-08-01T15:00:00Z', until: '2015-08-02T15:00:00Z' }
    assert.deepEqual(found.structured.understood, { ...range, time_zone: 'Asia/Tokyo' })
    assert.ok(found.text.includes('from 2015-08-02, before 2015-08-03 (Asia/Tokyo)'), found.text)
    assert.deepEqual(found.structured.remarks, ['Time: from 2015-08-02, before 2015-08-03 (Asia/Tokyo).'])
    assert.match(found.text, /2015-08-02 23:59/)
    const times = found.structured.results.map(({ occurred_at }: { occurred_at: string }) => occurred_at)
    assert.deepEqual(new Set(times), new Set(['2015-08-02T00:00:00+09:00', '2015-08-02T23:59:59+09:00']))
    assert.doesNotMatch(found.text, /2015-08-01/)
    const inBerlin = await client.call('search', { ...day, time_zone: 'Europe/Berlin' })
    assert.deepEqual(recordsOf(inBerlin.structured), ['d'])
    assert.match(inBerlin.text, /2015-08-02 16:59/)
    const listed = await client.call('query_records', { since: '2015-08-02', until: '2015-08-02T23:30' })
    assert.deepEqual(recordsOf(listed.structured), ['w'])
    assert.match(listed.text, / 2015-08-02 00:00 /)
    assert.equal(listed.structured.results[0].occurred_at, '2015-08-02T00:00:00+09:00')
    assert.equal(listed.structured.data.data[0].occurred_at, '2015-08-01T15:00:00Z', 'as stored')
    assert.match(listed.text, /before 2015-08-02T23:30:00\+09:00/)
    const lowered = await client.call('query_records', { limit: 99 })
    assert.match(lowered.structured.remarks[0], /limit 99 was lowered to 25/)
    const around = await client.call('read_conversation', { id: listed.structured.results[0].id })
    assert.match(around.text, /^\[\S+\] 2015-08-02 00:00 ada@example\.org /m)
    assert.equal(around.structured.messages[0].occurred_at, '2015-08-02T00:00:00+09:00')
    const opened = await client.call('fetch', { id: `${diary}/days:d` })
    assert.equal(opened.structured.metadata.occurred_at, '2015-08-02T23:59:59+09:00')
  },
)

onEitherEngine('AN-33 a record with only a date has that date in every time zone', async engine => {
  await using server = await TestServer.start(engine, { timeZone: 'America/New_York' })
  const diary = await server.connect(DIARY, 'Diary')
  const day = (id: string, at: string) => ({ data: { id, text: `a heron ${id}`, at } })
  await server.ingest('days', diary, [
    day('dated', '2015-08-02T00:00:00Z'),
    day('timed', '2015-08-02T00:00:01Z'),
  ])
  await using client = await McpTestClient.connect(server, await server.grant())
  const id = `${diary}/days:dated`
  const texts = [
    (await client.call('search', { query: 'dated' })).text,
    (await client.call('query_records', { stream: 'days', order: 'asc', limit: 1 })).text,
    (await client.call('fetch', { id })).structured.metadata.occurred_at,
  ]
  for (const text of texts) {
    assert.match(text, /\b2015-08-02(?![T\d])/)
    assert.doesNotMatch(text, /2015-08-01/)
  }
  const timed = await client.call('fetch', { id: `${diary}/days:timed` })
  assert.equal(timed.structured.metadata.occurred_at, '2015-08-01T20:00:01-04:00')
})
