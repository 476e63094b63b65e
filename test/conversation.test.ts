import assert from 'node:assert/strict'
import { at, CHAT, line, TALKS } from './chat.ts'
import { count, type Engine, onEachEngine, TestServer } from './engines.ts'
import { source } from './mailbox.ts'

async function world(engine: Engine, lines: unknown[]) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(CHAT)
  await server.ingest('chat', connection, lines)
  const read = async (id: string, query = '', token = server.ownerToken) =>
    (await server.json(`/v1/streams/chat/records/${id}/conversation?${query}`, { token })).body
  return { server, connection, read }
}

const idsOf = (body: { messages: { record_key: string }[] }) => body.messages.map(each => each.record_key)
const TEN = Array.from({ length: 10 }, (_, n) => line(`m${n}`, n))

onEachEngine(
  'AN-7: a conversation is read in order around a record, with cursors in both directions',
  async engine => {
    const { server, read } = await world(engine, [
      ...TEN,
      line('alt', 4, { shown: false }),
      line('other', 5, { thread: 'u' }),
      line('single', 500, { thread: null }),
      line('near', 540, { thread: 'u' }),
      line('far', 561, { thread: null }),
    ])
    await using _ = server
    const whole = await read('m4')
    assert.deepEqual(
      idsOf(whole),
      TEN.map(({ data }) => data.id),
    )
    assert.deepEqual(
      [whole.conversation.complete, whole.conversation.left_out, whole.conversation.place],
      [true, 1, 'c'],
    )
    const asked = whole.messages.filter((each: { asked?: true }) => each.asked)
    assert.deepEqual(
      [asked.length, asked[0].record_key, asked[0].author, asked[0].text],
      [1, 'm4', 'Ada', 'text m4'],
    )
    const middle = await read('m4', 'before=1&after=2')
    assert.deepEqual(idsOf(middle), ['m3', 'm4', 'm5', 'm6'])
    const { previous_cursor, next_cursor } = middle.conversation
    assert.ok(previous_cursor.length <= 64 && next_cursor.length <= 64)
    assert.deepEqual(idsOf(await read('m4', `cursor=${previous_cursor}`)), ['m0', 'm1', 'm2'])
    const after = await read('m4', `cursor=${next_cursor}&limit_chars=200`)
    assert.deepEqual(idsOf(after), ['m7', 'm8'])
    assert.deepEqual(idsOf(await read('m4', `cursor=${after.conversation.next_cursor}`)), ['m9'])
    assert.equal((await read('m5', `cursor=${next_cursor}`)).error.code, 'invalid_cursor')
    assert.deepEqual(idsOf(await read('single')), ['single', 'near'])
    assert.ok(idsOf(await read('alt')).includes('alt'))
    const cut = await read('m4', 'limit_chars=3&before=0&after=0')
    assert.deepEqual(
      [cut.messages[0].text, cut.messages[0].complete, cut.conversation.complete],
      ['tex', false, false],
    )
  },
)

onEachEngine('AN-7: what was written around a message in a channel continues on both sides', async engine => {
  const days = Array.from({ length: 5 }, (_, day) => line(`d${day}`, day * 1_440, { thread: null }))
  const { server, connection, read } = await world(engine, [
    ...days,
    line('elsewhere', 2_000, { thread: null, channel: 'other' }),
    line('hour', 2_900, { thread: null }),
  ])
  await using _ = server
  const alone = await read('d2')
  assert.deepEqual(idsOf(alone), ['d2', 'hour'])
  const { complete, previous_cursor, next_cursor } = alone.conversation
  assert.equal(complete, false)
  const before = await read('d2', `cursor=${previous_cursor}`)
  assert.deepEqual([idsOf(before), before.conversation.previous_cursor], [['d0', 'd1'], null])
  const after = await read('d2', `cursor=${next_cursor}`)
  assert.deepEqual([idsOf(after), after.conversation.next_cursor], [['d3', 'd4'], null])
  for (const [query, ids] of [
    ['before=1&after=2', ['d1', 'd2', 'hour', 'd3']],
    ['before=1', ['d1', 'd2', 'hour']],
    ['before=0&after=0', ['d2']],
  ] as const)
    assert.deepEqual(idsOf(await read('d2', query)), ids, query)
  const only = { connections: [connection], streams: ['chat'] }
  const timed = await server.grant({ ...only, since: at(1_500), until: at(2_920) })
  const listed = await server.grant({ ...only, records: ['chat:d2', 'chat:hour'] })
  for (const token of [timed, listed]) {
    const seen = await read('d2', '', token)
    assert.deepEqual([idsOf(seen), seen.conversation.complete], [['d2', 'hour'], true])
    assert.deepEqual(idsOf(await read('d2', 'before=9&after=9', token)), ['d2', 'hour'])
  }
})

onEachEngine(
  'AN-7: hidden messages of a conversation leave no trace, and hidden fields refuse it',
  async engine => {
    const hidden = [line('h1', 4.5), line('h2', 8.5)]
    const one = await world(engine, [...TEN, ...hidden])
    const two = await world(engine, TEN)
    await using _one = one.server
    await using _two = two.server
    const records = TEN.map(({ data }) => `chat:${data.id}`)
    const bodies = await Promise.all(
      [one, two].map(async ({ server, connection, read }) => {
        const token = await server.grant({ connections: [connection], streams: ['chat'], records })
        const texts = await Promise.all(['m0', 'm4', 'm9'].map(id => read(id, 'before=2&after=2', token)))
        return JSON.stringify(texts)
          .replaceAll(connection, 'cin')
          .replace(/"(previous|next)_cursor":"[^"]+"/g, '"$1"')
      }),
    )
    assert.equal(bodies[0], bodies[1])
    const { server, connection, read } = one
    const fields = ['id', 'text', 'who', 'channel', 'shown', 'at']
    const token = await server.grant({ connections: [connection], streams: ['chat'], fields })
    assert.equal((await read('m4', '', token)).error.code, 'field_not_granted')
    const late = await server.grant({ connections: [connection], streams: ['chat'], since: at(3) })
    const seen = await read('m4', '', late)
    assert.deepEqual([idsOf(seen)[0], seen.conversation.complete], ['m3', true])
    assert.equal((await read('m0', '', late)).error.code, 'not_found')
  },
)

onEachEngine(
  'AN-7: records of an older declaration join their conversation when the index is rebuilt',
  async engine => {
    await using server = await TestServer.start(engine)
    const plain = structuredClone(CHAT)
    for (const { schema } of plain.streams as { schema: { x_pdpp_conversation?: unknown } }[])
      delete schema.x_pdpp_conversation
    const connection = await server.connect(plain)
    await server.ingest('chat', connection, TEN)
    const read = () => server.json('/v1/streams/chat/records/m4/conversation')
    assert.equal((await read()).body.error.code, 'no_conversation')
    await server.post('/v1/owner/declarations', { ...CHAT, declaration_version: '2.0.0' })
    await server.store.refreshIndexes()
    assert.equal((await read()).body.messages.length, 10)
  },
)

onEachEngine('AN-7: a window in a long conversation reads as few rows as in a short one', async engine => {
  const size = count(3_000, 100_000)
  const long = Array.from({ length: size }, (_, n) => line(`l${n}`, n, { thread: 'long' }))
  const { server, read } = await world(engine, [...TEN, ...long])
  await using _ = server
  const { database } = server.store
  const all = database.all.bind(database)
  let rows = 0
  database.all = (async (sql: string, params: never) => {
    const found = await all(sql, params)
    rows += found.length
    return found
  }) as typeof database.all
  const cost = async (id: string) => {
    rows = 0
    assert.equal((await read(id, 'before=2&after=2')).messages.length, 5)
    return rows
  }
  assert.ok((await cost(`l${size / 2}`)) <= (await cost('m4')) + 64)
})

async function talks(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(TALKS)
  const alt = line('alt', -1, { shown: false })
  await server.ingest('chat', connection, [...TEN, alt, line('u1', 3, { thread: 'u' })])
  // A message has the same id as a conversation, but they are in different streams.
  await server.ingest('chat', connection, [line('u', 4, { thread: 'u' })])
  const talk = (id: string) => ({ data: { id, title: `Talk ${id}`, at: at(0) } })
  await server.ingest('talks', connection, [talk('t'), talk('u'), talk('silent')])
  const read = async (id: string, query = '', token = server.ownerToken) =>
    (await server.json(`/v1/streams/talks/records/${id}/conversation?${query}`, { token })).body
  return { server, connection, read }
}

onEachEngine(
  'AN-7: a record that represents a conversation opens it at its first message, and its cursors lead to the last',
  async engine => {
    const { server, read } = await talks(engine)
    await using _ = server
    const whole = await read('t')
    assert.deepEqual(
      idsOf(whole),
      TEN.map(({ data }) => data.id),
    )
    assert.equal(whole.stream, 'chat')
    const { complete, left_out, place } = whole.conversation
    assert.deepEqual([complete, left_out, place], [true, 1, 'Talk t'])
    const other = await read('u')
    assert.deepEqual(idsOf(other), ['u1', 'u'])
    assert.ok(![...whole.messages, ...other.messages].some(each => 'asked' in each))
    const first = await read('t', 'after=2')
    assert.deepEqual(idsOf(first), ['m0', 'm1', 'm2'])
    const { previous_cursor, next_cursor } = first.conversation
    assert.equal(previous_cursor, null)
    const rest = await read('t', `cursor=${next_cursor}`)
    assert.deepEqual(idsOf(rest), ['m3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9'])
    assert.equal((await read('silent')).error.code, 'no_conversation')
  },
)

onEachEngine(
  'AN-7: a record whose conversation is hidden looks the same as one without a conversation',
  async engine => {
    const { server, connection, read } = await talks(engine)
    await using _ = server
    const grant = (request: object) => server.grant({ connections: [connection], ...request })
    const alone = await grant({ streams: ['talks'] })
    const { request_id: _id, ...refusal } = (await read('t', '', alone)).error
    assert.equal(refusal.code, 'no_conversation')
    assert.equal(refusal.message, 'The stream talks declares no conversation.')
    const { request_id: _other, ...ofNone } = (await read('silent', '', alone)).error
    assert.deepEqual(refusal, ofNone)
    const late = await grant({ streams: ['talks', 'chat'], since: at(5) })
    assert.equal((await read('t', '', late)).error.code, 'not_found')
    const few = await grant({ streams: ['talks', 'chat'], records: ['talks:t', 'talks:u', 'chat:m7'] })
    assert.deepEqual(idsOf(await read('t', '', few)), ['m7'])
    assert.equal((await read('t', '', few)).conversation.left_out, 0)
    const [line] = (await server.json('/v1/owner/disclosures?limit=1')).body.data
    const shown = line.shown.map((each: { stream: string; record_ids: string[]; fields: string[] }) => [
      each.stream,
      each.record_ids,
      each.fields.toSorted(),
    ])
    assert.deepEqual(shown, [
      ['chat', ['m7'], ['at', 'text', 'who']],
      ['talks', ['t'], ['title']],
    ])
    const hidden = (await read('u', '', few)).error
    const none = (await read('silent')).error
    assert.deepEqual([hidden.code, hidden.message], [none.code, none.message])
  },
)

const DIARY = {
  ...CHAT,
  ...source('diary'),
  streams: CHAT.streams.map(stream => ({
    ...stream,
    schema: {
      ...stream.schema,
      properties: { ...stream.schema.properties, title: { type: 'string', x_pdpp_role: 'primary-title' } },
    },
  })),
}

onEachEngine('AN-7: a record without a text, such as an event, is shown by its title', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(DIARY)
  await server.ingest('chat', connection, [
    line('dentist', 0, { text: null, title: 'Dentist at nine' }),
    line('lunch', 60, { text: '', title: 'Lunch with Hedda' }),
    line('note', 120, { title: 'Notes' }),
    line('none', 180, { text: null }),
  ])
  const readAs = async (token: string) => {
    const path = `/v1/streams/chat/records/dentist/conversation?connection_id=${connection}`
    const { messages } = (await server.json(path, { token })).body
    return messages.map(({ text, field_path }: { text: string; field_path: string }) => [field_path, text])
  }
  const [dentist, lunch] = [
    ['title', 'Dentist at nine'],
    ['title', 'Lunch with Hedda'],
  ]
  assert.deepEqual(await readAs(server.ownerToken), [dentist, lunch, ['text', 'text note'], [null, '']])
  const fields = ['id', 'title', 'thread', 'at', 'channel', 'shown']
  const untold = await server.grant({ connections: [connection], streams: ['chat'], fields })
  assert.deepEqual(await readAs(untold), [dentist, lunch, ['title', 'Notes'], [null, '']])
  const untitled = await server.grant({
    connections: [connection],
    streams: ['chat'],
    fields: [...fields.filter(field => field !== 'title'), 'text'],
  })
  assert.deepEqual(await readAs(untitled), [
    [null, ''],
    ['text', ''],
    ['text', 'text note'],
    [null, ''],
  ])
})

onEachEngine('messages of the same time are in the order of the numbers in their ids', async engine => {
  const ids = ['D1:1', 'D1:2', 'D1:9', 'D1:10', 'D1:11', 'D2:1', 'D10:1']
  const { server, read } = await world(
    engine,
    ids.toReversed().map(id => line(id, 0)),
  )
  await using _ = server
  assert.deepEqual(idsOf(await read(encodeURIComponent('D1:10'))), ids)
})
