import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool } from '../src/mcp/protocol/call-tool.ts'
import { type Provider, ResourceServerClient } from '../src/mcp/reading/resource-server-client.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { callsIn, errorIn, type Loose } from './mcp-client.ts'

const SCHEMA = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, body: { type: 'string' } },
}
const RECORD = {
  object: 'record',
  id: 'm1',
  stream: 'messages',
  data: { id: 'm1', body: 'Far out an albatross above the sea' },
  emitted_at: '2026-02-03T04:05:06Z',
}
const METADATA = {
  object: 'stream_metadata',
  name: 'messages',
  schema: SCHEMA,
  primary_key: ['id'],
  cursor_field: null,
  consent_time_field: null,
  selection: { fields: true, resources: true },
  query: { search: { lexical_fields: ['body'] } },
  views: [],
  relationships: [],
}
const HIT = {
  object: 'search_result',
  stream: 'messages',
  record_key: 'm1',
  connector_id: 'https://sources.example/mail',
  emitted_at: '2026-02-03T04:05:06Z',
  matched_fields: ['body'],
  evidence_excerpts: [{ field_path: 'body', preview_text: 'an albatross above' }],
}
const BY_CONNECTOR = {
  object: 'schema',
  connectors: [
    {
      connector_id: 'https://sources.example/mail',
      connection_id: 'cin_a',
      display_name: 'Work mail',
      streams: [{ name: 'messages', schema: SCHEMA }],
    },
    { connector_id: 'https://sources.example/notes', streams: ['notes'] },
  ],
}

/** The answer for each address of such a server; all others are unknown. */
const ANSWERS: Record<string, Loose> = {
  '/.well-known/oauth-protected-resource': {
    resource: 'http://core.test',
    capabilities: { lexical_retrieval: { supported: true, endpoint: '/v1/search' } },
  },
  '/v1/schema': BY_CONNECTOR,
  '/v1/streams': { object: 'list', has_more: false, data: [{ object: 'stream', name: 'messages' }] },
  '/v1/streams/messages': METADATA,
  '/v1/streams/messages/records': { object: 'list', has_more: false, data: [RECORD] },
  '/v1/streams/messages/records/m1': RECORD,
  '/v1/search': { object: 'list', has_more: false, data: [HIT], meta: { count: 1, count_accuracy: 'exact' } },
}

/** The adapter in front of a server that implements PDPP Core and its profiles but none of our extensions. */
function coreServer(changes: Record<string, Loose> = {}) {
  const answers: Record<string, Loose> = { ...ANSWERS, ...changes }
  const requests: URL[] = []
  const provider: Provider = {
    url: 'http://core.test',
    send: async request => {
      const url = new URL(request.url)
      requests.push(url)
      const body = answers[url.pathname]
      const error = { type: 'not_found_error', code: 'not_found', message: 'There is none.' }
      return body ? Response.json(body) : Response.json({ error }, { status: 404 })
    },
    cursors: new Cursors(Buffer.alloc(32, 1), 86_400),
    timeoutMs: 5_000,
  }
  return {
    requests,
    async call(
      name: string,
      args: Record<string, Loose>,
    ): Promise<{ text: string; sc: Loose; error: Loose }> {
      const tool = TOOLS.find(each => each.name === name) ?? assert.fail(name)
      const client = new ResourceServerClient(provider, { token: 'token' }, new AbortController().signal)
      const result = await callTool(tool, args, client, String)
      const [first] = result.content
      const text = first?.type === 'text' ? first.text : ''
      return { text, sc: result.structuredContent, error: result.isError ? errorIn(text) : null }
    },
  }
}

test('EV-2 EV-3 excerpts from another server are evidence, under either name of their text', async () => {
  for (const name of ['preview_text', 'text']) {
    const hit = { ...HIT, evidence_excerpts: [{ field_path: 'body', [name]: 'an albatross above' }] }
    const { call } = coreServer({ '/v1/search': { object: 'list', has_more: false, data: [hit] } })
    const { text, sc } = await call('search', { query: 'albatross' })
    assert.match(text, /^messages:m1\n/)
    assert.match(text, /body: "an albatross above"/)
    const [result] = sc.results
    assert.deepEqual(
      [result.id, result.field_path, result.snippet],
      ['messages:m1', 'body', 'an albatross above'],
    )
    const args = { id: 'messages:m1', field_path: 'body', q: 'albatross' }
    assert.deepEqual(result.next, { tool: 'read_record_field', args })
    assert.deepEqual(sc.content_ladder.records[0].fields[0].read, result.next)
  }
})

test('ID-8 a hit that names no record shows its text and offers no call', async () => {
  const { record_key: _, stream: __, ...unnamed } = HIT
  const { call } = coreServer({ '/v1/search': { object: 'list', has_more: false, data: [unnamed] } })
  const { text, sc } = await call('search', { query: 'albatross' })
  assert.match(text, /"an albatross above"/)
  assert.match(text, /names no record/)
  assert.deepEqual(callsIn(text), [])
  assert.equal(sc.results[0].next, undefined)
  assert.deepEqual(sc.content_ladder, { records: [] })
})

test('a schema that lists connectors is shown by stream, with the connections that it names', async () => {
  const { call } = coreServer()
  const { text, sc } = await call('schema', {})
  assert.match(text, /^messages in cin_a "Work mail"\n {2}id: .*\n {2}body: /)
  assert.match(text, /^notes$/m)
  assert.deepEqual(
    sc.data.streams.map(({ name }: Loose) => name),
    ['messages', 'notes'],
  )
  const window = { object: 'field_window', text: 'Far out', total_chars: 7 }
  const { call: read } = coreServer({ '/v1/streams/messages/records/m1/field-window': window })
  const { sc: shown } = await read('read_record_field', { id: 'messages:m1', field_path: 'body' })
  assert.equal(shown.record.id, 'cin_a/messages:m1', 'the only connection of the stream')
})

test('without a schema of everything, streams are described by their metadata', async () => {
  const { call, requests } = coreServer({ '/v1/schema': null })
  const { text } = await call('schema', {})
  assert.match(text, /^messages\n {2}id: .*\n {2}body: /)
  assert.match((await call('schema', { stream: 'messages' })).text, /^messages\n/)
  assert.equal((await call('schema', { stream: 'never' })).error.code, 'not_found')
  const fetched = await call('fetch', { id: 'messages:m1' })
  assert.equal(fetched.error, null)
  assert.match(fetched.text, /albatross/)
  assert.ok(requests.some(({ pathname }) => pathname === '/v1/streams/messages'))
})

test('records of another server are listed', async () => {
  const { call } = coreServer()
  const { text, error } = await call('query_records', { stream: 'messages' })
  assert.equal(error, null)
  assert.match(text, /^1 record\.\nmessages:m1 .*albatross/)
})
