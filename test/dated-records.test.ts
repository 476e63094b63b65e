import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

/** Records that have only a date, beside records of the same days and months in Chicago. */
const LINES = [
  message('night', { received_at: '2015-08-01T04:30:00Z', body: 'gull', size: 1 }),
  message('first', { received_at: '2015-08-01T00:00:00Z', body: 'gull', size: 10 }),
  message('morning', { received_at: '2015-08-01T14:00:00Z', body: 'gull', size: 100 }),
  message('last', { received_at: '2015-08-31T00:00:00Z', body: 'gull', size: 1_000 }),
  message('evening', { received_at: '2015-09-01T04:30:00Z', body: 'gull', size: 10_000 }),
  message('next', { received_at: '2015-09-01T00:00:00Z', body: 'gull', size: 100_000 }),
  message('instant', { received_at: '2015-09-01T00:00:30Z', body: 'gull', size: 1_000_000 }),
]
const AUGUST = ['first', 'morning', 'last', 'evening', 'instant']

onEachEngine(
  "AN-24 a record that has only a date belongs to that day of the owner's calendar, also west of UTC",
  async engine => {
    await using server = await TestServer.start(engine, { timeZone: 'America/Chicago' })
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, LINES)
    await using client = await McpTestClient.connect(server, await server.grant())
    const named = (rows: { id: string }[]) => rows.map(({ id }) => id.split(':').at(-1)).sort()
    const calls: [string, Record<string, unknown>, Record<string, unknown>][] = [
      ['query_records', { stream: 'messages' }, {}],
      ['query_records', {}, {}],
      ['search', {}, { query: 'gull' }],
      ['search', {}, { query: 'gull', sort: 'oldest' }],
      ['search', {}, { query: 'from:ada' }],
    ]
    for (const [tool, args, words] of calls) {
      const found = async (bounds: Record<string, unknown>) => {
        const { structured } = await client.call(tool, { ...args, ...words, ...bounds })
        return named(structured.results)
      }
      const context = JSON.stringify([tool, args, words])
      assert.deepEqual(await found({ since: '2015-08', until: '2015-08' }), AUGUST.toSorted(), context)
      assert.deepEqual(
        await found({ since: '2015-08-01', until: '2015-08-01' }),
        ['first', 'morning'],
        context,
      )
      assert.deepEqual(await found({ since: '2015-09' }), ['next'], context)
      assert.deepEqual(await found({ until: '2015-07' }), ['night'], context)
      const east = { since: '2015-08-01', until: '2015-08-01', time_zone: 'Europe/Berlin' }
      assert.deepEqual(await found(east), ['first', 'morning', 'night'], context)
    }
    const on = async (query: string) =>
      named((await client.call('search', { query: `gull on:${query}` })).structured.results)
    assert.deepEqual(await on('2015-08'), AUGUST.toSorted())
    assert.deepEqual(await on('2015-09-01'), ['next'])
    const listed = await client.call('query_records', { query: 'on:2015-09-01' })
    assert.deepEqual(named(listed.structured.results), ['next'])

    const sums = { '2015-09': 100_000, '2015-08': 1_011_110, '2015-07': 1 }
    const perMonth = async (args: object) => {
      const { structured } = await client.call('aggregate', { granularity: 'month', ...args })
      return Object.fromEntries(
        structured.data.groups.map((g: { key: string; value?: number; count: number }) => [
          g.key,
          g.value ?? g.count,
        ]),
      )
    }
    const months = { '2015-09': 1, '2015-08': 5, '2015-07': 1 }
    assert.deepEqual(await perMonth({}), months)
    assert.deepEqual(await perMonth({ stream: 'messages', query: 'gull' }), months)
    assert.deepEqual(await perMonth({ stream: 'messages', metric: 'sum', field: 'size' }), sums)
    const august = { stream: 'messages', since: '2015-08', until: '2015-08' }
    const summed = await client.call('aggregate', { ...august, metric: 'sum', field: 'size' })
    assert.equal(summed.structured.data.value, sums['2015-08'])
    const counted = await client.call('aggregate', { ...august, query: 'gull' })
    assert.equal(counted.structured.data.value, 5)
  },
)

onEachEngine('AN-24 pages of records that have only a date follow each other without gaps', async engine => {
  await using server = await TestServer.start(engine, { timeZone: 'America/Chicago' })
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, LINES)
  await using client = await McpTestClient.connect(server, await server.grant())
  for (const order of ['asc', 'desc'])
    for (const stream of [{ stream: 'messages' }, {}]) {
      const ids: string[] = []
      let cursor: string | undefined
      do {
        const args = { ...stream, order, since: '2015-08', until: '2015-08', limit: 2 }
        const { structured } = await client.call('query_records', { ...args, ...(cursor && { cursor }) })
        ids.push(...structured.results.map(({ id }: { id: string }) => id.split(':').at(-1)))
        cursor = structured.data.next_cursor ?? undefined
      } while (cursor !== undefined)
      assert.deepEqual(ids.toSorted(), AUGUST.toSorted())
    }
})

onEachEngine('AN-24 a leap second can bound what is read', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, LINES)
  const token = await server.grant({ since: '2012-06-30T23:59:60Z' })
  const bounds = 'since=2015-06-30T23:59:60Z&until=2015-08-31T23:59:60Z'
  const { status, body } = await server.json(`/v1/records?${bounds}`, { token })
  assert.deepEqual([status, body.data?.length], [200, 4], JSON.stringify(body))
  await using client = await McpTestClient.connect(server, token)
  for (const since of ['2015-06-30T23:59:60Z', '2015-06-30T23:59:60']) {
    const { structured } = await client.call('query_records', { since })
    assert.equal(structured.results.length, LINES.length)
  }
})

onEachEngine(
  'AN-24 midnight in UTC that is written with an offset is shown as a time, not as a day',
  async engine => {
    await using server = await TestServer.start(engine, { timeZone: 'America/New_York' })
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('day', { received_at: '2026-05-04T00:00:00Z', body: 'gull' }),
      message('dinner', { received_at: '2026-05-04T00:00:00+00:00', body: 'gull' }),
    ])
    await using client = await McpTestClient.connect(server, await server.grant())
    const { text } = await client.call('query_records', { stream: 'messages' })
    assert.match(text, /messages:day 2026-05-04 /)
    assert.match(text, /messages:dinner 2026-05-03 20:00 /)
    const found = await client.call('search', { query: 'gull', limit: 2 })
    assert.match(found.text, /Test, 2026-05-04$/m)
    assert.match(found.text, /Test, 2026-05-03 20:00$/m)
  },
)
