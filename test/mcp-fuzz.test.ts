import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { createMcpEndpoint } from '../src/mcp/protocol/http.ts'
import type { Provider } from '../src/mcp/reading/resource-server-client.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { recordUri } from '../src/model/ids/handle.ts'
import { blobUri, fieldWindowUri } from '../src/model/ids/window-uri.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { count, PUBLIC_URL } from './engines.ts'
import { goodClient } from './good-client.ts'
import { errorIn, type Loose } from './mcp-client.ts'
import { MCP_HEADERS } from './mcp-post.ts'
import { narrowWorld, SECRET } from './narrow-world.ts'
import { Random } from './random.ts'

const SEED = Number(process.env.FOOTNOTE_SEED ?? 20_261_115)
const HEADERS = {
  Host: new URL(PUBLIC_URL).host,
  Authorization: 'Bearer placeholder',
  ...MCP_HEADERS,
  'MCP-Protocol-Version': '2025-11-25',
}

/** The whole adapter behind its endpoint, and every request that it makes. */
function adapter(send: (path: string, init: RequestInit) => Promise<Response>, token: string) {
  const requests: string[] = []
  const failures: unknown[] = []
  const provider: Provider = {
    url: PUBLIC_URL,
    cursors: new Cursors(Buffer.alloc(32, 1), 86_400),
    timeoutMs: 20_000,
    send: async request => {
      const { pathname, search } = new URL(request.url)
      if (!pathname.startsWith('/.well-known/')) requests.push(pathname + search)
      return send(pathname + search, { headers: request.headers })
    },
  }
  const endpoint = createMcpEndpoint(
    { provider, version: '0', report: error => failures.push(error) },
    { publicUrl: PUBLIC_URL, identify: goodClient },
  )
  const post = async (method: string, params: object) => {
    requests.length = 0
    const response = await endpoint.fetch(
      new Request(`${PUBLIC_URL}/mcp`, {
        method: 'POST',
        headers: { ...HEADERS, Authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      }),
      'req_test',
    )
    const raw = await response.text()
    const data =
      raw
        .split('\n')
        .find(line => line.startsWith('data: '))
        ?.slice('data: '.length) ?? raw
    return { raw, status: response.status, message: JSON.parse(data) as Loose }
  }
  return { provider, requests, failures, post }
}

const NASTY = [
  ...'/:\\.%?#&=[]{}"\' \n\r\t~^',
  ...['..', '../', '%2f', '%2e%2e', '\0', '\u202E', '\u2028', '\u{E0041}', '\uD800'],
  ...['🙂', 'ü', '漢', '\uFEFF', '__proto__', 'pdpp://record/', 'null', '-1'],
]

class Fuzz extends Random {
  mutate(text: string): string {
    const at = this.integer(0, text.length)
    switch (this.integer(0, 8)) {
      case 0:
        return text.slice(0, at) + text.slice(at + this.integer(1, 3))
      case 1:
        return text.slice(0, at) + this.pick(NASTY) + text.slice(at)
      case 2:
        return text.slice(0, at)
      case 3:
        return text + text
      case 4:
        return encodeURIComponent(text.toWellFormed())
      case 5:
        return text.toUpperCase()
      case 6:
        return Buffer.from(text, 'base64url').toString()
      case 7:
        return Array.from({ length: this.integer(0, 12) }, () => this.pick(NASTY)).join('')
      default:
        return text.repeat(this.integer(1, 40))
    }
  }

  text(bases: readonly string[]): string {
    let made = this.pick(bases)
    // A little more than the limit of a request (64 KiB).
    while (this.chance(0.4)) made = this.mutate(made).slice(0, 80_000)
    return made
  }

  value(depth = 0): Loose {
    const nested = () => this.value(depth + 1)
    switch (this.integer(0, depth > 3 ? 6 : 8)) {
      case 0:
        return null
      case 1:
        return this.chance(0.5)
      case 2:
        return this.pick([0, -1, 1, 1.5, 25, 26, 4096, 16_385, 2 ** 31, 2 ** 53, 1e300, -0])
      case 3:
      case 4:
        return this.text(['messages', 'body', 'albatross', 'count', '2026-01-01', 'beginning'])
      case 5:
        return this.pick(NASTY)
      case 6:
        return ''
      case 7:
        return Array.from({ length: this.integer(0, 4) }, nested)
      default:
        return Object.fromEntries(
          Array.from({ length: this.integer(0, 4) }, () => [
            this.pick(['id', 'gte', 'lt', '__proto__', 'constructor', this.pick(NASTY)]),
            nested(),
          ]),
        )
    }
  }
}

/** An independent implementation of the grammar of ids (ID-1, ID-2). */
function isWellFormed(id: string): boolean {
  if (id.startsWith('pdpp://record/')) return isRecordHandle(id.slice('pdpp://record/'.length))
  const [, , connection, stream, record] = /^(([^/]*)\/)?([^:/]*):(.*)$/s.exec(id) ?? []
  if (stream === undefined || record === undefined || id.length > 8192) return false
  return [connection ?? 'none', stream, record].every(
    part => part !== '' && part !== '.' && !part.includes('..') && !/[/\\]/.test(part),
  )
}

function isRecordHandle(handle: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(handle)) {
    if (!/^([\w.~!$&'()*+,;=:@-]|%[0-9A-F]{2})+$/i.test(handle) || handle.length > 16_384) return false
    try {
      const id = decodeURIComponent(handle)
      return !id.startsWith('pdpp://record/') && isWellFormed(id)
    } catch {
      return false
    }
  }
  try {
    const bytes = Buffer.from(handle, 'base64url')
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const { v, kind, connection_id = null, stream, record_id } = JSON.parse(text)
    const named = [stream, record_id, connection_id ?? 'none'].every(
      part => typeof part === 'string' && !['', '.', '..'].includes(part) && !part.includes('\0'),
    )
    return (
      v === 1 &&
      kind === 'record' &&
      named &&
      handle.length <= 16_384 &&
      bytes.toString('base64url') === handle
    )
  } catch {
    return false
  }
}

/** Refusals of malformed input, which never reaches a resource server. */
const OWN = ['invalid_result_id', 'conflicting_connection_id', 'invalid_window', 'invalid_field_path']

test('RS-2 RS-4 ER-1 ID-7 RC-1 every answer is correct or a typed refusal, and stays within the grant', async t => {
  const { server, work, home, hiddenBlob, narrow, body } = await narrowWorld('sqlite')
  await using _ = server
  const token = await server.grant(narrow)
  const { post, requests, failures } = adapter(
    (path, init) => server.request(path, { ...init, token: null }),
    token,
  )
  const call = async (name: string, args: object) =>
    (await post('tools/call', { name, arguments: args })).message.result
  const ids = [work, home].flatMap(connection =>
    ['messages:open', 'messages:early', 'messages:other', 'notes:n1'].map(rest => `${connection}/${rest}`),
  )
  const window = await call('read_record_field', { id: `${work}/messages:open`, field_path: 'body' })
  const page = await call('query_records', { stream: 'messages', limit: 1 })
  const hits = await call('search', { query: 'albatross', limit: 1 })
  const cursors = [
    window.structuredContent.window.next_cursor,
    page.structuredContent.data.next_cursor,
    hits.structuredContent.data.next_cursor,
  ].filter(cursor => typeof cursor === 'string')
  assert.equal(cursors.length, 3)
  const references = [work, home, null].flatMap(connection_id =>
    ['open', 'early', 'second'].map(record_id => ({ connection_id, stream: 'messages', record_id })),
  )
  const records = references.map(({ connection_id, stream, record_id }) =>
    recordUri(connection_id, stream, record_id),
  )
  const windows = references.map((record, n) =>
    fieldWindowUri({
      record,
      field_path: n % 2 ? 'body' : 'secret',
      selector: n % 3 ? { offset_chars: n, limit_chars: 50 } : { q: 'albatross' },
      digest: null,
    }),
  )
  const percent = ids.map(id => `pdpp://record/${encodeURIComponent(id)}`)
  const uris = [
    ...records,
    ...windows,
    ...percent,
    blobUri(hiddenBlob),
    'pdpp://blob/x',
    'https://a.example/',
  ]
  const seen = new Map<string, number>()

  for (let n = 0; n < count(800, 100_000); n++) {
    const fuzz = new Fuzz(SEED + n)
    const sane = (): Record<string, () => Loose> => ({
      id: () => fuzz.text([...ids, ...records, ...percent]),
      within: () => fuzz.text(ids),
      connection_id: () => fuzz.text([work, home, 'cin_never']),
      stream: () => fuzz.text(['messages', 'messages', 'notes']),
      record_id: () => fuzz.text(['open', 'early', 'second']),
      field_path: () =>
        fuzz.text(['body', 'subject', 'secret', '/parts/0', 'size', '/secret/0', '/~2', '//']),
      cursor: () => fuzz.text(cursors),
      changes_since: () => fuzz.text(['beginning', ...cursors]),
      fields: () => [fuzz.text(['id', 'body', 'secret'])],
      streams: () => [fuzz.text(['messages', 'notes'])],
      filter: () =>
        fuzz.chance(0.5)
          ? { [fuzz.text(['subject', 'secret', 'received_at'])]: fuzz.value(2) }
          : fuzz.value(),
      query: () => fuzz.text(['albatross', '"the albatross"', 'alba*', '-the another']),
      q: () => fuzz.text(['albatross', 'THE']),
      limit: () => fuzz.integer(1, 25),
      limit_chars: () => fuzz.integer(1, 300),
      offset_chars: () => fuzz.integer(0, 30_000),
      before_chars: () => fuzz.integer(0, 100),
      after_chars: () => fuzz.integer(0, 100),
      detail: () => fuzz.pick(['compact', 'full']),
      order: () => fuzz.pick(['asc', 'desc']),
      metric: () => fuzz.pick(['count', 'min', 'sum']),
      field: () => fuzz.text(['received_at', 'size', 'secret']),
      group_by: () => fuzz.text(['from', 'secret', 'subject']),
      group_by_time: () => 'received_at',
      granularity: () => 'year',
      time_zone: () => fuzz.text(['Europe/Berlin', 'UTC']),
      since: () => fuzz.text(['2020-01-01', '2026-01-01T00:00:00Z']),
      until: () => fuzz.text(['2030-01-01']),
      count: () => true,
    })
    const asked = fuzz.chance(0.25)
      ? { method: 'resources/read', params: { uri: fuzz.text(uris) } }
      : { method: 'tools/call', params: { name: '', arguments: {} as Record<string, Loose> } }
    if ('arguments' in asked.params) {
      const tool = fuzz.pick(TOOLS)
      asked.params.name = tool.name
      const needed = [...(tool.input.required ?? []), ...(tool.name === 'search' ? ['query'] : [])]
      if (tool.name === 'read_record_field' && fuzz.chance(0.9)) needed.push('id')
      for (const name of Object.keys(tool.input.properties)) {
        if (!needed.includes(name) && !fuzz.chance(0.12)) continue
        asked.params.arguments[name] = fuzz.chance(0.04) ? fuzz.value() : sane()[name]?.()
      }
      if (fuzz.chance(0.05)) asked.params.arguments[fuzz.text(['wait_for_previous', 'extra'])] = fuzz.value()
    }
    const told = `seed ${SEED + n} (FOOTNOTE_SEED): ${JSON.stringify(asked)}`
    const { raw, status, message } = await post(asked.method, asked.params)
    assert.deepEqual(failures, [], told)
    assert.ok(!raw.includes(SECRET), `${told} tells ${raw.slice(0, 500)}`)
    assert.ok(Buffer.byteLength(raw) < 200_000, told)
    const outcome = outcomeOf(asked, message)
    assert.ok(
      outcome.code !== 'api_error' && !raw.includes('There is nothing at this address'),
      `${told}: ${raw.slice(0, 500)}`,
    )
    seen.set(outcome.code, (seen.get(outcome.code) ?? 0) + 1)
    if (OWN.includes(outcome.code)) assert.deepEqual(requests, [], `${told} was malformed: ${outcome.code}`)
    const id = outcome.handle
    if (id !== undefined && outcome.code !== 'invalid_request') {
      const told2 = `${told}: ${outcome.code}`
      if (!isWellFormed(id)) assert.equal(outcome.code, 'invalid_result_id', told2)
      if (isWellFormed(id)) assert.notEqual(outcome.code, 'invalid_result_id', told2)
    }
    if (outcome.code === 'ok') checkAnswer(asked.params, message.result, work, body, told)
    assert.ok(status === 200 || outcome.code === 'protocol', told)
  }
  t.diagnostic(JSON.stringify(Object.fromEntries([...seen].sort((a, b) => b[1] - a[1]))))
  // Enough calls must be answered, and enough refused for each reason; otherwise the cases prove little.
  for (const code of [
    'ok',
    'invalid_request',
    ...OWN,
    'not_found',
    'field_not_granted',
    'connection_not_found',
  ])
    assert.ok((seen.get(code) ?? 0) > 3, `${code} in ${JSON.stringify([...seen])}`)
})

/**
 * The outcome of an answer: `ok`, the code of a typed refusal, or `protocol` for a request that never reached a tool.
 */
function outcomeOf(asked: Loose, message: Loose): { code: string; handle?: string } {
  const { uri, name, arguments: args } = asked.params
  // A request that is too large is refused before it is read.
  if (message.id === null) return { code: 'protocol' }
  if (asked.method === 'resources/read') {
    const handle = uri.startsWith('pdpp://record/') ? { handle: uri } : {}
    if (!message.error) return { code: 'ok', ...handle }
    const [code = ''] = /^[a-z_]+(?=: )/.exec(message.error.message) ?? []
    assert.notEqual(code, '', `a protocol error without a code: ${JSON.stringify(message)}`)
    return { code, ...handle }
  }
  if (message.error) return { code: 'protocol' }
  const { isError, content, structuredContent } = message.result
  const takesId = name === 'fetch' || name === 'read_record_field'
  const handle = takesId && typeof args.id === 'string' ? { handle: args.id } : {}
  if (!isError) {
    assert.ok(structuredContent)
    return { code: 'ok', ...handle }
  }
  assert.equal(structuredContent, undefined)
  assert.equal(content.length, 1)
  const error = errorIn(content[0].text)
  assert.equal(typeof error.message, 'string')
  return { code: error.code, ...handle }
}

/** The grant covers two records, so everything shown must come from these. */
function checkAnswer(params: Loose, result: Loose, work: string, body: string, told: string): void {
  const opened = [`${work}/messages:open`, `${work}/messages:second`]
  if (params.uri !== undefined) {
    const [content] = result.contents
    if (params.uri.startsWith('pdpp://record/')) assert.ok(opened.includes(JSON.parse(content.text).id), told)
    else
      assert.ok(
        body.includes(content.text) || content.text === 'another albatross' || content.text === '',
        told,
      )
    return
  }
  const sc = result.structuredContent
  const shownIds = [
    ...(sc.results ?? []).map((hit: Loose) => hit.id),
    ...(sc.content_ladder?.records ?? []).map((rung: Loose) => rung.id),
    ...(params.name === 'fetch' ? [sc.id] : []),
    ...(params.name === 'read_record_field' ? [sc.record.id] : []),
    ...(params.name === 'query_records'
      ? sc.data.data.map((row: Loose) => `${row.connection_id}/${row.stream}:${row.id}`)
      : []),
  ]
  for (const id of shownIds) assert.ok(opened.includes(id), `${told} shows ${id}`)
  if (params.name === 'read_record_field' && sc.field.path === 'body' && sc.record.record_id === 'open') {
    assert.equal(sc.window.text, body.slice(sc.window.start_chars, sc.window.end_chars), told)
  }
  if (params.name === 'schema')
    for (const { stream } of sc.data.streams) assert.equal(stream, 'messages', told)
}

/** Bodies that any server could send: correct in shape, with arbitrary values. */
function answerOf(fuzz: Fuzz, path: string): Loose {
  const limit = Number(/[?&]limit=(\d+)/.exec(path)?.[1] ?? 10)
  const text = () =>
    fuzz.chance(0.01)
      ? fuzz.pick(NASTY).repeat(fuzz.integer(1, 20_000))
      : fuzz.chance(0.3)
        ? fuzz.value()
        : fuzz.text(['messages', 'o1', 'cin_a', 'cin_a/messages:o1', 'an albatross', ASTRAL_HANDLE])
  const number = () => (fuzz.chance(0.3) ? fuzz.value() : fuzz.integer(0, 5_000))
  const object = (names: readonly string[], value: () => Loose) =>
    Object.fromEntries(names.filter(() => fuzz.chance(0.6)).map(name => [name, value()]))
  const list = (item: () => Loose, most = 12) => Array.from({ length: fuzz.integer(0, most) }, item)
  const window = () => ({
    ...object(['field_path', 'text', 'digest'], text),
    ...object(['start_chars', 'end_chars', 'text_start_chars', 'size_chars'], number),
  })
  const data = (): Loose =>
    fuzz.chance(0.1)
      ? Object.fromEntries(list(() => [fuzz.pick(NASTY) + fuzz.integer(0, 999), text()], 600))
      : {
          ...object(['id', 'body', 'title', '__proto__', 'a/b', '/c', 'line\nbreak'], text),
          list: list(text, 40),
        }
  const record = () => ({
    ...object(
      ['object', 'id', 'stream', 'connection_id', 'title', 'url', 'display_name', 'emitted_at'],
      text,
    ),
    data: fuzz.chance(0.9) ? data() : fuzz.value(),
    ...(fuzz.chance(0.3)
      ? { truncated_fields: list(() => ({ field_path: text(), size_chars: number() })) }
      : {}),
  })
  const hit = () => ({
    ...object(['stream', 'record_key', 'record_id', 'id', 'result_id', 'record_uri', 'connection_id'], text),
    ...object(['title', 'url', 'snippet', 'connector_key', 'display_name', 'authored_at'], text),
    ...(fuzz.chance(0.5) ? { match_windows: list(window, 3) } : {}),
    ...(fuzz.chance(0.2) ? { evidence_excerpts: list(window, 3) } : {}),
  })
  const page = (item: () => Loose) => ({
    object: 'list',
    data: fuzz.chance(0.95) ? list(item, Math.min(12, limit)) : fuzz.value(),
    ...object(['next_cursor', 'next_changes_since'], () => fuzz.text(['c1'])),
    ...(fuzz.chance(0.2)
      ? { meta: { warnings: list(() => ({ message: text() }), 4), count: number() } }
      : {}),
  })
  if (fuzz.chance(0.03)) return fuzz.value()
  if (path.startsWith('/.well-known/')) {
    const offered = [
      'max_field_chars',
      'search_windows',
      'search_view',
      'search_cursors',
      'search_varied',
      'search_record',
      'field_window_cursors',
      'where',
    ]
    const footnote = fuzz.chance(0.5) ? offered.filter(() => fuzz.chance(0.7)) : fuzz.value()
    return { capabilities: fuzz.chance(0.9) ? { footnote } : fuzz.value() }
  }
  if (path.includes('/field-window')) {
    const part = {
      ...object(
        ['start_chars', 'end_chars', 'total_chars', 'next_offset_chars', 'match_start_chars'],
        number,
      ),
      ...object(['limit_chars', 'match_end_chars'], number),
      ...object(['next_cursor', 'previous_cursor', 'match'], text),
      text: text(),
    }
    return fuzz.chance(0.5) ? { field: window(), window: part } : { ...part, connection_id: text() }
  }
  if (path.startsWith('/v1/search')) return page(hit)
  if (/\/records(\?|$)/.test(path)) return page(record)
  if (path.includes('/records/')) return record()
  if (path.includes('/aggregate'))
    return {
      ...object(['metric', 'field', 'stream', 'value'], text),
      groups: list(() => object(['key', 'count', 'value'], text), 100),
    }
  const described = () => ({
    ...object(['stream', 'name', 'label', 'detail'], text),
    fields: fuzz.chance(0.8) ? data() : fuzz.value(),
    connections: list(() => object(['connection_id', 'display_name'], text), 30),
    bounds: fuzz.value(),
  })
  return { object: 'schema', streams: list(described, 20) }
}

const ASTRAL_HANDLE = recordUri('cin_🙂', 'messages', '🙂'.repeat(40))
const LARGEST = {
  search: 1_800,
  query_records: 8_000,
  aggregate: 4_000,
  schema: 12_100,
  fetch: 12_000,
  read_conversation: 16_000,
}

test("ER-1 RF-5 BU-1 BU-3 BU-4 whatever a server answers, the client's result is bounded and matches the schemas", async t => {
  const ajv = new Ajv({ strict: false })
  const valid = new Map(TOOLS.map(tool => [tool.name, ajv.compile(tool.output)]))
  const seen = new Map<string, number>()
  for (let n = 0; n < count(100, 30_000); n++) {
    const fuzz = new Fuzz(SEED + n)
    const { post, failures } = adapter(async path => Response.json(answerOf(fuzz, path)), 'token')
    const name = fuzz.pick(TOOLS).name as keyof typeof LARGEST | 'read_record_field'
    const args = {
      schema: fuzz.chance(0.5) ? {} : { stream: 'messages' },
      query_records: { stream: 'messages' },
      aggregate: { stream: 'messages' },
      search: { query: 'an albatross', ...(fuzz.chance(0.2) ? { within: 'cin_a/messages:o1' } : {}) },
      fetch: { id: 'cin_a/messages:o1' },
      read_conversation: { id: 'cin_a/messages:o1' },
      read_record_field: {
        id: fuzz.pick(['cin_a/messages:o1', 'messages:o1']),
        field_path: 'body',
        ...(fuzz.chance(0.3) ? { q: 'albatross' } : {}),
      },
    }[name]
    const told = `seed ${SEED + n} (FOOTNOTE_SEED): ${name}`
    const { raw, message } = await post('tools/call', { name, arguments: args })
    assert.deepEqual(failures, [], told)
    assert.ok(message.result, `${told}: ${raw.slice(0, 600)}`)
    const { isError, structuredContent, content }: Loose = message.result
    const { text } = content[0]
    seen.set(
      `${name} ${isError ? 'refused' : 'ok'}`,
      (seen.get(`${name} ${isError ? 'refused' : 'ok'}`) ?? 0) + 1,
    )
    if (isError) {
      const { code } = errorIn(text)
      const due = ['provider_unavailable', 'provider_answer_too_large']
      if (name === 'read_conversation') due.push('no_conversation')
      assert.ok(due.includes(code), `${told}: ${text}`)
      continue
    }
    const check = valid.get(name)
    assert.equal(check?.(structuredContent), true, `${told}: ${JSON.stringify(check?.errors)}`)
    const [said, structured] = [Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(structuredContent))]
    if (name === 'read_record_field') {
      const { record, window } = structuredContent
      // Cursors and connections of other servers can contain anything, and invisible characters in them are escaped.
      const others = 6 * `${window.next_cursor}${window.previous_cursor}${record.connection_id}`.length
      const beside = Buffer.byteLength(window.text) + others
      assert.ok(said <= beside + 400 + 3 * Buffer.byteLength(JSON.stringify(record.id)), `${told}: ${said}`)
      assert.ok(Array.from(window.text).length <= 18_384, told)
      continue
    }
    // An id is never truncated, so a text may exceed its limit by a long id (ID-10).
    const longest = Math.max(0, ...text.split('\n').map((line: string) => Buffer.byteLength(line)))
    const least = longest > 1_000 ? longest : 0
    assert.ok(said <= LARGEST[name] + least, `${told}: text of ${said}`)
    assert.ok(
      structured <= (name === 'fetch' ? 12_000 : 30_000),
      `${told}: structured content of ${structured}`,
    )
    if (name === 'fetch') continue
    const invisible = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{E0000}-\u{E007F}]/u
    assert.ok(!invisible.test(text), `${told}: invisible characters in ${JSON.stringify(text)}`)
  }
  t.diagnostic(JSON.stringify(Object.fromEntries([...seen].sort())))
})
