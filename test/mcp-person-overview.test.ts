import assert from 'node:assert/strict'
import { at, CHAT, line } from './chat.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { callsIn, McpTestClient } from './mcp-client.ts'

const COUNTED = {
  ...CHAT,
  streams: CHAT.streams.map(stream => ({
    ...stream,
    query: { ...stream.query, aggregations: { count: true, group_by_time: ['at'] } },
  })),
}

onEitherEngine(
  'AN-78 a search for a person says where and when they appear, as far as may be seen, with calls for all',
  async engine => {
    await using server = await TestServer.start(engine)
    const [mail, chat] = [await server.connect(MAILBOX), await server.connect(COUNTED)]
    await server.ingest('messages', mail, [
      message('a', { from: 'Hedda Doe <hedda@example.org>', body: 'pottery', received_at: at(0) }),
      message('b', { from: 'Hedda Doe', received_at: '2024-05-01T10:00:00Z' }),
      message('c', { from: 'Ann', body: 'Hedda Doe cannot come' }),
    ])
    const said = (id: string, minute: number) => line(id, minute, { who: 'Hedda Doe', text: `kiln ${id}` })
    await server.ingest('chat', chat, [said('x', 1), said('y', 2), line('z', 3)])
    const token = await server.grant({ connections: [mail] })
    await using client = await McpTestClient.connect(server, await server.grant({}))
    await using narrow = await McpTestClient.connect(server, token)
    const told = async (query: string, more = {}, as = client) => {
      const { text, structured } = await as.call('search', { query, ...more })
      const [first = '', second = ''] = text.split('\n')
      if (!first.startsWith('From, to or with ')) return null
      assert.ok(
        [first, second].every(line => structured.remarks.includes(line)),
        text,
      )
      const calls = callsIn(`${first}\n${second}`)
      for (const { tool, args } of calls) assert.ok(!(await as.call(tool, args)).isError, first)
      return [/^.*\.(?= All: )/.exec(first)?.[0], ...calls.map(({ tool, args }) => [tool, args])]
    }
    const list = ['query_records', { person: 'Hedda Doe' }]
    assert.deepEqual(await told('Who is Hedda Doe?'), [
      'From, to or with "Hedda Doe": 2 chat (2026), 2 messages (2024 to 2026).',
      list,
      ['aggregate', { person: 'Hedda Doe', granularity: 'month' }],
    ])
    // Asked for a number, it need not be the author of a hit.
    assert.deepEqual(await told('How much did Hedda write per week?'), [
      'From, to or with "Hedda": 2 chat (2026), 2 messages (2024 to 2026).',
      ['query_records', { person: 'Hedda' }],
      ['aggregate', { person: 'Hedda', granularity: 'week' }],
    ])
    assert.deepEqual(
      (await told('everything about Hedda Doe', {}, narrow))?.[0],
      'From, to or with "Hedda Doe": 2 messages (2024 to 2026).',
    )
    const since = { since: '2025' }
    assert.deepEqual((await told('Hedda Doe', since))?.slice(0, 2), [
      'From, to or with "Hedda Doe": 2 chat (2026), 1 messages (2026).',
      ['query_records', { person: 'Hedda Doe', ...since }],
    ])
    for (const query of ['Hedda Doe pottery', 'pottery', 'phone number of Hedda Doe', 'from:Hedda', 'kiln'])
      assert.equal(await told(query), null, query)
    assert.equal(await told('Hedda Doe', { streams: ['chat'] }), null)
  },
)
