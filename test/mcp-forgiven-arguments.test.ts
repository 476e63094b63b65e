import assert from 'node:assert/strict'
import { recordUri } from '../src/model/ids/handle.ts'
import { fieldWindowUri } from '../src/model/ids/window-uri.ts'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'
import { callsIn, McpTestClient } from './mcp-client.ts'
import { PUBLIC_URL } from './test-server.ts'

const TEXT = { type: ['string', 'null'] }
const LINES = [
  message('a', { received_at: '2015-01-01T10:00:00Z', body: 'a heron' }),
  message('b', { received_at: '2015-01-02T10:00:00Z', body: 'a heron' }),
]

async function world(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX, 'Home mail')
  const other = await server.connect(MAILBOX, 'Club mail')
  await server.ingest('messages', connection, LINES)
  await server.ingest('messages', other, [message('c', { body: 'a heron' })])
  const client = await McpTestClient.connect(server, await server.grant())
  const found = async (tool: string, args: Record<string, unknown>) => {
    const { structured, text } = await client.call(tool, args)
    assert.ok(structured, text)
    return structured.results.map(({ id }: { id: string }) => id.split(':').at(-1))
  }
  return { server, client, connection, found }
}

onEitherEngine('ER-4: an id may have white space around it', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  const id = ` ${connection}/messages:a\n`
  assert.equal((await client.call('fetch', { id })).structured.id, id.trim())
  assert.equal((await client.call('read_conversation', { id })).structured.conversation.id, id.trim())
  const window = await client.call('read_record_field', { id, field_path: 'body' })
  assert.equal(window.structured.window.text, 'a heron')
  assert.deepEqual(await found('query_records', { stream: ' messages ', connection_id: ` ${connection} ` }), [
    'b',
    'a',
  ])
})

onEitherEngine('ER-4: the names that other tools have for an argument are understood', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  const here = { connection_id: connection }
  for (const order of [{ order: 'oldest' }, { sort: 'oldest' }, { sort: 'asc' }])
    assert.deepEqual(await found('query_records', { ...here, ...order }), ['a', 'b'])
  assert.deepEqual(await found('query_records', { ...here, sort: 'newest' }), ['b', 'a'])
  assert.deepEqual(await found('search', { ...here, query: 'heron', sort: 'asc' }), ['a', 'b'])
  assert.deepEqual(await found('search', { ...here, query: 'heron', order: 'oldest', stream: 'messages' }), [
    'a',
    'b',
  ])
  for (const sort of ['latest', 'Newest', 'newest first', 'descending', 'date'])
    assert.deepEqual(await found('search', { ...here, query: 'heron', sort }), ['b', 'a'], sort)
  assert.deepEqual(await found('query_records', { ...here, order: 'earliest' }), ['a', 'b'])
  assert.deepEqual(await found('search', { ...here, query: 'heron', sort: 'Relevance' }), ['b', 'a'])
  const field = { id: `${connection}/messages:a`, field: 'body' }
  assert.equal((await client.call('read_record_field', field)).structured.window.text, 'a heron')
  for (const order_by of ['date_asc', 'received_at asc', 'received ascending'])
    assert.deepEqual(await found('query_records', { ...here, order_by }), ['a', 'b'], order_by)
  // Another order than the one that was asked for would be a wrong answer.
  for (const order of ['size', 'size desc', 'reaction_count desc'])
    assert.equal(
      (await client.refused('query_records', { order })).message,
      'order must be equal to one of the allowed values (asc, desc). Records are only ordered by time; a filter with gte finds those with large values.',
    )
})

onEitherEngine('ER-4: what models call words and times is understood, with any white space', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  const here = { connection_id: connection }
  for (const args of [
    { text: 'heron', after_date: '2015-01-02' },
    { prompt: `${' '.repeat(10_000)}heron`, time_from: '2015-01-02' },
    { query: `the${' \n'.repeat(10_000)}heron since:2015-01-02`, before_date: '2016' },
  ])
    assert.deepEqual(await found('search', { ...here, ...args }), ['b'])
  assert.equal(
    (await client.refused('search', { query: ' \n ' })).message,
    'search needs the argument query.',
  )
  const several = await client.refused('query_records', { stream: ['messages', 'notes'] })
  assert.equal(several.message, 'query_records takes one stream, or none for all. Call it once for each.')
  // By the names of the tool, not of the resource server.
  const refused = await client.refused('query_records', {
    stream: 'messages',
    filter: { body: { gte: 'x' } },
  })
  assert.equal(refused.param, 'filter')
})

onEitherEngine(
  'ER-4: an id is understood with what models copy along, or separate otherwise',
  async engine => {
    const { server, client, connection } = await world(engine)
    await using _server = server
    await using _client = client
    const id = `${connection}/messages:a`
    const written = [`[${id}]`, `"${id}".`, `(${id})`, `${connection}:messages:a`, `${connection}/messages/a`]
    const link = `[a heron](${PUBLIC_URL}/r/${connection}/messages/a).`
    const path = `${connection}/messages/a`
    const uris = [
      ...[`pdpp://record/${path}`, `pdpp://conversation/${id}`, `/r/${path}`, `r/${path}`],
      recordUri(connection, 'messages', 'a').replace('//record/', '//conversation/'),
      fieldWindowUri({
        record: { connection_id: connection, stream: 'messages', record_id: 'a' },
        field_path: 'body',
        selector: {},
        digest: null,
      }),
    ]
    for (const each of [...written, `${id}#body@2`, `id: ${id}`, link, ...uris]) {
      assert.equal((await client.call('fetch', { id: each })).structured.id, id, each)
      const window = await client.call('read_record_field', { id: each, field_path: 'body' })
      assert.match(window.text, /a heron/, each)
      const around = await client.call('read_conversation', { id: each })
      assert.equal(around.structured.messages[0].id, id, each)
    }
    const parts = { connection_id: connection, stream: 'messages', record_id: 'a' }
    for (const args of [{ record_id: id }, { ids: [id] }, { url: id }, parts])
      assert.equal((await client.call('fetch', args)).structured.id, id, JSON.stringify(args))
    assert.equal((await client.call('read_conversation', parts)).structured.conversation.id, id)
  },
)

onEitherEngine('ER-1: an unknown id is refused with what an id is, hidden or not', async engine => {
  const { server, connection } = await world(engine)
  await using _server = server
  await using client = await McpTestClient.connect(
    server,
    await server.grant({ streams: ['messages'], until: '2015-01-02T00:00:00Z' }),
  )
  const id = `${connection}/messages:`
  for (const [tool, more] of [
    ['fetch'],
    ['read_record_field', { field_path: 'body' }],
    ['read_conversation'],
  ] as const)
    for (const record of ['b', 'bb', 'b).']) {
      const { code, message } = await client.refused(tool, { ...more, id: id + record })
      assert.equal(code, 'not_found')
      assert.equal(
        message,
        'There is no such record. Pass an id exactly as search or query_records showed it: {connection_id}/{stream}:{record_id}. It is never made up.',
      )
    }
})

onEitherEngine(
  'ER-4: a connection may be named as the schema shows it, if only one has that name',
  async engine => {
    const { server, client, found } = await world(engine)
    await using _server = server
    await using _client = client
    assert.deepEqual(await found('query_records', { connection_id: 'club MAIL' }), ['c'])
    assert.deepEqual(await found('search', { query: 'heron', connection_id: ['Club mail'] }), ['c'])
    const counted = await client.call('aggregate', { stream: 'messages', connection_id: 'Home mail' })
    assert.equal(counted.structured.data.value, 2)
    await server.connect(MAILBOX, 'Club mail')
    await using both = await McpTestClient.connect(server, await server.grant())
    const { code, message: refused } = await both.refused('query_records', { connection_id: 'Club mail' })
    assert.equal(code, 'connection_not_found')
    assert.match(
      refused,
      /^There is no such connection\. There are cin_\w+ "Club mail", cin_\w+ "Club mail", /,
    )
  },
)

onEitherEngine('ER-1: a refused name comes with those that resemble it', async engine => {
  const { server, client, connection } = await world(engine)
  await using _server = server
  await using _client = client
  const refused = async (tool: string, args: Record<string, unknown>) =>
    (await client.refused(tool, args)).message
  assert.match(
    await refused('query_records', { stream: 'field notes' }),
    /a stream field notes\. It opens notes, messages\./,
  )
  const id = `${connection}/messages:a`
  const narrow = await server.grant({ streams: ['messages'], fields: ['id', 'subject', 'size'] })
  await using other = await McpTestClient.connect(server, narrow)
  const window = await other.refused('read_record_field', { id, field_path: 'subject_line' })
  assert.equal(window.message, 'The grant does not open a field subject_line. It opens subject, id, size.')
  const hidden = await other.refused('query_records', { stream: 'messages', filter: { body: 'x' } })
  assert.equal(hidden.message, 'The grant does not open a field body. It opens id, subject, size.')
})

onEitherEngine(
  'ER-4: names that models invent are understood, or the refusal says what to use',
  async engine => {
    const { server, client, connection, found } = await world(engine)
    await using _server = server
    await using _client = client
    const here = { connection_id: connection }
    assert.deepEqual(await found('query_records', { ...here, max_results: 1 }), ['b'])
    assert.deepEqual(await found('search', { ...here, query: 'heron', end_date: '2015-01-01' }), ['a'])
    assert.deepEqual(await found('query_records', { ...here, start_date: '2015-01-02' }), ['b'])
    assert.deepEqual(await found('search', { ...here, question: 'heron', month: 'January 2015', n: 1 }), [
      'b',
    ])
    assert.deepEqual(await found('search', { ...here, query: 'heron', year: 2014 }), [])
    assert.deepEqual(await found('query_records', { ...here, streams: ['messages'], top_k: 1 }), ['b'])
    const daily = await client.call('aggregate', { ...here, streams: 'messages', interval: 'day' })
    assert.equal(daily.structured.data.groups.length, 2)
    const bySender = await client.call('aggregate', { ...here, stream: ['messages'], group_by: ['from'] })
    assert.deepEqual(bySender.structured.data.groups, [{ key: 'ada@example.org', count: 2 }])
    const refused = async (tool: string, args: object) => (await client.refused(tool, { ...args })).message
    for (const [args, advice] of [
      [{ sender: 'say "ada"' }, 'Write from:NAME in query, or pass person.'],
      [{ kind: 'mail' }, 'Pass connector or connection_id.'],
      [{ offset: 10 }, 'Pass the cursor of the page before.'],
    ] as const) {
      const [name] = Object.keys(args)
      const message = await refused('search', { query: 'heron', ...args })
      assert.ok(
        message.startsWith(`search has no argument ${name}. ${advice} Allowed: query, limit, `),
        message,
      )
    }
    const id = `${connection}/messages:a`
    assert.match(
      await refused('fetch', { id, sender: 'ada' }),
      /^fetch has no argument sender\. Allowed: id, /,
    )
    assert.match(
      await refused('fetch', { id, constructor: 1 }),
      /^fetch has no argument constructor\. Allowed: id, /,
    )
    assert.match(await refused('search', { query: 'heron', limit: 1, max_results: 2 }), /Give one of them\./)
    const several = await refused('query_records', { streams: ['messages', 'notes'] })
    assert.match(several, /^query_records takes one stream/)
    const filter = await refused('query_records', { filter: 'size > 7' })
    assert.equal(filter, 'filter must be an object (field → value or {gte,gt,lte,lt,contains,in}).')
    assert.match(
      await refused('search', { about: 'heron' }),
      /^search has no argument about\. Allowed: query, /,
    )
  },
)

onEitherEngine('ER-4: a kind of source may be named in other words', async engine => {
  const { server, client, found } = await world(engine)
  await using _server = server
  await using _client = client
  const { structured } = await client.call('schema', { detail: 'full' })
  const kind: string = structured.data.streams[0].connections[0].connector_key
  for (const connector of [kind, kind.toUpperCase(), 'Message', 'messages'])
    assert.equal((await found('query_records', { connector })).length, 3, connector)
  const { code } = await client.refused('query_records', { connector: `${kind}X` })
  assert.equal(code, 'connection_not_found')
})

onEitherEngine("AN-24: a day in a question is one of the owner's calendar", async engine => {
  await using server = await TestServer.start(engine, { timeZone: 'Pacific/Kiritimati' })
  const connection = await server.connect(MAILBOX)
  const received_at = '2023-06-04T20:00:00Z'
  await server.ingest('messages', connection, [message('a', { body: 'the dues were paid', received_at })])
  await using client = await McpTestClient.connect(server, await server.grant())
  const text = async (day: string) =>
    (await client.call('search', { query: `dues on ${day} June 2023` })).text
  assert.match(await text('4'), /No hit of this page is from 2023-06-04\. .* on:2023-06-04 alone/)
  assert.doesNotMatch(await text('5'), /No hit of this page/)
  const happened = async (day: string) =>
    (await client.call('search', { query: `What happened on ${day} June 2023?` })).text
  assert.match(await happened('5'), /what is from 2023-06-05 is listed[\s\S]*messages:a/)
  assert.match(await happened('4'), /^No record[\s\S]*The nearest after is of 2023-06-0/)
})

onEitherEngine('ER-4: several kinds of source have a common beginning', async engine => {
  await using server = await TestServer.start(engine)
  for (const [id, key] of Object.entries({ a: 'table-one', b: 'table-two', c: 'tablet' })) {
    const connection = await server.connect({ ...MAILBOX, ...source(key) })
    await server.ingest('messages', connection, [message(id, { body: 'a heron' })])
  }
  await using client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  for (const connector of ['Table', 'tables']) {
    const { structured } = await client.call('search', { query: 'heron', connector })
    const ids = structured.results.map(({ id }: { id: string }) => id.at(-1))
    assert.deepEqual(ids.toSorted(), ['a', 'b'], connector)
  }
})

onEitherEngine('ER-4: fields may be written with other capitals, and as one text', async engine => {
  await using server = await TestServer.start(engine)
  const declared = structuredClone(MAILBOX)
  const [stream] = declared.streams
  const more = { Secret: TEXT, 'size, in bytes': TEXT, buy_asset: TEXT, thread_id: TEXT }
  Object.assign(stream?.schema.properties ?? {}, more)
  const connection = await server.connect(declared)
  const also = { size: 7, Secret: 'shown', secret: 'hidden', 'size, in bytes': '7', buy_asset: 'BTC' }
  await server.ingest('messages', connection, [message('a', { body: 'a heron', ...also })])
  await using client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  const listed = async (fields: unknown) => {
    const { structured } = await client.call('query_records', { stream: 'messages', fields })
    return Object.keys(structured.data.data[0].data).toSorted()
  }
  for (const fields of ['body,size', 'Body, SIZE,', ['BODY', 'Size'], ['body,Size']])
    assert.deepEqual(await listed(fields), ['body', 'id', 'size'], JSON.stringify(fields))
  assert.deepEqual(await listed('size, in bytes'), ['id', 'size, in bytes'])
  assert.deepEqual(await listed('Size, in bytes'), ['id', 'size, in bytes'])
  // Names of columns become names of fields; a model may write what the table had.
  assert.deepEqual(await listed(['Buy Asset', 'size']), ['buy_asset', 'id', 'size'])
  assert.equal(
    (await client.refused('query_records', { stream: 'messages', fields: ['seller'] })).code,
    'unknown_field',
  )
  const id = `${connection}/messages:a`
  const fetched = await client.call('fetch', { id, fields: 'Size,Body' })
  assert.match(fetched.structured.text, /a heron/)
  assert.match(fetched.structured.text, /size: 7/)
  const window = await client.call('read_record_field', { id, field: 'BODY' })
  assert.equal(window.structured.window.text, 'a heron')
  for (const [tool, args] of [
    ['query_records', { stream: 'messages' }],
    ['search', { query: 'heron', streams: 'messages' }],
  ] as const)
    assert.equal(
      (await client.call(tool, { ...args, filter: { Size: { gte: 7 } } })).structured.results.length,
      1,
    )
  const figure = async (args: object) =>
    (await client.call('aggregate', { stream: 'messages', ...args })).structured.data
  assert.equal((await figure({ metric: 'sum', field: 'Size' })).value, 7)
  assert.equal((await figure({ metric: 'total', field: 'size' })).value, 7)
  assert.equal((await figure({ metric: 'Total' })).metric, 'count')
  assert.equal((await figure({ metric: 'maximum', field: 'size' })).value, 7)
  const average = { stream: 'messages', metric: 'Average', field: 'size' }
  const { message: instead } = await client.refused('aggregate', average)
  const argsIn = (text: string): object[] =>
    [...text.matchAll(/ aggregate (\{.*?\})/g)].map(([, args = '']) => JSON.parse(args))
  const [call = {}] = argsIn(instead)
  assert.deepEqual(call, { ...average, metric: 'sum' })
  const { text, structured: summed } = await client.call('aggregate', { ...call })
  assert.match(text, /^sum\(size\) of messages = 7 over 1 record/)
  assert.deepEqual([summed.data.value, summed.data.filtered_record_count], [7, 1])
  const grouped = await client.refused('aggregate', { ...average, metric: 'mean', group_by: 'from' })
  assert.deepEqual(argsIn(grouped.message), [
    { stream: 'messages', metric: 'sum', field: 'size', group_by: 'from' },
    { stream: 'messages', metric: 'count', group_by: 'from' },
  ])
  assert.deepEqual((await figure({ group_by: 'FROM' })).groups, [{ key: 'ada@example.org', count: 1 }])

  const both = await client.refused('query_records', { stream: 'messages', fields: 'SECRET' })
  assert.match(both.message, /SECRET/)
  await client.refused('query_records', { stream: 'messages', fields: ', ,' })
  const twice = { Size: { gte: 7 }, size: { lt: 7 } }
  assert.match((await client.refused('query_records', { stream: 'messages', filter: twice })).message, /Size/)
  const narrow = await server.grant({ streams: ['messages'], fields: ['id', 'Secret'] })
  await using other = await McpTestClient.connect(server, narrow)
  const { structured } = await other.call('query_records', { stream: 'messages', fields: 'SECRET' })
  assert.deepEqual(structured.data.data[0].data, { id: 'a', Secret: 'shown' })
  const { code } = await other.refused('query_records', { stream: 'messages', fields: 'BODY' })
  assert.equal(code, 'unknown_field')
})

onEitherEngine('RF-4: limit_chars with q is the size of the window around the match', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const body = `${'x'.repeat(500)} heron ${'y'.repeat(500)}`
  await server.ingest('messages', connection, [message('a', { body })])
  await using client = await McpTestClient.connect(server, await server.grant())
  const read = async (args: object) => {
    const id = `${connection}/messages:a`
    const { structured } = await client.call('read_record_field', {
      id,
      field_path: 'body',
      q: 'heron',
      ...args,
    })
    return structured.window.text
  }
  assert.equal(await read({ limit_chars: 9 }), await read({ before_chars: 4, after_chars: 5 }))
  assert.equal(
    await read({ limit_chars: 9, after_chars: 100 }),
    await read({ before_chars: 4, after_chars: 100 }),
  )
})

onEitherEngine('ER-1: a comparison written as a value is refused with the operator to use', async engine => {
  const { server, client } = await world(engine)
  await using _server = server
  await using _client = client
  const { message: refused } = await client.refused('query_records', {
    stream: 'messages',
    filter: { size: '>= 100' },
  })
  assert.equal(refused, '">= 100" is not a valid value for size. Use the operator gte with 100.')
})

onEitherEngine(
  'ER-4: operators of filters are understood as other query languages write them',
  async engine => {
    const { server, client, connection, found } = await world(engine)
    await using _server = server
    await using _client = client
    const list = (filter: object) =>
      found('query_records', { stream: 'messages', connection_id: connection, order: 'asc', filter })
    const day = '2015-01-02T00:00:00Z'
    for (const [filter, ids] of [
      [{ id: { eq: 'a' } }, ['a']],
      [{ id: { $eq: 'a' } }, ['a']],
      [{ id: ['a', 'b'] }, ['a', 'b']],
      [{ id: { $in: ['b'] } }, ['b']],
      [{ received_at: { $gte: day } }, ['b']],
      [{ received_at: { '>=': day } }, ['b']],
      [{ received_at: { '<': day } }, ['a']],
      [{ body: { includes: 'HER' } }, ['a', 'b']],
    ] as const)
      assert.deepEqual(await list(filter), ids, JSON.stringify(filter))
    const { message: refused } = await client.refused('query_records', {
      stream: 'messages',
      filter: { id: { near: 'a' } },
    })
    assert.match(refused, /near is not an operator; use gte, gt, lte, lt, contains, in\./)
  },
)

onEitherEngine('ER-4: a query without words lists what the other arguments leave', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  const here = { connection_id: connection }
  for (const args of [here, { ...here, query: '' }, { ...here, query: ' * ' }, { ...here, query: null }])
    assert.deepEqual(await found('search', args), ['b', 'a'], JSON.stringify(args))
  assert.deepEqual(await found('search', { person: 'ada', until: '2015-01-01', query: '*' }), ['a'])
  assert.deepEqual(await found('search', { query: '*', sort: 'oldest', limit: 2 }), ['a', 'b'])
  const first = await client.call('search', { query: '*', limit: 1 })
  const [more] = callsIn(first.text).filter(({ tool }) => tool === 'search')
  assert.deepEqual(await found('search', more?.args ?? {}), ['b'])
  assert.deepEqual(await found('query_records', { ...here, query: '*' }), ['b', 'a'])
  const counted = await client.call('aggregate', { ...here, stream: 'messages', query: '*' })
  assert.equal(counted.structured.data.value, 2)
  assert.equal((await client.refused('search', { limit: 2 })).message, 'search needs the argument query.')
  assert.match(
    (await client.call('search', { query: '* -heron' })).text,
    /The query contains no word to search for/,
  )
  const excluded = await client.call('search', { query: 'from:ada -heron' })
  assert.match(excluded.text, /^Note: "Words with a minus have no effect beside operators alone\./)
  assert.equal(excluded.structured.data.meta.warnings[0].code, 'exclusions_ignored')
  const named = { ...here, query: 'from:ada example.org', order: 'asc' }
  assert.deepEqual(await found('query_records', named), ['a', 'b'])
  await client.refused('query_records', { query: 'heron from:ada' })
})

onEitherEngine('ER-4: what other query languages write is understood', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  const here = { stream: 'messages' }
  for (const filter of [
    [{ field: 'from', op: 'contains', value: 'ada' }],
    '[{"column":"from","operator":"like","value":"%ada@%"}]',
    { from: { ilike: 'ADA%' } },
    { received_at: { since: '2015-01-01', before: '2020-01-01' } },
    [
      { field: 'received_at', op: '>=', value: '2015-01-01' },
      { field: 'received_at', op: '<', value: '2020-01-01' },
    ],
  ])
    assert.deepEqual(
      (await found('query_records', { ...here, connection_id: connection, filter })).toSorted(),
      ['a', 'b'],
      JSON.stringify(filter),
    )
  assert.deepEqual(
    await found('query_records', { ...here, filter: { received_at: { after: '2015-01-01' } } }),
    ['c', 'b'],
  )
  assert.deepEqual(await found('query_records', { table: 'messages', connection_id: connection }), ['b', 'a'])
  // Without a stream, a filter on what every mail and chat has is an operator.
  const sender = { sender: { contains: 'Ada' } }
  assert.equal((await found('query_records', { filter: sender })).length, 3)
  assert.equal((await found('search', { query: 'heron', filter: sender })).length, 3)
  const other = await client.refused('search', { query: 'heron', filter: { size: 1 } })
  assert.equal(other.message, 'filter needs exactly one stream: name it in streams.')
  const twice = { field: 'size', op: '>', value: 1 }
  assert.match(
    (await client.refused('query_records', { ...here, filter: [twice, twice] })).message,
    /^filter must be an object/,
  )
  const counted = await client.call('aggregate', { ...here, operation: 'count', by: 'from' })
  assert.deepEqual(counted.structured.data.groups, [{ key: 'ada@example.org', count: 3 }])
  const window = { id: `${connection}/messages:a`, field: 'body' }
  for (const part of [{ offset: 2 }, { start: '2', length: 100 }])
    assert.equal(
      (await client.call('read_record_field', { ...window, ...part })).structured.window.text,
      'heron',
    )
  assert.deepEqual(
    (await client.call('read_record_field', { ...window, query: 'HERON' })).structured.window.match,
    {
      q: 'HERON',
      start_chars: 2,
      end_chars: 7,
    },
  )
})

onEitherEngine('AN-8: now is a time, and the same one on the next page', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  await server.ingest('messages', connection, [
    message('d', { received_at: soon, body: 'soon' }),
    message('e', { received_at: soon, body: 'soon' }),
  ])
  const { text, structured } = await client.call('query_records', { since: 'now', limit: 1 })
  const [next] = callsIn(text).filter(({ tool }) => tool === 'query_records')
  const rest = await client.call('query_records', { ...next?.args })
  const ids = [structured, rest.structured].flatMap(({ results }) =>
    results.map(({ id }: { id: string }) => id.at(-1)),
  )
  assert.deepEqual(ids.toSorted(), ['d', 'e'])
  assert.equal((await found('search', { query: 'heron', until: 'Now', sort: 'newest' })).length, 3)
})

onEitherEngine('ER-4: a stream may be named by its connection, an id with other separators', async engine => {
  const { server, client, connection, found } = await world(engine)
  await using _server = server
  await using _client = client
  assert.deepEqual(await found('query_records', { stream: 'Club mail' }), ['c'])
  assert.deepEqual(await found('query_records', { stream: 'home' }), ['b', 'a'])
  for (const id of [`${connection}_messages_a`, `${connection} messages a`, `<${connection}-messages-a>`])
    assert.equal((await client.call('fetch', { id })).structured.id, `${connection}/messages:a`, id)
  const several = await client.refused('fetch', {
    id: [`${connection}/messages:a`, `${connection}/messages:b`],
  })
  assert.equal(several.message, 'fetch takes one id. Call it once for each.')
  const cut = await client.refused('fetch', { id: `${connection}/messages:abc…` })
  assert.match(cut.message, /^There is no such record\. This id is cut short\. Pass an id exactly/)
  assert.match(
    (await client.refused('read_record_field', { id: `${connection}/messages:a` })).message,
    /needs the argument field_path: the field that search showed, often text or body\.$/,
  )
})
