import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestOf } from '../src/mcp/text/nearest.ts'
import { CHAT, line } from './chat.ts'
import { type Engine, onEitherEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { bytes, McpTestClient } from './mcp-client.ts'

const SEEN = [
  message('a', { from: 'Hedda Ruusk', body: 'the engine', received_at: '2015-01-01T00:00:00Z' }),
  message('b', { from: 'Hedda Ruusk', body: 'a heron', received_at: '2015-01-02T00:00:00Z' }),
  message('c', { from: 'Jonas', body: 'a heron', received_at: '2015-01-03T00:00:00Z' }),
]
/** Records after the granted time. */
const HIDDEN = [
  message('x', { from: 'Hedwig Rusk', body: 'xylograph', received_at: '2019-01-01T00:00:00Z' }),
  message('y', { from: 'Hedwig Rusk', body: 'xylograph', received_at: '2019-01-02T00:00:00Z' }),
]
const GRANTED = { streams: ['messages'], until: '2016-01-01T00:00:00Z' }

async function world(engine: Engine, lines: object[]) {
  const server = await TestServer.start(engine, { timeZone: 'Europe/Berlin' })
  const connection = await server.connect(MAILBOX, 'Home mail')
  await server.ingest('messages', connection, lines)
  const client = await McpTestClient.connect(server, await server.grant(GRANTED))
  return { server, client, connection }
}

/** Calls that find nothing, and what the answer must contain in both channels. */
const ASKED: [string, Record<string, unknown>, string[]][] = [
  [
    'search',
    { query: 'from:"Hedwig Rusk"' },
    ['from:"Hedwig Rusk" matches no record. from:"Hedda Ruusk" matches 2 records.'],
  ],
  [
    'query_records',
    { person: 'Heddda ruusk' },
    ['person:"Heddda ruusk" matches no record. person:"hedda ruusk" matches 2 records.'],
  ],
  [
    'search',
    { query: 'engine', person: 'Jona' },
    ['person:"Jona" matches no record. person:"Jonas" matches 1 record.'],
  ],
  ['search', { query: 'engine from:jonas' }, ['from:"jonas" alone matches 1 record']],
  ['search', { query: 'xylograph' }, []],
  ['search', { query: 'heron', since: '2015-02' }, ['Without the time limits 2 records match']],
  ['search', { query: 'heron on:2014' }, ['Without the time limits 2 records match']],
  ['query_records', { query: 'from:hedwig' }, ['from:"hedwig" matches no record']],
  [
    'query_records',
    { stream: 'messages', filter: { from: 'Hedda' } },
    ['The filter "from" = "Hedda" matches no record. 2 records have a "from" that contains "Hedda"'],
  ],
  [
    'query_records',
    { stream: 'messages', filter: { from: 'Heda Rusk' } },
    ['matches no record. Nearest: "Hedda Ruusk" (2)'],
  ],
  [
    'query_records',
    { stream: 'messages', filter: { from: 'Jonas', size: 7 } },
    ['"from" = "Jonas" alone matches 1 record', '"size" = "7" matches no record'],
  ],
  [
    'query_records',
    { since: '2015-03', person: 'hedda' },
    ['Without the time limits 2 records match', 'The nearest before is of 2015-01-02.'],
  ],
  [
    'search',
    { query: 'When was the engine last "a heron"?', sort: 'newest' },
    [
      'No record contains all these words. Alone: engine 1 record, last 0 records, "a heron" some records. Leave',
    ],
  ],
  [
    'aggregate',
    { query: 'How often is a heron of Hedda mentioned', stream: 'messages' },
    ['Alone: often 0 records, heron 2 records, Hedda 2 records, mentioned 0 records. Leave'],
  ],
  ['search', { query: 'on:2014 from:hedda' }, ['The nearest after is of 2015-01-01.']],
  [
    'aggregate',
    { stream: 'messages', person: 'Hedwig', group_by: 'from' },
    ['person:"Hedwig" matches no record'],
  ],
  [
    'aggregate',
    { stream: 'messages', query: 'engine from:jonas', metric: 'max', field: 'size' },
    ['from:"jonas" alone matches 1 record'],
  ],
  [
    'aggregate',
    { stream: 'messages', filter: { from: 'Hedda' } },
    ['The filter "from" = "Hedda" matches no record. 2 records have a "from" that contains "Hedda"'],
  ],
  [
    'aggregate',
    { stream: 'messages', query: 'heron on:2014', group_by_time: 'received_at', granularity: 'month' },
    ['Without the time limits 2 records match'],
  ],
  ['aggregate', { stream: 'messages', query: 'on:2014' }, ['Without the time limits 3 records match']],
  ['aggregate', { stream: 'messages', query: 'xylograph' }, []],
]

onEitherEngine(
  'AN-60 a misspelt name is recognised among authors, even if records contain the misspelt word',
  async engine => {
    await using server = await TestServer.start(engine)
    const [messages] = MAILBOX.streams
    const ungrouped = { ...messages, query: { ...messages?.query, aggregations: { count: true } } }
    const declared = { ...MAILBOX, streams: [ungrouped] }
    const connection = await server.connect(declared)
    await server.ingest('messages', connection, [
      message('a', { from: 'Odd Krig <odd@example.org>', body: 'the engine' }),
      message('b', { from: 'Odd Krig <odd@example.org>', body: 'the heron' }),
      message('c', { from: 'Odd Pedersen', body: 'kirg is a typing mistake' }),
    ])
    await using client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
    for (const [args, named] of [
      [{ query: 'engine', person: 'Odd Kirg' }, 'person'],
      [{ query: 'from:"Odd Kirg"' }, 'from'],
    ] as const) {
      const { text } = await client.call('search', args)
      assert.ok(
        text.includes(`${named}:"Odd Kirg" matches no record. ${named}:"Odd Krig" matches 2 records.`),
        text,
      )
    }
    const filter = { from: 'Odd Kirg' }
    const { text } = await client.call('query_records', { stream: 'messages', filter })
    assert.match(
      text,
      /The filter "from" = "Odd Kirg" matches no record\. from:"Odd Krig" matches 2 records\./,
    )
  },
)

onEitherEngine(
  'AN-60 an empty result says what was searched, which part matches nothing and what is similar',
  async engine => {
    const { server, client } = await world(engine, SEEN)
    await using _ = server
    await using __ = client
    for (const [tool, args, says] of ASKED) {
      const { text, structured } = await client.call(tool, args)
      const told = `${tool} ${JSON.stringify(args)}\n${text}`
      if (tool === 'aggregate') assert.equal(structured.data.filtered_record_count, 0, told)
      else assert.deepEqual(structured.results, [], told)
      for (const words of [...says, 'Searched: "Home mail"', 'Europe/Berlin', `${PUBLIC_URL}/apps`])
        assert.ok(text.includes(words), `${words}: ${told}`)
      const { searched, time_zone, reasons, more_at } = structured.nothing_found
      assert.deepEqual([searched, time_zone, more_at], [['Home mail'], 'Europe/Berlin', `${PUBLIC_URL}/apps`])
      for (const words of says) assert.ok(reasons.join('\n').includes(words), `${words}: ${told}`)
      assert.ok(bytes(text) <= 1_800, told)
    }
    const found = await client.call('search', { query: 'heron' })
    assert.equal(found.structured.nothing_found, undefined)
    assert.ok(!found.text.includes('/apps'))
    const counted = await client.call('aggregate', { stream: 'messages', query: 'heron' })
    assert.equal(counted.structured.nothing_found, undefined)
    assert.ok(!counted.text.includes('/apps'))
    const timed = await client.call('search', { query: 'on:2014' })
    assert.ok(!timed.text.includes('fewer words'), timed.text)
    const words = await client.refused('query_records', { query: 'heron from:jonas' })
    assert.deepEqual([words.code, words.param], ['invalid_request', 'query'])
    const call = 'search {"query":"heron from:jonas","streams":["messages"]}.'
    const inStream = await client.refused('query_records', { stream: 'messages', query: 'heron from:jonas' })
    assert.ok(inStream.message.endsWith(`Use search to find words: ${call}`), inStream.message)
    const narrowed = { query: 'heron', person: 'jonas', since: '2015', limit: 2 }
    const args = { ...narrowed, stream: 'messages', order: 'desc', count: true, fields: ['body'] }
    const { message } = await client.refused('query_records', args)
    const [, asked = ''] = /find words: search (\{.*\})\.$/.exec(message) ?? []
    const same = { ...narrowed, streams: ['messages'], sort: 'newest' }
    assert.deepEqual(JSON.parse(asked), same, message)
    assert.equal((await client.call('search', same)).structured.results.length, 1)
  },
)

onEitherEngine(
  'AN-60 of many searched sources, an empty result names the first and counts the rest',
  async engine => {
    await using server = await TestServer.start(engine)
    for (let number = 10; number < 24; number++) await server.connect(MAILBOX, `Mail${number}`)
    await using client = await McpTestClient.connect(server, await server.grant())
    const { text, structured } = await client.call('search', { query: 'heron' })
    assert.match(text, /^Searched: Mail10, .*, Mail21 and 2 more\. /m)
    assert.equal(structured.nothing_found.searched.length, 12)
    assert.equal(structured.nothing_found.searched_more, 2)
  },
)

onEitherEngine('AN-60 a search for me says what records call the owner', async engine => {
  const seen = { received_at: '2015-01-01T00:00:00Z' }
  const { server, client } = await world(engine, [
    ...['user', 'assistant', 'user', 'human'].map((from, n) =>
      message(`ai${n}`, { from, body: 'heron', ...seen }),
    ),
  ])
  await using _ = server
  await using __ = client
  const said =
    /from:"me" matches no record\. In conversations with an AI the owner is "user" \(2\), "human" \(1\): use from:user\./
  for (const query of ['from:me', 'from:me heron']) {
    const { text, structured } = await client.call('search', { query })
    assert.match(text, said)
    assert.match(structured.nothing_found.reasons.join(), said)
  }
  assert.match((await client.call('query_records', { person: 'me' })).text, /: use person:user\./)
  const mail = await world(engine, [
    message('a', seen),
    message('b', seen),
    message('c', { ...seen, from: 'ben@example.org' }),
  ])
  await using ___ = mail.server
  await using ____ = mail.client
  assert.match(
    (await mail.client.call('search', { query: 'from:me' })).text,
    /Give the owner's name or address\. Most frequent: "ada@example\.org" \(2\), "ben@example\.org" \(1\)\./,
  )
})

onEitherEngine('AN-60 RS-5 hidden data does not affect the reasons for an empty result', async engine => {
  const answers: string[][] = []
  for (const lines of [SEEN, [...SEEN, ...HIDDEN]]) {
    const { server, client, connection } = await world(engine, lines)
    await using _ = server
    await using __ = client
    const told: string[] = []
    for (const [tool, args] of ASKED) {
      const { text, structured } = await client.call(tool, args)
      told.push(`${text}\n${JSON.stringify(structured)}`.replaceAll(connection, 'cin_…'))
    }
    answers.push(told)
  }
  assert.deepEqual(answers[1], answers[0])
})

onEitherEngine(
  'AN-4 AN-60 a hit found only by operators shows the start of its text, as far as granted',
  async engine => {
    await using server = await TestServer.start(engine)
    const declared = structuredClone(MAILBOX)
    const body = declared.streams[0]?.schema.properties.body
    Object.assign(body ?? {}, { x_pdpp_role: 'primary-text' })
    const connection = await server.connect(declared)
    await server.ingest('messages', connection, [
      message('long', { body: `Dear Ada, ${'and so forth '.repeat(3_000)}` }),
      message('none', { body: null }),
    ])
    await using all = await McpTestClient.connect(server, await server.grant())
    const hits = (await all.call('search', { query: 'from:ada' })).structured.results
    const snippets = hits.map(({ snippet }: { snippet?: string }) => snippet?.slice(0, 12))
    assert.deepEqual(new Set(snippets), new Set(['Dear Ada, an', undefined]))
    const token = await server.grant({
      streams: ['messages'],
      fields: ['id', 'from', 'subject', 'received_at'],
    })
    await using some = await McpTestClient.connect(server, token)
    const hidden = await some.call('search', { query: 'from:ada' })
    assert.equal(hidden.structured.results.length, 2)
    assert.ok(!JSON.stringify(hidden.result).includes('Dear Ada'))
  },
)

test('AN-60 the nearest values are those with the most similar words, best first', () => {
  const values = ['Hedda Ruusk', 'hedda.ruusk@example.net', 'Jonas Brennick', '山田太郎'].map(key => ({
    key,
  }))
  const near = (text: string) => nearestOf(text, values, 3).map(({ key }) => key)
  assert.deepEqual(near('Heda Rusk'), ['Hedda Ruusk', 'hedda.ruusk@example.net'])
  assert.deepEqual(near('brennik'), ['Jonas Brennick'])
  assert.deepEqual(near('Jon'), ['Jonas Brennick'])
  assert.deepEqual(near('Jnoas'), ['Jonas Brennick'])
  assert.deepEqual(near('bonus'), [])
  assert.deepEqual(near('山田次郎'), ['山田太郎'])
  assert.deepEqual(near('Zebulon'), [])
  assert.deepEqual(near('???'), [])
})

onEitherEngine('AN-60 a person who is only in a stream without a time is found there', async engine => {
  await using server = await TestServer.start(engine)
  const contacts = {
    ...(MAILBOX.streams[1] as object),
    name: 'contacts',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string', x_pdpp_role: 'participant' } },
    },
    query: { search: { lexical_fields: ['name'] } },
  }
  const connection = await server.connect({ ...MAILBOX, streams: [MAILBOX.streams[0], contacts] } as never)
  await server.ingest('messages', connection, SEEN)
  await server.ingest('contacts', connection, [{ data: { id: '1', name: 'Anna Kowalski' } }])
  await using client = await McpTestClient.connect(server, await server.grant())
  const { structured, text } = await client.call('query_records', { person: 'anna' })
  const call = 'query_records {"stream":"contacts","person":"anna"}'
  assert.deepEqual(structured.nothing_found.reasons, [
    `person:"anna" matches records of contacts that have no time: ${call}.`,
  ])
  assert.ok(text.includes(call), text)
  assert.match(text, /1 readable stream has no time, so nothing in it can match/)
  const named = await client.call('query_records', { stream: 'contacts', person: 'anna' })
  assert.equal(named.structured.results.length, 1)
  await using narrow = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  const hidden = await narrow.call('query_records', { person: 'anna' })
  assert.ok(!hidden.text.includes('contacts'), hidden.text)
})

onEitherEngine(
  'AN-60 a misspelt name is recognised also among more streams than can be compared one by one',
  async engine => {
    await using server = await TestServer.start(engine)
    const [messages] = MAILBOX.streams
    const names = Array.from({ length: 12 }, (_, n) => `chat_${n}`)
    const declared = { ...MAILBOX, streams: [...names, 'messages'].map(name => ({ ...messages, name })) }
    const connection = await server.connect(declared)
    for (const name of names) await server.ingest(name, connection, [message('a')])
    await server.ingest('messages', connection, [
      message('a', { from: 'Odd Krig <odd@example.org>' }),
      message('b', { from: 'Odd Krig <krig@example.com>' }),
      message('c', { from: 'Odd Pedersen', body: 'kirg is a typing mistake' }),
    ])
    await using client = await McpTestClient.connect(server, await server.grant())
    const { text } = await client.call('query_records', { person: 'Odd Kirg' })
    assert.ok(
      text.includes('person:"Odd Kirg" matches no record. person:"Odd Krig" matches 2 records.'),
      text,
    )
  },
)

onEitherEngine(
  'AN-60 without a time in the grant, an empty list says how to read without one',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX, 'Home mail')
    await server.ingest('messages', connection, SEEN)
    const token = await server.grant({ streams: ['messages'], fields: ['id', 'subject', 'body'] })
    await using client = await McpTestClient.connect(server, token)
    const listed = await client.call('query_records', {})
    const call = 'query_records {"stream":"messages"}'
    assert.ok(
      listed.text.includes(`None of the streams that you may read shows a time. Name a stream: ${call}.`),
    )
    for (const args of [{ sort: 'newest' }, { since: '2015' }]) {
      const { text, structured } = await client.call('search', { query: 'heron', ...args })
      assert.match(text, /shows a time\. Search without sort, since and until\./)
      assert.match(structured.nothing_found.reasons.at(-1), /^None of the streams/)
    }
    const missing = await client.call('search', { query: 'zebra' })
    assert.ok(!missing.text.includes('shows a time'), missing.text)
    const counted = await client.refused('aggregate', { stream: 'messages', granularity: 'month' })
    assert.equal(counted.message, 'It has no time to group by. Leave granularity out.')
  },
)

onEitherEngine('AN-33 bounds without a time between them are refused', async engine => {
  const { server, client } = await world(engine, SEEN)
  await using _ = server
  await using __ = client
  for (const [tool, args] of [
    ['search', { query: 'heron' }],
    ['query_records', {}],
    ['aggregate', {}],
  ] as const) {
    const { code, message, param } = await client.refused(tool, {
      ...args,
      since: '2015-02',
      until: '2015-01',
    })
    assert.deepEqual([code, param], ['invalid_request', 'since'])
    assert.equal(
      message,
      'There is no time between since and until (from 2015-02-01, before 2015-02-01). Repeat the call with an earlier since.',
    )
  }
})

onEitherEngine(
  'AN-60 what is listed by time or counted says which words records had to contain',
  async engine => {
    const { server, client } = await world(engine, [
      message('a', { body: 'the heron was mentioned last', received_at: '2015-01-01T00:00:00Z' }),
      message('b', { body: 'a heron, later', received_at: '2015-01-02T00:00:00Z' }),
    ])
    await using _ = server
    await using __ = client
    const query = 'Where was the heron last mentioned?'
    const listed = await client.call('search', { query, sort: 'newest' })
    const said = 'Listed: records that contain all of heron, last, mentioned.'
    assert.ok(listed.text.includes(said), listed.text)
    assert.deepEqual(listed.structured.remarks, [said])
    const counted = await client.call('aggregate', { query: 'heron "mentioned last"' })
    assert.match(
      counted.text,
      /^count = 1 over 1 record.*\nNote: Counted: .* all of heron, "mentioned last"\.$/,
    )
    assert.deepEqual(counted.structured.remarks, [
      'Counted: records that contain all of heron, "mentioned last".',
    ])
    for (const sort of ['newest', undefined])
      assert.equal((await client.call('search', { query: 'the heron', sort })).structured.remarks, undefined)
    const ranked = await client.call('search', { query: 'Where was the heron mentioned last?' })
    assert.equal(ranked.structured.remarks, undefined)
  },
)

onEitherEngine(
  'AN-60 a question for a time in a kind of source says that only that was searched',
  async engine => {
    await using server = await TestServer.start(engine)
    await server.connect(MAILBOX, 'Home mail')
    const chat = await server.connect(CHAT, 'Club chat')
    await server.ingest('chat', chat, [line('a', 1)])
    await using client = await McpTestClient.connect(
      server,
      await server.grant({ streams: ['messages', 'chat'] }),
    )
    const { text, structured } = await client.call('search', { query: 'what happened in the chat in 2014?' })
    assert.deepEqual(structured.nothing_found.searched, ['Club chat'])
    assert.match(text, /^Searched: "Club chat"\./m)
  },
)
