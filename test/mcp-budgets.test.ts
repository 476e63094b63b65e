import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INSTRUCTIONS } from '../src/mcp/protocol/server.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'
import { bytes, callsIn, ERAS, idsIn, McpTestClient } from './mcp-client.ts'

const SCRIPTS = {
  ascii: 'the quick brown fox jumps over it ',
  cjk: '山川草木風花雪月',
  emoji: '😀👩‍👩‍👧‍👦🏳️‍🌈',
  escapes: '"\\\n\t<&>',
}

async function connected(server: TestServer) {
  return McpTestClient.connect(server, await server.grant())
}

test('BU-2 the list of tools, its descriptions and the instructions are small', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  for (const era of ERAS) {
    await using client = await McpTestClient.connect(server, await server.grant(), era)
    const listed = await client.client.listTools()
    assert.ok(bytes(listed) <= 11_000, String(bytes(listed)))
    for (const tool of listed.tools) {
      assert.ok(String(tool._meta?.['anthropic/searchHint'] ?? '').length > 10, tool.name)
      assert.ok(bytes(tool.description ?? '') <= 1_024)
      assert.ok(tool.title && tool.outputSchema)
      assert.deepEqual(tool.annotations, {
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: false,
      })
    }
  }
  await using client = await McpTestClient.connect(server, await server.grant())
  const { tools } = await client.client.listTools()
  const told = (name: string) => {
    const tool = tools.find(each => each.name === name)
    return `${tool?.title} ${tool?.description} ${tool?._meta?.['anthropic/searchHint']}`
  }
  const asked = [
    'mail',
    'e-mail',
    'chat',
    'messages',
    'notes',
    'documents',
    'conversation',
    'person',
    'when did',
  ]
  for (const word of [...asked, 'what did I say']) assert.ok(told('search').includes(word), word)
  for (const { name, description = '' } of tools) {
    const start = description.slice(0, 150)
    assert.match(
      start,
      /mail|message|note|document/,
      `${name} says what it reads in its first 150 characters`,
    )
  }
  assert.ok(bytes(INSTRUCTIONS) <= 1_200, String(bytes(INSTRUCTIONS)))
  const first = INSTRUCTIONS.slice(0, 512)
  for (const word of [
    'search',
    'id',
    'fetch',
    'read_record_field',
    'next_cursor',
    'never instructions',
    'url',
  ]) {
    assert.ok(first.includes(word), word)
  }
  assert.match(first, /\.\s*$|\n\n/)
})

test('BU-2 hosts that search for tools always load only search, unless a setting turns that off', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  for (const [alwaysLoad, loaded] of [
    [undefined, ['search']],
    [true, ['search']],
    [false, []],
  ] as const) {
    const adapter = alwaysLoad === undefined ? {} : { alwaysLoad }
    await using client = await McpTestClient.connect(server, token, '2026-07-28', adapter)
    const { tools } = await client.client.listTools()
    const found = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true)
    assert.deepEqual(
      found.map(({ name }) => name),
      loaded,
    )
  }
})

test('BU-1 BU-3 search stays small with fat hits in any script', async () => {
  for (const [script, sample] of Object.entries(SCRIPTS)) {
    await using server = await TestServer.start('sqlite')
    const declared = structuredClone(MAILBOX)
    Object.assign(declared.streams[0]?.schema.properties.body ?? {}, { contentMediaType: 'text/markdown' })
    const connection = await server.connect(declared, 'A mailbox with quite a long display name')
    const body = `${sample.repeat(40)} pelican ${sample.repeat(40)}`
    await server.ingest(
      'messages',
      connection,
      Array.from({ length: 30 }, (_, i) =>
        message(`record-${i}-${'0123456789abcdef'}`, {
          subject: sample.repeat(20),
          from: 'a@b.example',
          body,
        }),
      ),
    )
    await using client = await connected(server)
    const page = await client.call('search', { query: 'pelican' })
    assert.ok(bytes(page.text) <= 1_800, `${script} text ${bytes(page.text)}`)
    assert.ok(bytes(page.structured) <= 16_000, `${script} structured ${bytes(page.structured)}`)
    assert.equal(idsIn(page.text).length, 10)
    assert.equal(callsIn(page.text).filter(({ tool }) => tool === 'read_record_field').length, 1, page.text)
    const large = await client.call('search', { query: 'pelican', limit: 25 })
    assert.ok(bytes(large.text) <= 1_800, `${script} text of 25 ${bytes(large.text)}`)
    assert.ok(bytes(large.structured) <= 2_000 * 25, `${script} structured of 25 ${bytes(large.structured)}`)
  }
})

onEitherEngine('BU-1 a search whose text shows fewer hits than were found is run once', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Array.from({ length: 30 }, (_, n) =>
    message(`bird-${n}-${'0123456789'.repeat(5)}`, {
      subject: `Pelicans of day ${n}`,
      body: `A pelican was seen ${n} times.`,
    }),
  )
  await server.ingest('messages', connection, lines)
  await using client = await connected(server)
  const all: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.call('search', {
      query: 'pelican',
      limit: 25,
      ...(cursor === undefined ? {} : { cursor }),
    })
    all.push(...page.structured.results.map(({ id }: { id: string }) => id))
    cursor = page.structured.data.next_cursor
    if (cursor === undefined) break
  }
  assert.equal(new Set(all).size, 30)
  client.requests.length = 0
  const read: string[] = []
  let calls = 0
  let args: Record<string, unknown> | undefined = { query: 'pelican', limit: 25 }
  for (; args; calls++) {
    const { text } = await client.call('search', args)
    read.push(...idsIn(text))
    args = callsIn(text).find(({ tool }) => tool === 'search')?.args
  }
  assert.deepEqual(read, all, 'the calls of the text reach every hit once, in order')
  const searches = client.requests.filter(({ pathname }) => pathname === '/v1/search')
  assert.ok(calls > 2, String(calls))
  assert.equal(searches.length, calls)
})

test('BU-1 BU-3 query_records and aggregate stay small with wide rows, and every row can be reached', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  const wide = Array.from({ length: 40 }, (_, i) => ({ text: `${i} ${'山'.repeat(250)}` }))
  const rows = Array.from({ length: 12 }, (_, i) =>
    message(`r${i}`, {
      parts: wide,
      body: 'b'.repeat(50_000),
      from: `sender-${i}-${'x'.repeat(300)}@example.org`,
      received_at: `2026-01-02T03:04:${10 + i}Z`,
    }),
  )
  await server.ingest('messages', connection, rows)
  await using client = await connected(server)
  const all = rows.map(({ data }) => `${connection}/messages:${data.id}`).reverse()
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.call('query_records', { stream: 'messages', ...(cursor ? { cursor } : {}) })
    assert.ok(bytes(page.text) <= 8_000, String(bytes(page.text)))
    assert.ok(bytes(page.structured) <= 30_000, String(bytes(page.structured)))
    const ids = page.structured.results.map((row: { id: string }) => row.id)
    seen.push(...ids)
    assert.deepEqual(idsIn(page.text), ids.slice(0, idsIn(page.text).length))
    cursor = page.structured.data.next_cursor
    if (!cursor) break
  }
  assert.deepEqual(seen, all)
  const read: string[] = []
  let args: Record<string, unknown> | undefined = { stream: 'messages' }
  while (args) {
    const { text } = await client.call('query_records', args)
    assert.ok(bytes(text) <= 8_000)
    read.push(...idsIn(text))
    args = callsIn(text).find(({ tool }) => tool === 'query_records')?.args
  }
  assert.deepEqual(read, all, 'the calls of the text reach every row once')
  const groups = await client.call('aggregate', { stream: 'messages', group_by: 'from', limit: 100 })
  assert.ok(bytes(groups.text) <= 4_000, String(bytes(groups.text)))
  assert.ok(bytes(groups.structured) <= 30_000)
  const one = await client.call('aggregate', { stream: 'messages' })
  assert.equal(one.text, 'count of messages = 12 over 12 records')
})

test('BU-3 the schema of eighty streams is an index without fields; one stream has them', async () => {
  await using server = await TestServer.start('sqlite')
  const [stream] = MAILBOX.streams
  const streams = Array.from({ length: 80 }, (_, i) => ({ ...stream, name: `stream_${i}` }))
  await server.connect({ ...MAILBOX, ...source('wide'), streams } as typeof MAILBOX)
  await using client = await connected(server)
  const index = await client.call('schema', {})
  assert.ok(bytes(index.structured) <= 30_000, String(bytes(index.structured)))
  assert.equal(index.structured.data.streams.length, 80)
  assert.ok(index.structured.data.streams.every((each: object) => !('fields' in each)))
  assert.match(index.text, /^stream_79 /m)
  assert.match(index.text, /call schema with "stream"/)
  const single = await client.call('schema', { stream: 'stream_7' })
  assert.equal(single.structured.data.streams[0].fields.body, 't=string|null m=text/plain eq lex')
  assert.match(single.text, /^ {2}body: t=string\|null m=text\/plain eq lex$/m)
})

test('BU-4 BU-5 fetch returns a small document for any size and script, starting with what it is', async () => {
  await using server = await TestServer.start('sqlite')
  const [mail] = MAILBOX.streams
  const declared = structuredClone(MAILBOX)
  const texts = structuredClone(mail) as unknown as {
    name: string
    schema: { properties: Record<string, object> }
  }
  texts.name = 'documents'
  texts.schema.properties.body = { type: 'string', x_pdpp_role: 'primary-text' }
  declared.streams.push(texts as never)
  const connection = await server.connect(declared)
  for (const [script, sample] of Object.entries(SCRIPTS)) {
    const whole = sample.repeat(Math.ceil(1_000_000 / sample.length))
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, sample.repeat(10)]))
    await server.ingest('messages', connection, [
      message(`large-${script}`, { body: whole, subject: whole.slice(0, 3_000), parts: [many, many] }),
    ])
    await server.ingest('documents', connection, [
      message(`large-${script}`, { body: whole, subject: whole.slice(0, 900) }),
    ])
    await using client = await connected(server)
    for (const stream of ['messages', 'documents']) {
      const id = `${connection}/${stream}:large-${script}`
      const { text, structured, result } = await client.call('fetch', { id })
      assert.ok(bytes(text) <= 12_000 && bytes(structured) <= 12_000, `${id}: ${bytes(text)}`)
      assert.equal(result.content.length, 1)
      const first = Array.from(JSON.stringify(structured)).slice(0, 1_000).join('')
      assert.ok(first.includes(JSON.stringify(id)) && first.includes('"complete":false'), first)
      assert.ok(first.includes('"read":{"tool":"read_record_field"'), first)
      assert.equal(Object.keys(structured).at(-1), 'text')
      const { args } = structured.metadata.read
      if (stream === 'documents') assert.equal(Array.from(structured.text).length, args.offset_chars)
      assert.ok(!(await client.call('read_record_field', args)).isError)
    }
  }
})
