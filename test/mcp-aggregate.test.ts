import assert from 'node:assert/strict'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'
import { bytes, callsIn, McpTestClient } from './mcp-client.ts'

const SENDERS = ['Ada Lovelace <ada@example.org>', 'Ben <ben@example.org>', 'Cleo <cleo@example.org>']

/** Three years of mail in two mailboxes: one in three mentions the engine. */
async function mailboxes(engine: Engine) {
  const server = await TestServer.start(engine, { timeZone: 'Europe/Berlin' })
  const connections = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
  const lines = Array.from({ length: 144 }, (_, n) => ({
    home: n % 4 === 0,
    line: message(`m${n}`, {
      from: SENDERS[n % SENDERS.length],
      // 23:30 UTC, sometimes on the last day of a month.
      received_at: new Date(Date.UTC(2023, Math.floor(n / 4) + 1, n % 4, 23, 30)).toISOString(),
      body: n % 3 === 0 ? 'The engine of the boat.' : 'The boat.',
    }),
  }))
  for (const [no, connection] of connections.entries())
    await server.ingest(
      'messages',
      connection,
      lines.filter(({ home }) => home === (no === 1)).map(({ line }) => line),
    )
  const client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  return { server, client }
}

onEitherEngine(
  'AN-42 BU-1 mentions per week, senders per month, a person per month: one call each',
  async engine => {
    const { server, client } = await mailboxes(engine)
    await using _ = server
    await using __ = client
    const byTime = { stream: 'messages', group_by_time: 'received_at' }
    const weekly = await client.call('aggregate', {
      ...byTime,
      granularity: 'week',
      query: 'engine',
      limit: 100,
    })
    const monthly = await client.call('aggregate', {
      ...byTime,
      granularity: 'month',
      split_by: 'from',
      limit: 36,
    })
    const person = await client.call('aggregate', {
      ...byTime,
      granularity: 'month',
      person: 'lovelace',
      limit: 4,
    })
    for (const { text, isError } of [weekly, monthly, person]) {
      assert.ok(!isError, text)
      assert.ok(bytes(text) <= 4_000, `${bytes(text)} bytes`)
    }
    assert.match(
      weekly.text,
      /^count of messages over 48 records of 2 sources \("Work" 36, "Home" 12\) by week of Europe\/Berlin, /,
    )
    const weeks = [...weekly.text.matchAll(/^"(\d{4}-\d{2}-\d{2})": \d+$/gm)].map(([, week = '']) => week)
    assert.deepEqual(weeks, weeks.toSorted().reverse())
    assert.equal(weeks.length, weekly.structured.data.groups.length)

    const [newest] = monthly.structured.data.groups
    // The last day of a month in UTC is the first of the next month for the owner.
    assert.deepEqual([newest.key, newest.count], ['2026-01', 4])
    assert.match(monthly.text, /^"2026-01": 4 \(.*"Ben <ben@example.org>" 1.*\)$/m)

    assert.deepEqual(
      person.structured.data.groups.map(({ key }: { key: string }) => key),
      ['2026-01', '2025-12', '2025-11', '2025-10'],
    )
    const [told = ''] = person.structured.remarks
    assert.match(told, /^Counted: from, to or with "lovelace"\. Only from: aggregate \{/)
    assert.ok(person.text.includes(told))
    const [call] = callsIn(told)
    const onlyFrom = { ...byTime, granularity: 'month', limit: 4, query: 'from:"lovelace"' }
    assert.deepEqual(call, { tool: 'aggregate', args: onlyFrom })
    const written = await client.call('aggregate', onlyFrom)
    assert.equal(written.structured.remarks, undefined, 'nothing else is counted')
    const { other_groups, other_count } = person.structured.data
    assert.ok(other_groups > 0 && other_count > 0)
    assert.ok(
      person.text.includes(`left out: ${other_groups} older groups with ${other_count} records`),
      person.text,
    )
    const elsewhere = await client.call('aggregate', { ...byTime, granularity: 'month', time_zone: 'UTC' })
    assert.equal(elsewhere.structured.data.time_zone, 'UTC')
    assert.deepEqual(elsewhere.structured.data.groups[0], { key: '2026-01', count: 3 })
    assert.deepEqual(server.failures, [])
  },
)

onEitherEngine('AN-33 first and last times are in the zone of the owner', async engine => {
  const { server, client } = await mailboxes(engine)
  await using _ = server
  await using __ = client
  const last = { stream: 'messages', metric: 'max', field: 'received_at' }
  const { text, structured } = await client.call('aggregate', last)
  assert.match(text, /^max\(received_at\) of messages = "2026-01-04T00:30:00\+01:00" over 144 records/)
  assert.equal(structured.data.value, '2026-01-03T23:30:00.000Z')
  const groups = await client.call('aggregate', { ...last, metric: 'min', group_by: 'from' })
  assert.match(groups.text, /^"Ada Lovelace <ada@example.org>": "2023-02-01T00:30:00\+01:00"$/m)
  assert.match(groups.structured.data.groups[0].value, /^2023-01-31T23:30:00/)
})

onEitherEngine('AN-42 groups by people and by months without the names of the fields', async engine => {
  const { server, client } = await mailboxes(engine)
  await using _ = server
  await using __ = client
  const figures = async (args: object) => {
    const { structured, text, isError } = await client.call('aggregate', { stream: 'messages', ...args })
    assert.ok(!isError, text)
    return structured.data
  }
  const monthly = { group_by_time: 'received_at', granularity: 'month' }
  const people = await figures({ group_by: 'from' })
  assert.equal(people.groups.length, 3)
  for (const group_by of ['sender', 'author', 'person'])
    assert.deepEqual(await figures({ group_by }), people, group_by)
  for (const field of ['from', 'sender', 'author'])
    assert.equal((await figures({ metric: 'count_distinct', field })).value, 3, field)
  const months = await figures(monthly)
  for (const args of [{ granularity: 'month' }, { group_by: 'month' }, { group_by_time: 'month' }])
    assert.deepEqual(await figures(args), months)
  assert.deepEqual(await figures({ group_by: 'received_at', granularity: 'month' }), months)
  // A year of months and a month of days are one answer, without a limit.
  const year = await figures({ granularity: 'month', since: '2024', until: '2024' })
  assert.deepEqual([year.groups.length, year.other_count], [12, 0])
  assert.equal(months.groups.length, 31)
  const both = await figures({ ...monthly, split_by: 'from' })
  assert.deepEqual(await figures({ ...monthly, group_by: 'from' }), both)
  assert.deepEqual(await figures({ granularity: 'month', group_by: 'sender' }), both)
  assert.deepEqual(await figures({ group_by: 'sender', split_by: 'month' }), both)
  const [{ schema, query, ...rest }] = MAILBOX.streams as [(typeof MAILBOX.streams)[0]]
  const from_address = { type: 'string', x_pdpp_role: 'actor' }
  const letters = {
    ...rest,
    name: 'letters',
    schema: { ...schema, properties: { ...schema.properties, from_address } },
    query: { ...query, aggregations: { ...query?.aggregations, group_by: ['from_address'] } },
  }
  const declaration = { ...MAILBOX, ...source('letters'), streams: [letters] }
  const connection = await server.connect(declaration)
  await server.ingest('letters', connection, [
    message('l1', { from: 'Ada <a@b.example>', from_address: 'a@b.example' }),
  ])
  const other = await McpTestClient.connect(server, await server.grant({ streams: ['letters'] }))
  await using ____ = other
  const { structured } = await other.call('aggregate', { stream: 'letters', group_by: 'from' })
  assert.deepEqual(structured.data.groups, [{ key: 'a@b.example', count: 1 }])
  const narrow = await McpTestClient.connect(
    server,
    await server.grant({ streams: ['messages'], fields: ['id', 'received_at'] }),
  )
  await using ___ = narrow
  const refused = await narrow.refused('aggregate', { stream: 'messages', group_by: 'sender' })
  assert.equal(refused.code, 'unknown_field')
  assert.ok(!refused.message.includes('from'), refused.message)
})

onEitherEngine("AN-42 days in an aggregate's query are in the owner's time zone", async engine => {
  const { server, client } = await mailboxes(engine)
  await using _ = server
  await using __ = client
  const asked = { stream: 'messages', query: 'boat on:2025-02-01' }
  assert.equal((await client.call('aggregate', asked)).structured.data.value, 1)
  const inUtc = await client.call('aggregate', { ...asked, time_zone: 'UTC' })
  assert.equal(inUtc.structured.data.value, 1)
  assert.notDeepEqual(
    (await client.call('aggregate', { stream: 'messages', query: 'on:2025-01-31' })).structured.data.value,
    (await client.call('aggregate', { stream: 'messages', query: 'on:2025-01-31', time_zone: 'UTC' }))
      .structured.data.value,
  )
  const refused = await client.refused('aggregate', { stream: 'messages', query: '-boat' })
  assert.equal(refused.code, 'invalid_request')
  assert.deepEqual(server.failures, [])
})

onEitherEngine('aggregate repeats how the times in its query were understood', async engine => {
  const { server, client } = await mailboxes(engine)
  await using _ = server
  await using __ = client
  const range = { since: '2023-02-28T23:00:00Z', until: '2023-03-31T22:00:00Z' }
  const counted = async (args: object) => client.call('aggregate', { stream: 'messages', ...args })
  for (const args of [
    { query: 'boat on:2023-03' },
    { query: 'boat since:2023-03', until: '2023-03' },
    { since: '2023-03', until: '2023-03' },
  ]) {
    const { text, structured } = await counted(args)
    assert.deepEqual(structured.understood, { ...range, time_zone: 'Europe/Berlin' })
    const note = 'Time: from 2023-03-01, before 2023-04-01 (Europe/Berlin).'
    assert.deepEqual(structured.remarks, [note])
    assert.ok(text.includes(`Note: ${note}`), text)
    assert.equal(structured.data.value, 4)
  }
  const { structured } = await counted({ query: 'boat' })
  assert.equal(structured.understood, undefined)
  assert.match(
    (await client.refused('aggregate', { stream: 'messages', query: 'on:never' })).message,
    /never/,
  )
})
