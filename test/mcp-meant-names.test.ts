import assert from 'node:assert/strict'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { byTime, MAILBOX, message, source, stream } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const TEXT = { type: ['string', 'null'] }

/** A chat whose streams are named after it, with other names of fields than mail has. */
const CHAT = {
  ...source('harbour-chat', 'Harbour chat'),
  streams: [
    stream(
      'harbour_messages',
      {
        text: { ...TEXT, x_pdpp_role: 'primary-text' },
        sender: { type: 'string', x_pdpp_role: 'actor' },
        channel: { type: 'string', x_pdpp_role: 'place' },
        files: { type: 'array', items: { type: 'string' }, x_pdpp_role: 'attachment' },
        sent_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
      },
      {
        ...byTime('sent_at'),
        schema: { required: [] },
        query: {
          search: { lexical_fields: ['text', 'sender'] },
          range_filters: { sent_at: ['gte', 'gt', 'lte', 'lt'] },
          aggregations: { count: true, group_by: ['sender', 'channel'], group_by_time: ['sent_at'] },
        },
      },
    ),
    stream(
      'harbour_channels',
      { name: { ...TEXT, x_pdpp_role: 'place' }, made_at: { ...TEXT, format: 'date-time' } },
      byTime('made_at'),
    ),
  ],
}

const said = (id: string, sender: string, day: string, more: object = {}) => ({
  data: { id, sender, channel: 'quay', text: `a gull ${id}`, sent_at: `2015-06-${day}T10:00:00Z`, ...more },
})

async function world(engine: Engine) {
  const server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX, 'Home mail')
  const chat = await server.connect(CHAT, 'Chat: harbour office')
  await server.ingest('messages', mail, [
    message('m', { body: 'a gull m', received_at: '2015-06-01T10:00:00Z' }),
  ])
  await server.ingest('harbour_messages', chat, [
    said('a', 'Hedda', '02'),
    said('b', 'Torvald', '03', { files: ['plan.pdf'] }),
    said('c', 'Nora', '04'),
  ])
  await server.ingest('harbour_channels', chat, [{ data: { id: 'q', made_at: '2015-05-01T00:00:00Z' } }])
  const client = await McpTestClient.connect(server, await server.grant())
  const ids = async (tool: string, args: Record<string, unknown>) => {
    const { structured } = await client.call(tool, args)
    return structured.results
      .map(({ id }: { id: string }) => id.split(':').at(-1))
      .toSorted()
      .join('')
  }
  return { server, client, chat, ids }
}

onEitherEngine('ER-4: streams and sources may be named as people call them', async engine => {
  const { server, client, chat, ids } = await world(engine)
  await using _server = server
  await using _client = client
  for (const stream of ['Messages', 'message', ' messages'])
    assert.equal(await ids('query_records', { stream }), 'm', stream)
  for (const stream of ['Harbour messages', 'harbour_message'])
    assert.equal(await ids('query_records', { stream }), 'abc', stream)
  // The name of a kind means all its streams.
  for (const stream of ['harbour-chat', 'harbour'])
    assert.equal(await ids('query_records', { stream }), 'abcq', stream)
  assert.equal(await ids('search', { query: 'gull', streams: 'channels,messages' }), 'm')
  assert.equal(await ids('search', { query: 'gull', streams: ['Harbour chat'] }), 'abc')
  for (const named of ['harbour-chat', 'Chat: harbour office', 'office'])
    for (const argument of ['connector', 'connection_id', 'source'])
      assert.equal(await ids('search', { query: 'gull', [argument]: named }), 'abc', `${argument} ${named}`)
  for (const connector of ['mailbox,harbour-chat', ['mailbox', 'harbour-chat'], 'mailbox, office'])
    assert.equal(await ids('search', { query: 'gull', connector }), 'abcm')
  const next = await client.call('query_records', { stream: 'Harbour messages', limit: 1 })
  assert.match(next.text, /More: query_records \{"stream":"harbour_messages","limit":1,"cursor":/)
  for (const stream of ['letters', 'mess']) {
    const { code } = await client.refused('query_records', { stream })
    assert.equal(code, 'grant_stream_not_allowed', stream)
  }
  const hidden = await server.grant({ streams: ['messages'] })
  await using narrow = await McpTestClient.connect(server, hidden)
  assert.equal(
    (await narrow.refused('query_records', { stream: 'Harbour messages' })).code,
    'grant_stream_not_allowed',
  )
  assert.equal(
    (await narrow.refused('search', { query: 'gull', connection_id: 'office' })).code,
    'connection_not_found',
  )
  // The time of the records is only known when the streams are.
  const daily = await client.call('aggregate', { stream: 'harbour', granularity: 'month' })
  assert.deepEqual(daily.structured.data.groups, [{ key: '2015-06', count: 3 }])
  // Where the sources leave one stream, or one with these fields, it need not be named.
  for (const args of [
    { connector: 'harbour-chat', filter: { sender: 'Nora' } },
    { connection_id: 'office', filter: { user: 'Nora' } },
    { stream: 'harbour', filter: { channel: 'quay', sender: { in: ['Nora'] } } },
    { connector: 'harbour', filter: { channel: 'quay' }, since: '2015-06-04' },
  ])
    assert.equal(await ids('query_records', args), 'c', JSON.stringify(args))
  assert.equal(
    await ids('search', { query: 'gull', connector: 'harbour-chat', filter: { sender: 'Nora' } }),
    'c',
  )
  const split = {
    connector: 'harbour-chat',
    filter: { channel: 'quay' },
    group_by: 'sender',
    granularity: 'month',
  }
  const [june] = (await client.call('aggregate', split)).structured.data.groups
  assert.deepEqual([june.key, june.splits.length], ['2015-06', 3])
  for (const args of [
    { filter: { channel: 'quay', id: 'c' } },
    { connector: 'harbour-chat', filter: { id: 'c' } },
  ])
    assert.match((await client.refused('query_records', args)).message, /^filter needs a stream\./)
  const unknown = await client.refused('aggregate', { stream: 'letters', granularity: 'month' })
  assert.equal(unknown.code, 'grant_stream_not_allowed')
  const counted = await client.call('aggregate', { stream: 'Harbour_Messages', group_by: 'user' })
  assert.equal(counted.structured.data.groups.length, 3)
  const place = await client.call('search', { query: 'gull in:office' })
  assert.match(
    place.text,
    /in:"office" matches no record\. It names a source \("Chat: harbour office"\): pass \{"connector":"office"\} instead\./,
  )
  assert.equal(await ids('search', { query: 'gull', connector: 'office' }), 'abc')
  assert.ok(chat)
})

onEitherEngine('ER-4: fields may be called by their role, also in a list of all streams', async engine => {
  const { server, client, chat, ids } = await world(engine)
  await using _server = server
  await using _client = client
  const stream = 'harbour_messages'
  for (const filter of [
    { author: 'Hedda' },
    { user: ['Hedda'] },
    { date: { lt: '2015-06-03' } },
    '{"sender":"Hedda"}',
  ])
    assert.equal(await ids('query_records', { stream, filter }), 'a', JSON.stringify(filter))
  assert.equal(await ids('query_records', { stream: 'Harbour messages', where: { from: 'Hedda' } }), 'a')
  const shown = async (args: object) => {
    const { structured } = await client.call('query_records', { order: 'asc', ...args })
    return structured.data.data.map(({ data }: { data: object }) => Object.keys(data).toSorted().join())
  }
  assert.deepEqual(await shown({ stream, fields: 'body,author,date', limit: 1 }), ['sender,sent_at,text'])
  // Each stream shows what it has instead of the field that another one has.
  assert.deepEqual(await shown({ since: '2015-06', fields: ['sender', 'attachments'] }), [
    'from,id',
    'id,sender',
    'files,id,sender',
    'id,sender',
  ])
  assert.equal((await client.refused('query_records', { fields: ['colour'] })).code, 'unknown_field')
  const id = `${chat}/harbour_messages:a`
  for (const args of [
    { id, field_path: 'body' },
    { record_id: id, field: 'Content' },
  ]) {
    const { structured } = await client.call('read_record_field', args)
    assert.equal(structured.window.text, 'a gull a', JSON.stringify(args))
  }
})

onEitherEngine('ER-4: operators may be passed as arguments, and arguments in other types', async engine => {
  const { server, client, chat, ids } = await world(engine)
  await using _server = server
  await using _client = client
  for (const args of [
    { sender: 'hedda' },
    { from: ['Hedda'] },
    { author: 'Hedda', channel: 'quay' },
    { date: '2015-06-02' },
  ]) {
    assert.equal(await ids('query_records', args), 'a', JSON.stringify(args))
    assert.equal(await ids('search', { query: 'gull', ...args }), 'a', JSON.stringify(args))
    assert.equal((await client.call('aggregate', args)).structured.data.filtered_record_count, 1)
  }
  assert.equal(await ids('query_records', { from: '2015-06-02', to: '2015-06-03' }), 'ab')
  assert.equal(await ids('query_records', { has_attachment: true }), 'b')
  assert.equal(await ids('search', { query: ['gull', 'from:nora'] }), 'c')
  assert.match(
    (await client.refused('search', { query: 'gull', person: 'a', from: 'say "hi"' })).message,
    /no argument from/,
  )
  for (const order_by of ['sent_at asc', 'date_asc', 'oldest']) {
    const { structured } = await client.call('query_records', {
      connector: 'harbour-chat',
      since: '2015-06',
      order_by,
    })
    assert.match(structured.results[0].id, /:a$/)
  }
  const split = [
    { group_by: ['from', 'month'] },
    { group_by: 'sender', split_by: 'sent_at', granularity: 'month' },
  ]
  for (const args of split) {
    const { structured } = await client.call('aggregate', { stream: 'harbour_messages', ...args })
    assert.equal(structured.data.groups[0].key, '2015-06', JSON.stringify(args))
    assert.equal(structured.data.groups[0].splits.length, 3)
  }
  const id = `${chat}/harbour_messages:a`
  for (const args of [
    { id, before: 500 },
    { conversation_id: id, limit_chars: '99999' },
  ])
    assert.equal((await client.refused('read_conversation', args)).code, 'no_conversation')
})
