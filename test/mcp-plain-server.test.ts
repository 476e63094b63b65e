import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { callTool } from '../src/mcp/protocol/call-tool.ts'
import { readResource } from '../src/mcp/protocol/resources.ts'
import { type Provider, ResourceServerClient } from '../src/mcp/reading/resource-server-client.ts'
import { handleOf } from '../src/mcp/text/record-handle.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { recordUri, referenceOf } from '../src/model/ids/handle.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { bytes, callsIn, errorIn, idsIn, type Loose, McpTestClient } from './mcp-client.ts'
import { type Metadata, PlainResourceServer, type WindowShape } from './plain-resource-server.ts'

const ASTRAL = '𝒜éß漢字🙂\r\n'
const TOKEN = 'plain-token'
const MAIN = join(import.meta.dirname, '../src/cli/main.ts')

function server(): PlainResourceServer {
  const plain = new PlainResourceServer()
  plain.records = [
    {
      connection_id: 'cin_a',
      stream: 'messages',
      record_id: 'o1',
      data: { id: 'o1', title: 'First', body: `${ASTRAL.repeat(700)}albatross${ASTRAL.repeat(700)}` },
    },
    { connection_id: 'cin_b', stream: 'messages', record_id: 'o1', data: { id: 'o1', body: 'short' } },
    { connection_id: 'cin_a', stream: 'messages', record_id: 'o2', data: { id: 'o2', body: 'tern' } },
  ]
  return plain
}

/** The adapter without a transport, to test what a client cannot reach: its clock, its key, its failures. */
function adapter(plain: PlainResourceServer, { token = TOKEN, key = 1, ttl = 86_400 } = {}) {
  const failures: unknown[] = []
  const provider: Provider = {
    url: 'http://plain.test',
    send: async request => {
      const { pathname, search } = new URL(request.url)
      return plain.request(pathname + search, { headers: request.headers })
    },
    cursors: new Cursors(Buffer.alloc(32, key), ttl),
    timeoutMs: 5_000,
  }
  const report = (error: unknown) => String(failures.push(error))
  return {
    provider,
    failures,
    async call(
      name: string,
      args: Record<string, unknown>,
      signal = new AbortController().signal,
    ): Promise<Loose> {
      const tool = TOOLS.find(each => each.name === name)
      assert.ok(tool)
      const result = await callTool(tool, args, new ResourceServerClient(provider, { token }, signal), report)
      const [first] = result.content
      const text = first?.type === 'text' ? first.text : ''
      return {
        text,
        sc: result.structuredContent,
        meta: result._meta,
        error: result.isError ? errorIn(text) : null,
      }
    },
    read: (uri: string): Promise<Loose> =>
      readResource(uri, new ResourceServerClient(provider, { token }, new AbortController().signal), report),
  }
}

test('every tool works with a server without our extensions, whatever its metadata says', async () => {
  for (const metadata of ['absent', 'failing', 'no json', 'without capabilities'] as Metadata[]) {
    const plain = server()
    plain.metadata = metadata
    plain.hits = () => [
      { stream: 'messages', record_id: 'o1', connection_id: 'cin_a', snippet: 'an albatross' },
    ]
    await using client = await McpTestClient.connect(plain, TOKEN)
    assert.equal(plain.requests.length, 0, 'nothing is asked before it is needed')
    const answers = [
      await client.call('schema'),
      await client.call('query_records', { stream: 'messages', count: true, order: 'asc' }),
      await client.call('aggregate', { stream: 'messages', group_by: 'title' }),
      await client.call('search', { query: 'albatross', since: '2026-01-01' }),
      await client.call('search', { query: 'albatross', within: 'cin_a/messages:o1' }),
      await client.call('fetch', { id: 'cin_a/messages:o1' }),
      await client.call('fetch', { id: 'cin_a/messages:o1', fields: ['title'] }),
      await client.call('read_record_field', { id: 'cin_a/messages:o1', field_path: 'body' }),
      await client.call('read_record_field', { id: 'cin_a/messages:o1', field_path: 'body', q: 'ALBATROSS' }),
    ]
    for (const { isError, text } of answers) assert.ok(!isError, `${metadata}: ${text}`)
    const asked = plain.requests.filter(({ pathname }) => pathname.startsWith('/.well-known/'))
    assert.equal(asked.length, 1, 'capabilities are asked once')
    assert.deepEqual([...plain.tokens], [`Bearer ${TOKEN}`])
  }
})

test('PC-70 a filter is sent as where to a server that announces it, and not at all to another', async () => {
  const calls: [string, object][] = [
    ['query_records', { stream: 'messages' }],
    ['search', { query: 'albatross', streams: ['messages'] }],
    ['aggregate', { stream: 'messages' }],
  ]
  const filter = { title: { contains: 'fir', in: ['First', 'Last'] }, size: { gte: 3 }, id: 'o1' }
  for (const [tool, args] of calls) {
    const plain = server()
    const { call, provider } = adapter(plain)
    const { error } = await call(tool, { ...args, filter })
    assert.deepEqual([error.code, error.param], ['invalid_request', 'filter'], tool)
    const sent: URLSearchParams[] = []
    provider.send = async request => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname.startsWith('/.well-known/'))
        return Response.json({ capabilities: { footnote: ['where'] } })
      sent.push(searchParams)
      return Response.json({ object: 'list', data: [] })
    }
    delete provider.capabilities
    await call(tool, { ...args, filter })
    const conditions = [...(sent[0] ?? [])].filter(([name]) => /^(?:where|filter)/.test(name))
    assert.deepEqual(conditions, [
      ['where[title][contains]', 'fir'],
      ['where[title][in]', 'First'],
      ['where[title][in]', 'Last'],
      ['where[size][gte]', '3'],
      ['where[id]', 'o1'],
    ])
    assert.ok(
      plain.requests.every(({ search }) => !/filter|where/.test(search)),
      tool,
    )
  }
})

test('ER-4 ID-7 RF-2 nothing is requested, not even capabilities, before the arguments have been checked', async () => {
  const plain = server()
  const { call, read } = adapter(plain)
  for (const [tool, args] of [
    ['schema', { stream: 7 }],
    ['query_records', { filter: { size: 1 } }],
    ['query_records', { stream: '..' }],
    ['query_records', { stream: 'messages', filter: { a: { near: 1 } } }],
    ['aggregate', { stream: 'messages', metric: 'median' }],
    ['search', { query: '' }],
    ['search', { query: 'a', within: 'cin_a/messages' }],
    ['search', { query: 'a', filter: { 'a]': 1 } }],
    ['fetch', { id: 'cin_a//messages:o1' }],
    ['fetch', { id: recordUri('cin_a', 'messages', '..') }],
    ['fetch', { id: recordUri('cin_a', '.', 'o1') }],
    ['read_record_field', { id: 'cin_a/messages:o1', field_path: 'body', q: 'a', offset_chars: 1 }],
    ['read_record_field', { id: 'cin_a/messages:o1', field_path: '' }],
    ['read_record_field', { id: recordUri('cin_a', 'messages', '..'), field_path: 'body' }],
    ['read_record_field', { connection_id: '', stream: 'messages', record_id: 'o1', field_path: 'body' }],
    ['read_record_field', { connection_id: 'cin_a', stream: '', record_id: 'o1', field_path: 'body' }],
    ['read_record_field', { connection_id: 'cin_a', stream: 'messages', record_id: '', field_path: 'body' }],
    ['read_record_field', { connection_id: 'cin_a', stream: '..', record_id: 'o1', field_path: 'body' }],
  ] as const) {
    const { error } = await call(tool, args)
    assert.ok(error && error.code !== 'api_error', `${tool} ${JSON.stringify(args)}`)
    const isNamedByParts = 'stream' in args && args.stream === '..' && 'record_id' in args
    if (isNamedByParts || JSON.stringify(args).includes('pdpp://record/'))
      assert.equal(error.code, 'invalid_result_id', `${tool} ${JSON.stringify(args)}`)
    assert.deepEqual(plain.requests.map(String), [], `${tool} ${JSON.stringify(args)}`)
  }
  const handle = (identity: object) =>
    Buffer.from(JSON.stringify({ v: 1, ...identity })).toString('base64url')
  for (const uri of [
    recordUri('cin_a', 'messages', '.'),
    `pdpp://field-window/${handle({ kind: 'field-window', connection_id: 'cin_a', stream: '..', record_id: 'o1', field_path: 'body' })}`,
    `pdpp://blob/${handle({ kind: 'blob', blob_id: '..' })}`,
    `pdpp://blob/${handle({ kind: 'blob', blob_id: '.' })}`,
    `pdpp://blob/${'A'.repeat(20_000)}`,
    'pdpp://blob/',
    'pdpp://elsewhere/x',
    'http://plain.test/v1/schema',
  ]) {
    await assert.rejects(read(uri), /^\w*Error: [a-z_]+: /, uri)
    assert.deepEqual(plain.requests.map(String), [], uri)
  }
})

test('a cancelled or failed first call does not mark a server as plain permanently', async () => {
  const plain = server()
  const { provider, call } = adapter(plain)
  const send = provider.send
  const cancelled = new AbortController()
  provider.send = () => new Promise(() => cancelled.abort())
  await call('fetch', { id: 'cin_a/messages:o2' }, cancelled.signal)
  provider.send = () => Promise.reject(new Error('refused'))
  assert.equal((await call('fetch', { id: 'cin_a/messages:o2' })).error.code, 'provider_unavailable')
  provider.send = async (request, signal) =>
    request.url.endsWith('/oauth-protected-resource')
      ? Response.json({ capabilities: { footnote: ['max_field_chars'] } })
      : send(request, signal)
  const { error } = await call('fetch', { id: 'cin_a/messages:o2' })
  assert.deepEqual([error.code, error.param], ['invalid_request', 'max_field_chars'])
})

/** Every variety of hit that other servers return, and the expected result. */
const IDENTITY = { connection_id: 'cin_a', stream: 'messages', record_id: 'o1' }
const encoded = Buffer.from(JSON.stringify({ v: 1, kind: 'record', ...IDENTITY })).toString('base64url')
const VARIETIES: [name: string, hit: Record<string, unknown>, id: string, connection?: string][] = [
  ['record_key', { stream: 'messages', record_key: 'o1', connection_id: 'cin_a' }, 'cin_a/messages:o1'],
  ['record_id', { ...IDENTITY }, 'cin_a/messages:o1'],
  ['id', { stream: 'messages', id: 'o1', connection_id: 'cin_a' }, 'cin_a/messages:o1'],
  ['no connection', { stream: 'messages', id: 'o2' }, 'messages:o2'],
  ['result_id', { ...IDENTITY, result_id: 'cin_a/messages:o1' }, 'cin_a/messages:o1'],
  ['result_id alone', { result_id: 'cin_a/messages:o1' }, 'cin_a/messages:o1'],
  ['result_id of its own kind', { ...IDENTITY, result_id: 'v2/cin_a/messages:o1' }, 'v2/cin_a/messages:o1'],
  ['legacy result_id', { ...IDENTITY, result_id: 'messages:o1' }, 'cin_a/messages:o1'],
  ['legacy result_id alone', { result_id: 'messages:o1', connection_id: 'cin_a' }, 'messages:o1', 'cin_a'],
  ['positional result_id', { result_id: 'result:1', connection_id: 'cin_a' }, 'result:1', 'cin_a'],
  ['encoded record_uri', { record_uri: `pdpp://record/${encoded}` }, 'cin_a/messages:o1'],
  ['percent record_uri', { record_uri: 'pdpp://record/cin_a%2Fmessages%3Ao1' }, 'cin_a/messages:o1'],
  ['record_uri as id', { stream: 'messages', id: `pdpp://record/${encoded}` }, 'cin_a/messages:o1'],
  [
    'record_uri and the id of a hit',
    { id: 'hit_7', stream: 'messages', record_uri: `pdpp://record/${encoded}` },
    'cin_a/messages:o1',
  ],
  [
    'record_uri without connection',
    { record_uri: 'pdpp://record/messages%3Ao1', connection_id: 'cin_a' },
    'cin_a/messages:o1',
  ],
  ['url', { url: 'https://example.org/a:b', connection_id: 'cin_a' }, 'https://example.org/a:b', 'cin_a'],
  ['nothing', {}, 'result:1'],
  ['no object', 'text' as never, 'result:1'],
  [
    'connection outside the grammar',
    { stream: 'messages', id: 'o1', connection_id: 'a/b' },
    'messages:o1',
    'a/b',
  ],
]

const UNNAMED = ['positional result_id', 'url', 'nothing', 'no object']
const NAMES_A_RECORD = (hit: unknown) =>
  !VARIETIES.some(([name, each]) => each === hit && UNNAMED.includes(name))

test('ID-8 ID-9 ID-10 EV-5 hits of every variety show an id that leads back to their record', async () => {
  const plain = server()
  const { call } = adapter(plain)
  for (const [name, hit, id, connection] of VARIETIES) {
    plain.hits = () => [hit]
    const { text, sc } = await call('search', { query: 'albatross' })
    const [line = ''] = text.split('\n')
    assert.equal(line, connection === undefined ? id : `${id} connection_id="${connection}"`, name)
    const [result] = sc.results
    assert.equal(result.id, id, name)
    const named = typeof hit === 'object' ? (connection ?? hit.connection_id) : undefined
    if (named !== undefined) assert.equal(result.connection_id, named, name)
    assert.deepEqual(sc.data.data, [hit], `${name}: data is untouched`)
    const shown = `${text}${JSON.stringify({ ...sc, data: null })}`
    assert.ok(!shown.includes('pdpp://'), `${name}: no raw URI`)
    assert.match(result.url, /^https?:\/\//, name)
    if (!NAMES_A_RECORD(hit)) {
      assert.equal(result.next, undefined, `${name}: no call is offered that cannot work`)
      assert.deepEqual(callsIn(text), [], name)
      continue
    }
    const { tool, args } = result.next
    assert.equal(tool, 'fetch')
    assert.deepEqual(callsIn(text)[0], { tool, args }, `${name}: both channels name the same call`)
    if (!/^(cin_a\/)?messages:o[12]$/.test(id) || connection === 'a/b') continue
    const fetched = await call(tool, args)
    assert.equal(fetched.error, null, name)
    assert.equal(fetched.sc.metadata.record_id, id.slice(-2), name)
  }
})

test('ID-11 a record id outside the grammar keeps its handle, and the handle works', async () => {
  const plain = server()
  plain.namesConnections = false
  const { call, read } = adapter(plain)
  for (const record_id of ['a/b', 'a\\b', 'x..y', 'line\nbreak', 'bidi\u202Eid', 'tag\u{E0041}\u{E0001}']) {
    plain.records = [{ connection_id: 'cin_a', stream: 'messages', record_id, data: { body: 'tern' } }]
    plain.hits = () => [{ stream: 'messages', record_key: record_id, connection_id: 'cin_a' }]
    const { text, sc } = await call('search', { query: 'tern' })
    const [id = ''] = idsIn(text)
    assert.match(id, /^pdpp:\/\/record\/[A-Za-z0-9_-]+$/)
    assert.equal(sc.results[0].id, id)
    assert.equal((await call('fetch', { id })).sc.metadata.record_id, record_id)
    assert.equal((await call('read_record_field', { id, field_path: 'body' })).sc.window.text, 'tern')
    assert.equal(JSON.parse((await read(id)).contents[0].text).id, id)
  }
})

test('EV-4 EV-7 a hit without a window shows its snippet and labels, and no field', async () => {
  const plain = server()
  const { call } = adapter(plain)
  for (const [snippet, time] of [
    ['an albatross above the sea', { authored_at: '2026-02-03T04:05:06Z' }],
    [{ field: 'body', text: 'an albatross above the sea' }, { emitted_at: '2026-02-03T04:05:06Z' }],
  ] as const) {
    plain.hits = () => [
      { ...IDENTITY, snippet, ...time, connector_key: 'mailbox', display_name: 'Work mail' },
      { ...IDENTITY, record_id: 'o2' },
    ]
    const { text, sc } = await call('search', { query: 'albatross' })
    for (const shown of ['"Work mail"', 'messages', ' 2026-02-03 04:05', '"an albatross above the sea"'])
      assert.ok(text.includes(shown), `${shown} in ${text}`)
    assert.ok(!/\bbody\b/.test(text))
    const [result] = sc.results
    assert.equal(result.snippet, 'an albatross above the sea')
    assert.equal(result.occurred_at, '2026-02-03T04:05:06Z')
    assert.equal(result.field_path, undefined)
    assert.equal(result.url, 'http://plain.test/v1/streams/messages/records/o1?connection_id=cin_a')
    assert.deepEqual(sc.content_ladder, { records: [] })
    assert.deepEqual(callsIn(text), [{ tool: 'fetch', args: { id: 'cin_a/messages:o1' } }])
  }
})

test('EV-3 LA-1 a window without coordinates is evidence whose continuation finds the place', async () => {
  const plain = server()
  const { call } = adapter(plain)
  const window = { field_path: 'body', text: `…${ASTRAL}albatross${ASTRAL}` }
  for (const hit of [
    { ...IDENTITY, match_windows: [window] },
    { ...IDENTITY, evidence_excerpts: [window] },
    { ...IDENTITY, match_windows: [], evidence_excerpts: [window] },
    { ...IDENTITY, match_windows: [{ field_path: 'body' }, null, window] },
    { ...IDENTITY, match_windows: [{ text: 'no field' }], evidence_excerpts: [window] },
  ]) {
    plain.hits = () => [hit]
    const { text, sc } = await call('search', { query: 'the Albatross' })
    const [id, ...block] = text.split('\n')
    assert.equal(id, 'cin_a/messages:o1')
    assert.ok(
      block.some((line: string) => line.startsWith('  body: "') && line.includes('albatross')),
      text,
    )
    assert.equal(sc.results[0].field_path, 'body')
    assert.equal(sc.results[0].start_chars, undefined)
    const [field] = sc.content_ladder.records[0].fields
    assert.deepEqual([field.path, field.status, field.read], ['body', 'snippet-only', sc.results[0].next])
    const [next] = callsIn(text)
    assert.deepEqual(next, sc.results[0].next)
    const read = await call(next?.tool ?? '', next?.args ?? {})
    assert.ok(read.sc.window.text.includes('albatross'))
    assert.equal(read.sc.window.match.q, 'Albatross')
  }
})

test('EV-1 impossible coordinates are ignored', async () => {
  const plain = server()
  const { call, failures } = adapter(plain)
  const text = 'an albatross'
  for (const range of [
    { start_chars: 3, end_chars: 12, text_start_chars: 9 },
    { start_chars: -3, end_chars: 4, text_start_chars: -6 },
    { start_chars: 12, end_chars: 3, text_start_chars: 0 },
    { start_chars: 3.5, end_chars: 12, text_start_chars: 0.5 },
    { start_chars: 3, end_chars: 1e300, text_start_chars: 0 },
    { start_chars: '3', end_chars: '12', text_start_chars: '0' },
  ]) {
    plain.hits = () => [{ ...IDENTITY, match_windows: [{ field_path: 'body', text, ...range }] }]
    const { sc, error } = await call('search', { query: 'albatross' })
    assert.equal(error, null)
    assert.equal(sc.results[0].snippet, text)
    assert.equal(sc.results[0].start_chars, undefined)
    assert.deepEqual(sc.results[0].next.args, { id: 'cin_a/messages:o1', field_path: 'body', q: 'albatross' })
  }
  assert.deepEqual(failures, [])
})

const SHAPES: WindowShape[] = ['nested', 'flat', 'bare']

test("RF-7 RF-8 RF-9 the adapter's own cursors cover a field in both directions without gaps", async () => {
  const plain = server()
  const whole = plain.records[0]?.data.body as string
  for (const [shape, namesConnections] of SHAPES.flatMap(s => [[s, true] as const, [s, false] as const])) {
    Object.assign(plain, { shape, namesConnections })
    const { call } = adapter(plain)
    for (const [id, limit_chars] of [
      ['cin_a/messages:o1', 997],
      ['cin_a/messages:o1', undefined],
      [`pdpp://record/${encoded}`, 16_384],
    ] as const) {
      const forward: string[] = []
      const named = { id, field_path: 'body' }
      let read = await call('read_record_field', { ...named, limit_chars })
      let end = 0
      for (;;) {
        const { record, field, window } = read.sc
        assert.equal(record.id, 'cin_a/messages:o1')
        assert.equal(field.size_chars, Array.from(whole).length)
        assert.equal(window.start_chars, end)
        assert.equal(window.end_chars, end + Array.from(window.text).length)
        assert.equal(window.limit_chars, limit_chars ?? 4096)
        assert.equal(window.complete, window.start_chars === 0 && window.next_cursor === null)
        assert.equal(window.previous_cursor === null, window.start_chars === 0)
        end = window.end_chars
        forward.push(window.text)
        if (window.next_cursor === null) break
        assert.match(window.next_cursor, /^[A-Za-z0-9_-]{1,64}$/)
        assert.equal(JSON.parse(read.text.split('\n')[0]).next_cursor, window.next_cursor)
        read = await call('read_record_field', { ...named, cursor: window.next_cursor })
      }
      assert.equal(forward.join(''), whole)
      const backward = [read.sc.window.text]
      while (read.sc.window.previous_cursor !== null) {
        assert.match(read.sc.window.previous_cursor, /^[A-Za-z0-9_-]{1,64}$/)
        read = await call('read_record_field', { ...named, cursor: read.sc.window.previous_cursor })
        backward.unshift(read.sc.window.text)
      }
      assert.equal(backward.join(''), whole)
    }
  }
})

test('RF-4 RF-7 a match in the middle: its cursors meet the window on both sides', async () => {
  for (const shape of SHAPES) {
    const plain = server()
    plain.shape = shape
    const { call } = adapter(plain)
    const characters = Array.from(plain.records[0]?.data.body as string)
    const named = { id: 'cin_a/messages:o1', field_path: 'body' }
    const { sc } = await call('read_record_field', {
      ...named,
      q: 'albatross',
      before_chars: 10,
      after_chars: 20,
    })
    const { window } = sc
    assert.equal(window.limit_chars, 30)
    assert.equal(characters.slice(window.match.start_chars, window.match.end_chars).join(''), 'albatross')
    assert.equal(characters.slice(window.start_chars, window.end_chars).join(''), window.text)
    for (const [cursor, near] of [
      [window.next_cursor, (w: typeof window) => w.start_chars === window.end_chars],
      [window.previous_cursor, (w: typeof window) => w.end_chars === window.start_chars],
    ]) {
      const beside = (await call('read_record_field', { ...named, cursor, limit_chars: 50 })).sc.window
      assert.ok(near(beside))
      assert.equal(characters.slice(beside.start_chars, beside.end_chars).join(''), beside.text)
    }
  }
})

test('RF-8 malformed, foreign, expired and stale cursors are refused, each with its own error', async () => {
  const plain = server()
  const { call } = adapter(plain)
  const named = { id: 'cin_a/messages:o1', field_path: 'body' }
  const { next_cursor } = (await call('read_record_field', named)).sc.window
  plain.requests.length = 0
  const codeOf = async (args: object, other = call) => {
    const { error } = await other('read_record_field', { ...named, cursor: next_cursor, ...args })
    return error && [error.code, error.reason ?? null, error.record_id ?? null, error.field_path ?? null]
  }
  const at = ['o1', 'body']
  assert.deepEqual(await codeOf({ cursor: `${next_cursor}A` }), ['invalid_cursor', 'malformed', ...at])
  assert.deepEqual(await codeOf({ cursor: next_cursor.slice(1) }), ['invalid_cursor', 'malformed', ...at])
  assert.deepEqual(await codeOf({ cursor: 'ü' }), ['invalid_cursor', 'malformed', ...at])
  assert.deepEqual(await codeOf({ field_path: 'title' }), ['invalid_cursor', 'foreign', 'o1', 'title'])
  assert.deepEqual(await codeOf({ id: 'cin_b/messages:o1' }), ['invalid_cursor', 'foreign', ...at])
  assert.deepEqual(await codeOf({ id: 'cin_a/messages:o2' }), ['invalid_cursor', 'foreign', 'o2', 'body'])
  const another = adapter(plain, { token: 'another-token' })
  assert.deepEqual(await codeOf({}, another.call), ['invalid_cursor', 'foreign', ...at])
  const elsewhere = adapter(plain, { key: 2 })
  assert.deepEqual(await codeOf({}, elsewhere.call), ['invalid_cursor', 'malformed', ...at])
  const later = adapter(plain, { ttl: -1 })
  assert.deepEqual(await codeOf({}, later.call), ['cursor_expired', null, ...at])
  assert.deepEqual(plain.reads.map(String), [], 'none of these reached the server')
  const [record] = plain.records
  assert.ok(record)
  record.data.body += '!'
  assert.deepEqual(await codeOf({}), ['stale_cursor', null, ...at])
})

test('RF-7 a legacy id reads on under the id that its answer shows, and under itself', async () => {
  for (const namesConnections of [true, false]) {
    const plain = server()
    plain.namesConnections = namesConnections
    plain.records = plain.records.slice(0, 1)
    const { call } = adapter(plain)
    const first = (await call('read_record_field', { id: 'messages:o1', field_path: 'body' })).sc
    assert.equal(first.record.id, 'cin_a/messages:o1')
    for (const id of [first.record.id, 'messages:o1']) {
      const { error, sc } = await call('read_record_field', {
        id,
        field_path: 'body',
        cursor: first.window.next_cursor,
      })
      assert.equal(error, null, id)
      assert.equal(sc.window.start_chars, first.window.end_chars)
    }
  }
})

test('RF-5 a window that names no connection gets the one that the schema lists, else none', async () => {
  const plain = server()
  plain.namesConnections = false
  const { call } = adapter(plain)
  assert.equal(
    (await call('read_record_field', { id: 'messages:o2', field_path: 'body' })).sc.record.connection_id,
    '',
  )
  plain.records = plain.records.filter(({ connection_id }) => connection_id === 'cin_a')
  assert.equal(
    (await call('read_record_field', { id: 'messages:o2', field_path: 'body' })).sc.record.id,
    'cin_a/messages:o2',
  )
})

test('RF-5 ER-1 invalid windows are refused; windows that are too long are cut', async () => {
  const plain = server()
  await using client = await McpTestClient.connect(plain, TOKEN)
  const window = plain.request.bind(plain)
  const answerWith = (body: unknown) => {
    plain.request = async (path, init) =>
      path.includes('/field-window') ? Response.json(body) : window(path, init)
  }
  const named = { id: 'cin_a/messages:o1', field_path: 'body' }
  for (const body of [
    null,
    [],
    {},
    { window: { text: 7 } },
    { window: { text: 'x', start_chars: -1 } },
    { window: { text: 'x', start_chars: 2 ** 50, total_chars: 2 ** 51 } },
  ]) {
    answerWith(body)
    const error = await client.refused('read_record_field', named)
    assert.equal(error.code, 'provider_unavailable', JSON.stringify(body))
  }
  answerWith({
    window: { text: 'x', start_chars: 0.5, total_chars: 1.5, match_start_chars: 0.5 },
    field: { size_chars: 'x' },
  })
  assert.equal(
    (await client.call('read_record_field', { ...named, q: 'x' })).structured.window.start_chars,
    0,
  )
  answerWith({ window: { text: ASTRAL.repeat(100_000), start_chars: 0, total_chars: 900_000 } })
  for (const [args, most] of [
    [{}, 4096],
    [{ limit_chars: 10 }, 10],
    [{ q: ASTRAL }, 4096 + 2000],
  ] as const) {
    const { structured } = await client.call('read_record_field', { ...named, ...args })
    assert.ok(structured.window.end_chars <= most)
    assert.equal(structured.window.end_chars, Array.from(structured.window.text).length)
    assert.ok(structured.window.next_cursor)
  }
})

test('RC-2 LA-5 resources of a plain server equal the tools', async () => {
  const plain = server()
  const { call, read } = adapter(plain)
  const fetched = await call('fetch', { id: 'cin_a/messages:o1' })
  for (const uri of [`pdpp://record/${encoded}`, 'pdpp://record/cin_a%2Fmessages%3Ao1']) {
    assert.deepEqual(JSON.parse((await read(uri)).contents[0].text), fetched.sc)
  }
  let { sc, meta } = await call('read_record_field', {
    id: 'cin_a/messages:o1',
    field_path: 'body',
    limit_chars: 900,
  })
  const texts = [sc.window.text]
  for (;;) {
    const { uri, next_uri } = meta['footnote/window']
    assert.equal((await read(uri)).contents[0].text, sc.window.text)
    if (next_uri === null) break
    const next = await read(next_uri)
    ;({ sc, meta } = await call('read_record_field', {
      id: 'cin_a/messages:o1',
      field_path: 'body',
      cursor: sc.window.next_cursor,
    }))
    assert.equal(next.contents[0].text, sc.window.text)
    assert.deepEqual(next._meta, meta)
    texts.push(sc.window.text)
  }
  assert.equal(texts.join(''), plain.records[0]?.data.body)
})

test('BU-1 BU-3 BU-4 EV-6 LA-1 a record of 50 MB on a plain server stays bounded in every answer', async () => {
  const plain = server()
  const huge = 'an albatross above the sea; '.repeat(1_900_000)
  plain.records = [
    { connection_id: 'cin_a', stream: 'messages', record_id: 'o1', data: { id: 'o1', body: huge } },
    { connection_id: 'cin_a', stream: 'messages', record_id: 'o2', data: { id: 'o2', body: 'tern' } },
  ]
  const piece = '山🙂 albatross '.repeat(30_000)
  plain.hits = () => [
    { ...IDENTITY, snippet: piece },
    { ...IDENTITY, match_windows: [{ field_path: 'body', text: piece }] },
    {
      ...IDENTITY,
      title: piece,
      url: `https://example.org/${piece}`,
      display_name: piece,
      connector_key: piece,
      authored_at: piece,
    },
  ]
  const { call, read, failures } = adapter(plain)
  const search = await call('search', { query: 'albatross' })
  assert.ok(bytes(search.text) <= 1_800)
  assert.ok(bytes(search.sc) <= 30_000, `search: ${bytes(search.sc)}`)
  assert.equal(search.sc.results.length, 3)
  const fetched = await call('fetch', { id: 'cin_a/messages:o1' })
  assert.ok(bytes(fetched.text) <= 12_000 && bytes(fetched.sc) <= 12_000)
  assert.equal(fetched.sc.metadata.complete, false)
  const { tool, args } = fetched.sc.metadata.read
  const more = await call(tool, args)
  const start = huge.slice(0, args.offset_chars)
  assert.ok(huge.startsWith(start + more.sc.window.text))
  assert.ok(fetched.sc.text.includes(start))
  const window = {
    id: 'cin_a/messages:o1',
    field_path: 'body',
    offset_chars: 30_000_000,
    limit_chars: 16_384,
  }
  const tail = await call('read_record_field', window)
  assert.ok(bytes(tail.text) <= bytes(tail.sc.window.text) + 600 + 3 * 'cin_a/messages:o1'.length)
  assert.ok(bytes(JSON.parse((await read(`pdpp://record/${encoded}`)).contents[0].text)) <= 12_000)
  const page = await call('query_records', { stream: 'messages' })
  assert.equal(page.error.code, 'provider_answer_too_large')
  const named = await call('query_records', { stream: 'messages', fields: ['id'] })
  assert.deepEqual(
    named.sc.data.data.map((row: { id: string }) => row.id),
    ['o1', 'o2'],
  )
  // Without a schema it is unknown which fields to read instead, and the answer is not marked as complete.
  plain.schemaFields = {}
  const blind = await call('fetch', { id: 'cin_a/messages:o1' })
  assert.equal(blind.sc?.metadata.complete ?? false, false)
  assert.deepEqual(failures, [])
})

test('BU-3 pages of wide rows on a plain server get shorter, and continue', async () => {
  const plain = server()
  plain.records = Array.from({ length: 12 }, (_, n) => ({
    connection_id: 'cin_a',
    stream: 'messages',
    record_id: `r${n}`,
    data: { id: `r${n}`, body: `${n} ${'漢'.repeat(300_000)}` },
  }))
  const { call } = adapter(plain)
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { sc, text, error } = await call('query_records', { stream: 'messages', cursor })
    assert.equal(error, null)
    assert.ok(bytes(sc) <= 30_000 && bytes(text) <= 8_000)
    seen.push(...sc.data.data.map((row: { id: string }) => row.id))
    for (const rung of sc.content_ladder.records) {
      const [{ read, end_chars }] = rung.fields
      assert.ok(end_chars >= 200)
      const { window } = (await call(read.tool, read.args)).sc
      assert.equal(window.start_chars, end_chars)
    }
    cursor = sc.data.next_cursor
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    plain.records.map(({ record_id }) => record_id),
  )
})

test('ID-11 ids with leading or trailing white space have a handle that keeps it', () => {
  for (const record_id of [' o1', 'o1 ', '\u00a0o1', 'o1\u3000']) {
    const { id } = handleOf({ connection_id: 'cin_a', stream: 'messages', record_id })
    assert.match(id, /^pdpp:\/\/record\/\S+$/)
    assert.deepEqual(referenceOf(id, undefined), { connection_id: 'cin_a', stream: 'messages', record_id })
  }
  const inside = { connection_id: 'cin_a', stream: 'messages', record_id: 'o 1' }
  assert.equal(handleOf(inside).id, 'cin_a/messages:o 1')
})

test('search inside a record of a plain server says where to continue when this page has nothing of it', async () => {
  const plain = server()
  plain.hits = query => ({
    object: 'list',
    data:
      query.get('cursor') === '1'
        ? [IDENTITY, { ...IDENTITY, connection_id: 'cin_b' }]
        : [{ ...IDENTITY, record_id: 'o2' }],
    has_more: query.get('cursor') === null,
    ...(query.get('cursor') === null ? { next_cursor: '1' } : {}),
  })
  const { call } = adapter(plain)
  const first = await call('search', { query: 'albatross', within: 'cin_a/messages:o1' })
  assert.deepEqual(first.sc.results, [])
  const [more] = callsIn(first.text)
  assert.equal(more?.args.cursor, '1', first.text)
  const second = await call('search', more?.args ?? {})
  assert.deepEqual(
    second.sc.results.map((hit: { id: string }) => hit.id),
    ['cin_a/messages:o1'],
  )
})

test('ER-1 ER-2 whatever the server does, the caller gets a typed error', async () => {
  const plain = server()
  const { provider, call, failures } = adapter(plain)
  await call('fetch', { id: 'cin_a/messages:o2' })
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const answers: [name: string, answer: () => Response | Promise<Response>, code: string][] = [
    ['html', () => new Response('<html>', { status: 502 }), 'provider_error'],
    ['html 200', () => new Response('<html>'), 'provider_unavailable'],
    ['empty', () => new Response(null, { status: 204 }), 'provider_unavailable'],
    ['list', () => Response.json([]), 'provider_unavailable'],
    ['deep', () => new Response(`{"data":${deep}}`), 'provider_unavailable'],
    ['refused', () => Promise.reject(new TypeError('fetch failed')), 'provider_unavailable'],
    [
      'code of no text',
      () => Response.json({ error: { code: 7, message: [] } }, { status: 400 }),
      'provider_error',
    ],
    [
      'huge error',
      () =>
        Response.json({ error: { code: 'x'.repeat(90_000), message: '漢'.repeat(90_000) } }, { status: 400 }),
      '',
    ],
    [
      'ends early',
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(Buffer.from('{"data":'))
              controller.error(new TypeError('terminated'))
            },
          }),
        ),
      'provider_unavailable',
    ],
    [
      'drips',
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
      'provider_timeout',
    ],
  ]
  provider.timeoutMs = 150
  const awake = setInterval(() => {}, 50)
  for (const [name, answer, code] of answers) {
    provider.send = async () => answer()
    for (const [tool, args] of [
      ['query_records', { stream: 'messages' }],
      ['fetch', { id: 'cin_a/messages:o2' }],
      ['search', { query: 'a' }],
      ['read_record_field', { id: 'cin_a/messages:o2', field_path: 'body' }],
    ] as const) {
      const { error, text } = await call(tool, args)
      assert.ok(error, `${name} ${tool}`)
      if (code !== '') assert.equal(error.code, code, `${name} ${tool}`)
      assert.ok(bytes(text) <= 4_200, `${name} ${tool}: ${bytes(text)}`)
    }
  }
  clearInterval(awake)
  assert.deepEqual(failures, [])
})

test('ID-5 an ambiguous record names its connections, however many there are', async () => {
  const plain = server()
  plain.records = Array.from({ length: 200 }, (_, n) => ({
    connection_id: `cin_${n}_${'x'.repeat(40)}`,
    stream: 'messages',
    record_id: 'o1',
    data: { body: 'x' },
  }))
  const { call } = adapter(plain)
  const { error, text } = await call('fetch', { id: 'messages:o1' })
  assert.equal(error.code, 'ambiguous_connection')
  assert.ok(error.available_connections.length > 10)
  assert.equal(error.retry_with, 'connection_id')
  assert.ok(bytes(text) <= 4_200)
})

test('HO-1 HO-4 footnote mcp serves a plain server over stdio from search to the whole text', async () => {
  const plain = server()
  plain.hits = () => [{ ...IDENTITY, match_windows: [{ field_path: 'body', text: 'an albatross' }] }]
  await using listening = await plain.listen()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', MAIN, 'mcp', '--provider-url', `${listening.url}/`],
    env: { ...COMPILE_CACHE, PATH: process.env.PATH ?? '', PDPP_ACCESS_TOKEN: TOKEN },
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  try {
    await client.listTools()
    const call = async (name: string, args: Record<string, unknown>): Promise<Loose> =>
      client.callTool({ name, arguments: args })
    const found = await call('search', { query: 'albatross' })
    const [next] = callsIn(found.content[0].text)
    const around = await call(next?.tool ?? '', next?.args ?? {})
    assert.ok(around.structuredContent.window.text.includes('albatross'))
    let read = await call('read_record_field', {
      id: 'cin_a/messages:o1',
      field_path: 'body',
      limit_chars: 5_000,
    })
    const texts = [read.structuredContent.window.text]
    while (read.structuredContent.window.next_cursor !== null) {
      const { next_cursor } = read.structuredContent.window
      read = await call('read_record_field', {
        id: 'cin_a/messages:o1',
        field_path: 'body',
        cursor: next_cursor,
      })
      texts.push(read.structuredContent.window.text)
    }
    assert.equal(texts.join(''), plain.records[0]?.data.body)
    const resource = await client.readResource({ uri: `pdpp://record/${encoded}` })
    assert.equal(resource.contents.length, 1)
    for (const [name, args] of [
      ['schema', {}],
      ['query_records', { stream: 'messages' }],
      ['aggregate', { stream: 'messages' }],
      ['fetch', { id: 'cin_b/messages:o1' }],
    ] as const) {
      assert.ok((await call(name, args)).isError !== true, name)
    }
    assert.deepEqual([...plain.tokens], [`Bearer ${TOKEN}`])
  } finally {
    await client.close()
  }
})

test('HO-2 footnote mcp refuses a token that is not valid in a header, and does not repeat it', () => {
  for (const token of ['fnc_…', 'secret token', 'secret\ntoken']) {
    const args = [
      '--disable-warning=ExperimentalWarning',
      MAIN,
      'mcp',
      '--provider-url',
      'http://127.0.0.1:9',
    ]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env: { ...COMPILE_CACHE, PATH: process.env.PATH ?? '', PDPP_ACCESS_TOKEN: token },
      encoding: 'utf8',
      input: '',
    })
    assert.equal(status, 78, stderr)
    assert.equal(stdout, '')
    assert.match(stderr, /^Error: .*\nTry: /)
    assert.ok(!stderr.includes('secret'))
  }
})

test('ID-8 LA-1 a window of a connection outside the grammar names it separately from the id, and can be continued', async () => {
  const plain = server()
  plain.records = [
    { connection_id: 'a/b', stream: 'messages', record_id: 'o1', data: { body: 'x'.repeat(9_000) } },
  ]
  const { call } = adapter(plain)
  const first = await call('read_record_field', {
    id: 'messages:o1',
    connection_id: 'a/b',
    field_path: 'body',
  })
  const { id, connection_id, field_path, next_cursor } = JSON.parse(first.text.split('\n')[0])
  assert.deepEqual([id, connection_id], ['messages:o1', 'a/b'])
  const next = await call('read_record_field', { id, connection_id, field_path, cursor: next_cursor })
  assert.equal(next.sc.window.start_chars, 4096)
})

test('ID-10 nothing else is on the line of an id with spaces', async () => {
  const plain = server()
  const ids = Array.from({ length: 10 }, (_, n) => `n ${n} connection_id="x" "Title"`)
  plain.hits = () =>
    ids.map(record_id => ({ ...IDENTITY, record_id, title: 'A title', snippet: 'albatross '.repeat(30) }))
  const { text } = await adapter(plain).call('search', { query: 'albatross' })
  for (const id of ids) assert.ok(text.split('\n').includes(`cin_a/messages:${id}`), text)
})
