import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const RECEIVED: readonly (readonly [id: string, received_at: string, also?: object])[] = [
  // A date alone, which belongs to that day in every zone.
  ['a', '2015-08-08T00:00:00Z'],
  ['b', '2015-08-08T03:59:59Z'],
  ['c', '2015-08-08T04:00:00Z', { read_at: '2015-09-01T03:59:00Z' }],
  ['d', '2015-08-09T03:59:59Z', { read_at: '2015-09-01T04:00:00Z' }],
  ['e', '2015-08-09T04:00:00Z'],
]

onEachEngine(
  "ER-4: dates in a filter are days of the owner's calendar, the last one included",
  async engine => {
    await using server = await TestServer.start(engine, { timeZone: 'America/New_York' })
    const declared = structuredClone(MAILBOX)
    const [stream] = declared.streams
    Object.assign(stream?.schema.properties ?? {}, { read_at: { type: 'string', format: 'date-time' } })
    Object.assign(stream?.query?.range_filters ?? {}, { read_at: ['gte', 'gt', 'lte', 'lt'] })
    const connection = await server.connect(declared)
    const lines = RECEIVED.map(([id, received_at, also]) =>
      message(id, { body: 'gull', received_at, ...also }),
    )
    await server.ingest('messages', connection, lines)
    await using client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
    for (const [filter, ids] of [
      [{ received_at: '2015-08-08' }, 'acd'],
      [{ date: '8 August 2015' }, 'acd'],
      [{ received_at: { gte: '2015-08-08', lte: '2015-08-08' } }, 'acd'],
      [{ received_at: { between: ['2015-08-08', '2015-08-08'] } }, 'acd'],
      [{ received_at: { gt: '2015-08-08' } }, 'e'],
      [{ received_at: { lt: '2015-08-08' } }, 'b'],
      [{ received_at: '2015-08', size: 7 }, ''],
      [{ received_at: { gte: '2015-08-08T04:00:00Z' } }, 'cde'],
      [{ received_at: { lt: '2015-08-08T00:00' } }, 'b'],
      [{ read_at: { lte: '2015-08-31' } }, 'c'],
      [{ read_at: '2015-09' }, 'd'],
    ] as const) {
      const what = JSON.stringify(filter)
      const listed = await client.call('query_records', { stream: 'messages', filter, order: 'asc' })
      const found = ({ structured }: typeof listed) =>
        structured.results.map(({ id }: { id: string }) => id.at(-1)).join('')
      assert.equal(found(listed), ids, what)
      const searched = await client.call('search', {
        query: 'gull',
        streams: ['messages'],
        filter,
        sort: 'oldest',
      })
      assert.equal(found(searched), ids, what)
      const counted = await client.call('aggregate', { stream: 'messages', filter })
      assert.equal(counted.structured.data.value, ids.length, what)
    }
    const within = await client.call('query_records', {
      stream: 'messages',
      since: '2015-08-09',
      filter: { received_at: { lte: '2015-08-09' } },
    })
    assert.equal(within.structured.results.length, 1)
    const changed = { stream: 'messages', filter: { received_at: '2015-08-09' }, changes_since: 'beginning' }
    assert.match((await client.refused('query_records', changed)).message, /^where cannot be used together/)
  },
)
