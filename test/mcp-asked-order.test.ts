import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { CHAT, line } from './chat.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { callsIn, McpTestClient, type Seen } from './mcp-client.ts'

const at = (day: number) => `2026-03-0${day}T10:00:00Z`
const MAILS = [
  message('old', { from: 'Dirk <dirk@example.org>', body: 'the roof', received_at: at(1) }),
  message('new', { from: 'Dirk <dirk@example.org>', body: 'a boat', received_at: at(4) }),
  message('best', { from: 'Ann', body: 'the latest mail from Dirk: roof roof', received_at: at(2) }),
]

onEitherEngine(
  'AN-24 a query for the newest or oldest is answered in that order, and says so in each channel',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, MAILS)
    await using client = await McpTestClient.connect(
      server,
      await server.grant({ connections: [connection] }),
    )
    const asked = async (query: string, more = {}) => {
      const { text, structured } = await client.call('search', { query, ...more })
      const { results, remarks = [] } = structured as { results: { id: string }[]; remarks?: string[] }
      const told = remarks.filter(
        remark => remark.startsWith('Listed ') && remark.includes('as the query asks'),
      )
      assert.equal(text.startsWith('Note: "Listed '), told.length > 0, text)
      assert.ok(
        told.every(remark => text.includes(remark)),
        text,
      )
      return [results.map(({ id }) => id.split(':')[1]), told[0]] as const
    }
    assert.deepEqual(await asked('Latest message from Dirk'), [
      ['new', 'old'],
      'Listed newest first, as the query asks: from:Dirk in message. Pass sort relevance for the best hits.',
    ])
    assert.deepEqual((await asked('the first mail about the roof'))[0], ['old', 'best'])
    assert.deepEqual((await asked('when did Dirk last write to me about the roof?'))[0], ['old'])
    const [given, told] = await asked('Latest message from Dirk', { sort: 'relevance' })
    assert.deepEqual([given[0], told], ['best', undefined])
    assert.deepEqual(await asked('messages from Dirk', { sort: 'oldest' }), [
      ['old', 'new'],
      'Listed oldest first, as the query asks: from:Dirk in messages. Pass sort relevance for the best hits.',
    ])
    // Nobody of that name wrote, so the words are searched for.
    assert.equal((await asked('last message from roof'))[1], undefined)
    assert.ok((await asked('last message from roof'))[0].length > 0)
    const { text } = await client.call('search', { query: 'last message from roof' })
    assert.match(
      text,
      /^Note: "The words were searched for, because nothing that may be read matches from:roof in /,
    )
    const bodies = await server.grant({ connections: [connection], fields: ['id', 'body'] })
    await using narrow = await McpTestClient.connect(server, bodies)
    const refused = await narrow.call('search', { query: 'the first message from Dirk about the roof' })
    assert.match(
      refused.text,
      /^Note: "The words were searched for, because .*\n(?:Note: .*\n)?.*messages:best\n/,
    )
  },
)

onEitherEngine('AN-24 messages of a person or a source are found by these, page by page', async engine => {
  await using server = await TestServer.start(engine)
  const [mail, other] = [await server.connect(MAILBOX, 'Harbour'), await server.connect(MAILBOX, 'Home')]
  await server.ingest('messages', mail, MAILS)
  await server.ingest('messages', other, [message('home', { from: 'Dirk', received_at: at(5) })])
  await using client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  const idsIn = ({ structured }: Seen) => structured.results.map(({ id }: { id: string }) => id.split(':')[1])
  for (const [query, all] of [
    ['all messages from Dirk', ['home', 'new', 'old']],
    ['messages from Dirk on Harbour', ['new', 'old']],
  ] as const) {
    const asked = { query, since: '2026', until: '2026', time_zone: 'Europe/Berlin', limit: 1 }
    const first = await client.call('search', asked)
    assert.match(first.text, /^Note: "Searched for, as the query asks: from:Dirk in /)
    const [more] = callsIn(first.text).slice(-1)
    const cursor = first.structured.data.next_cursor
    // Copied from the text, or with the cursor of the structured content alone.
    for (const args of [more?.args, { ...asked, cursor }]) {
      const second = await client.call('search', { ...args, limit: 1 })
      assert.deepEqual([...idsIn(first), ...idsIn(second)], all.slice(0, 2), second.text)
    }
  }
})

onEitherEngine(
  'AN-24 a query that names a conversation is answered from it, if it may be seen',
  async engine => {
    await using server = await TestServer.start(engine)
    const [chat, other] = [await server.connect(CHAT), await server.connect(CHAT)]
    await server.ingest('chat', chat, [
      line('a', 1, { channel: 'boat-yard', text: 'a kiln' }),
      line('b', 2, { channel: 'boat-yard', text: 'said nothing of boats' }),
      line('c', 3, { channel: 'general', text: 'messages in the boat-yard channel' }),
    ])
    await server.ingest('chat', other, [line('x', 4, { channel: 'hidden' })])
    await using client = await McpTestClient.connect(server, await server.grant({ connections: [chat] }))
    const asked = async (query: string) => {
      const { text, structured } = await client.call('search', { query })
      return [structured.results.map(({ id }: { id: string }) => id.split(':')[1]), text.split('\n')[0]]
    }
    assert.deepEqual(await asked('Messages in the boat-yard channel'), [
      ['b', 'a'],
      'Note: "Searched for, as the query asks: in:boat-yard. Pass sort relevance for its words."',
    ])
    assert.deepEqual((await asked('the kiln in #boat-yard'))[0], ['a'])
    assert.deepEqual((await asked('messages from Ada in the boat-yard channel'))[0], ['b', 'a'])
    assert.deepEqual((await asked('what was said in #general in January 2026'))[0], ['c'])
    // The numbers of each stream would be those of all channels.
    const part = await client.call('search', {
      query: 'what was said in #boat-yard in January 2026',
      limit: 1,
    })
    assert.doesNotMatch(part.text, /How many of each stream/)
    // A hidden conversation changes as little as one that does not exist.
    for (const name of ['hidden', 'nowhere']) {
      const [ids, told] = await asked(`Messages in the ${name} channel`)
      assert.deepEqual(ids, ['c'])
      assert.equal(
        told,
        `Note: "The words were searched for, because nothing that may be read matches in:${name}."`,
      )
    }
  },
)

onEitherEngine('AN-24 the next event is after now, the last one before it', async engine => {
  await using server = await TestServer.start(engine)
  const time = { type: 'string', format: 'date-time' }
  const events = {
    name: 'events',
    semantics: 'mutable_state',
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        title: { type: 'string', x_pdpp_role: 'primary-title' },
        with: { type: 'array', items: { type: 'string' }, x_pdpp_role: 'participant' },
        starts_at: { ...time, x_pdpp_role: 'event-time' },
        ends_at: { ...time, x_pdpp_role: 'end-time' },
      },
    },
    primary_key: ['id'],
    cursor_field: 'starts_at',
    consent_time_field: 'starts_at',
    selection: { fields: true, resources: true },
    query: { search: { lexical_fields: ['title', 'with'] } },
  }
  const connection = await server.connect({ ...MAILBOX, streams: [MAILBOX.streams[0], events] } as never)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const event = (id: string, days: number, who: string) => ({
    data: { id, title: `Talk ${id}`, with: [who], starts_at: day(days), ends_at: day(days + 0.01) },
  })
  await server.ingest('events', connection, [
    event('past', -9, 'Zoë'),
    event('last', -2, 'Zoë'),
    event('other', 1, 'Ann'),
    event('next', 2, 'Zoë'),
    event('later', 9, 'Zoë'),
  ])
  await server.ingest('messages', connection, [message('mail', { from: 'Zoë', received_at: day(-1) })])
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  const asked = async (query: string) => {
    const { text, structured } = await client.call('search', { query })
    return [structured.results.map(({ id }: { id: string }) => id.split(':')[1]), text.split('\n')[0]]
  }
  assert.deepEqual(await asked('When is my next meeting with Zoe?'), [
    ['next', 'later'],
    'Note: "Listed after now: with:Zoe in events. Recurring events are listed by their first time."',
  ])
  assert.deepEqual((await asked('when was my last meeting with Zoe'))[0], ['last', 'past'])
  assert.deepEqual((await asked('upcoming events'))[0], ['other', 'next', 'later'])
  // Later pages are of the same list, although it is later.
  for (const [query, all] of [
    ['upcoming events', ['other', 'next', 'later']],
    ['last meeting with Zoe', ['last', 'past']],
  ] as const) {
    const pages: string[] = []
    const first = await client.call('search', { query, limit: 1 })
    const [more] = callsIn(first.text).slice(-1)
    const { next_cursor: cursor } = first.structured.data
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    for (const args of [{ query, cursor }, more?.args]) {
      const { structured } = await client.call('search', { ...args, limit: 1 })
      pages.push(...structured.results.map(({ id }: { id: string }) => id.split(':')[1]))
    }
    mock.timers.reset()
    assert.deepEqual(pages, [all[1], all[1]])
  }
  assert.deepEqual(await asked('which meetings do I have tomorrow?'), [
    ['other'],
    'Note: "Listed: on:tomorrow in events. Recurring events are listed by their first time."',
  ])
  assert.equal(
    (await asked('meetings with Zoë yesterday'))[1],
    'Note: "The words were searched for, because there is nothing in events for with:Zoë on:yesterday."',
  )
  await using narrow = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  const { text } = await narrow.call('search', { query: 'next meeting with Zoe' })
  assert.doesNotMatch(text, /Listed after|events/)
})
