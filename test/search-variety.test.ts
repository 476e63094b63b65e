import assert from 'node:assert/strict'
import { CHAT, line } from './chat.ts'
import { onEachEngine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

interface Page {
  data: { record_key: string; more_in_conversation?: number }[]
  next_cursor?: string
  meta: { warnings: { code: string }[] }
}

const day = (date: number) => ({ received_at: `2026-01-${String(date).padStart(2, '0')}T10:00:00Z` })
/** Eight messages of a thread, the best hits; one of the same thread a month later, and five of others. */
const MESSAGES = [
  ...Array.from({ length: 8 }, (_, i) =>
    message(`a${i}`, { subject: 'Re: boat', body: 'the engine of the boat', ...day(10) }),
  ),
  message('late', {
    subject: 'Re: boat',
    body: 'the engine of the boat',
    received_at: '2026-02-20T10:00:00Z',
  }),
  ...Array.from({ length: 5 }, (_, i) =>
    message(`b${i}`, {
      subject: `Letter ${i}`,
      body: `an engine, a boat and ${i} other words of it`,
      ...day(9),
    }),
  ),
]

onEachEngine(
  'AN-27 one conversation does not fill a page of varied hits, and no hit is lost',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, MESSAGES)
    const page = async (more: string, token = server.ownerToken): Promise<Page> =>
      (await server.json(`/v1/search?q=engine%20boat&windows=1${more}`, { token })).body
    const ids = ({ data }: Page) => data.map(({ record_key }) => record_key)
    const inThread = (found: string[]) => found.filter(id => id.startsWith('a')).length
    assert.equal(inThread(ids(await page('&limit=8'))), 8)
    const first = await page('&limit=8&varied=true')
    assert.equal(inThread(ids(first)), 3)
    assert.deepEqual(
      first.data.flatMap(({ more_in_conversation: more = 0 }) => (more > 0 ? [more] : [])),
      [5],
    )
    const walked: string[] = []
    for (let cursor = ''; ; ) {
      const found = await page(`&limit=4&varied=true${cursor}`)
      walked.push(...ids(found))
      if (found.next_cursor === undefined) break
      cursor = `&cursor=${encodeURIComponent(found.next_cursor)}`
    }
    assert.deepEqual(walked, ids(await page('&limit=25&varied=true')))
    assert.deepEqual(walked.toSorted(), MESSAGES.map(({ data }) => String(data.id)).toSorted())
    // Without the fields of the conversation a client cannot tell which hits belong together.
    const fields = ['id', 'body', 'received_at']
    const client = await server.grant({ connections: [connection], fields })
    const narrow = await page('&limit=8&varied=true', client)
    assert.deepEqual(ids(narrow), ids(await page('&limit=8', client)))
    assert.ok(narrow.data.every(hit => !('more_in_conversation' in hit)))
  },
)

onEitherEngine('AN-27 search says in each channel how many hits of a conversation follow', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, MESSAGES)
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  const { text, structured } = await client.call('search', { query: 'engine boat', limit: 8 })
  assert.match(text, /, \+5 in its conversation\n/)
  const results = structured.results as { more_in_conversation?: number }[]
  assert.deepEqual(
    results.flatMap(({ more_in_conversation: more = 0 }) => (more > 0 ? [more] : [])),
    [5],
  )
})

onEachEngine('AN-27 messages with the same text do not fill a page of varied hits', async engine => {
  await using server = await TestServer.start(engine)
  const joined = (id: string, minute: number) => line(id, minute, { text: 'joined the harbour', thread: id })
  const connection = await server.connect(CHAT)
  await server.ingest('chat', connection, [
    ...Array.from({ length: 6 }, (_, i) => joined(`same${i}`, i)),
    line('other', 9, { text: 'the harbour is closed from today on' }),
  ])
  const found = async (more: string) =>
    (await server.json(`/v1/search?q=harbour&limit=2${more}`)).body.data.map(
      ({ record_key }: { record_key: string }) => record_key,
    )
  assert.deepEqual(await found(''), ['same5', 'same4'])
  assert.deepEqual(await found('&varied=true'), ['same5', 'other'])
})

onEachEngine('AN-27 repeats of a text do not fill the head of a varied list by time', async engine => {
  await using server = await TestServer.start(engine)
  const joined = { text: 'joined the harbour', who: 'Ann' }
  const connection = await server.connect(CHAT)
  const lines = [
    ...Array.from({ length: 40 }, (_, i) => line(`old${i}`, i)),
    line('first', 50, joined),
    line('other', 51, { text: 'the boat' }),
    line('bob', 52, { ...joined, who: 'Bob' }),
    ...[60, 61, 62].map(minute => line(`again${minute}`, minute, joined)),
  ]
  await server.ingest('chat', connection, lines)
  const page = async (more: string, token = server.ownerToken): Promise<Page> =>
    (await server.json(`/v1/search?q=on%3A2026${more}`, { token })).body
  const ids = ({ data }: Page) => data.map(({ record_key }) => record_key)
  const strict = ids(await page('&limit=50'))
  assert.deepEqual(strict.slice(0, 6), ['again62', 'again61', 'again60', 'bob', 'other', 'first'])
  const first = await page('&limit=4&varied=true')
  assert.deepEqual(ids(first), ['again62', 'bob', 'other', 'old39'])
  assert.deepEqual(
    first.meta.warnings.map(({ code }) => code),
    ['repeats_last'],
  )
  for (const limit of [1, 4, 7, 30]) {
    const walked: string[] = []
    for (let cursor = ''; ; ) {
      const found = await page(`&limit=${limit}&varied=true${cursor}`)
      walked.push(...ids(found))
      if (found.next_cursor === undefined) break
      cursor = `&cursor=${encodeURIComponent(found.next_cursor)}`
    }
    assert.deepEqual(walked, ids(await page('&limit=50&varied=true')), `${limit} a page`)
    assert.deepEqual(walked.slice(27, 30), ['again61', 'again60', 'first'])
    assert.deepEqual(walked.toSorted(), strict.toSorted())
    assert.deepEqual(walked.slice(30), strict.slice(30))
  }
  // Who cannot see the authors or the texts gets the plain order.
  for (const hidden of ['who', 'text']) {
    const fields = ['id', 'who', 'text', 'at'].filter(field => field !== hidden)
    const client = await server.grant({ connections: [connection], fields })
    assert.deepEqual(ids(await page('&limit=50&varied=true', client)), strict)
  }
})
