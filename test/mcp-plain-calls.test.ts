import assert from 'node:assert/strict'
import { test } from 'node:test'
import { McpServer } from '@modelcontextprotocol/server'
import { serveOverHttp } from '../src/mcp/protocol/http.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const REVISION = '2026-07-28'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

function metaOf(version: string, more: object = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version },
    [CAPABILITIES]: {},
    ...more,
  }
}

interface Asked {
  params: { name: string; [name: string]: unknown }
  /** In addition to the usual headers. */
  headers?: Record<string, string>
  members?: object
}

function init({ params, headers = {}, members = {} }: Asked) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params, ...members })
  return {
    method: 'POST',
    body,
    headers: withoutEmpty({
      'Content-Length': String(Buffer.byteLength(body)),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Host: 'footnote.test',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': params.name,
      ...headers,
    }),
  }
}

function withoutEmpty(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

/** An answer without the parts that are different each time. */
function withoutRandomParts(text: string): string {
  return (
    text
      .replaceAll(/<<<[0-9a-f]{12}|[0-9a-f]{12}>>>|\b[0-9a-f]{12}\b/g, 'fence')
      .replaceAll(/req_[\w-]+|[\w-]{64}/g, 'one of many')
      // Cursors contain the second in which they were made.
      .replaceAll(/(_cursor\\*": ?\\*")[\w-]+/g, '$1a cursor')
  )
}

onEitherEngine('HO-1 a call gets the same answer without a protocol server as with one', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX, 'Inbox')
  await server.ingest('messages', connection, [
    message('m1', { subject: 'Tides', body: 'High at noon. '.repeat(600) }),
    message('m2', {
      subject: 'Ebb',
      body: 'Low at six.',
      parts: [{ blob_id: 'b', mime_type: 'image/png' }],
    }),
  ])
  const token = await server.grant({ streams: ['messages'], fields: ['id', 'subject', 'body', 'parts'] })
  const id = `${connection}/messages:m1`
  const calls: [string, unknown][] = [
    ['schema', {}],
    ['schema', undefined],
    ['search', { q: 'noon' }],
    ['search', { query: 'nowhere' }],
    ['search', { query: 'noon', limit: '5', wait_for_previous: true }],
    ['query_records', { stream: 'messages' }],
    ['fetch', { id }],
    ['fetch', { id: `${connection}/messages:m2` }],
    ['fetch', { id: `${connection}/messages:never` }],
    ['fetch', { id: `${connection}/notes:n1` }],
    ['fetch', {}],
    ['fetch', { id, never: 1 }],
    ['fetch', [id]],
    ['read_record_field', { id, field_path: 'body', offset_chars: 100, limit_chars: 40 }],
    ['aggregate', { stream: 'messages' }],
    ['never', {}],
  ]
  const answered = async (version: string, name: string, args: unknown) => {
    const params = { name, ...(args === undefined ? {} : { arguments: args }), _meta: metaOf(version) }
    const response = await server.request('/mcp', { token, ...init({ params }) })
    const text = withoutRandomParts(await response.text())
    return { status: response.status, type: response.headers.get('Content-Type'), body: JSON.parse(text) }
  }
  await answered('known', 'schema', {})
  for (const [index, [name, args]] of calls.entries()) {
    const plain = await answered('known', name, args)
    assert.deepEqual(plain, await answered(`new ${index}`, name, args), `${name} ${JSON.stringify(args)}`)
  }
  const answeredEarlier = async (accepts: string, name: string, args: unknown) => {
    const params = { name, ...(args === undefined ? {} : { arguments: args }), _meta: { progressToken: 3 } }
    const Accept = `application/json, text/event-stream, text/${accepts}`
    const headers = { Accept, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': '', 'Mcp-Name': '' }
    const response = await server.request('/mcp', { token, ...init({ params, headers }) })
    const [event, data = '', ...end] = (await response.text()).split('\n')
    const { status } = response
    const told = ['Content-Type', 'Cache-Control', 'X-Accel-Buffering'].map(each =>
      response.headers.get(each),
    )
    return { status, told, event, body: JSON.parse(withoutRandomParts(data).slice('data: '.length)), end }
  }
  await answeredEarlier('known', 'schema', {})
  for (const [index, [name, args]] of calls.entries()) {
    const plain = await answeredEarlier('known', name, args)
    assert.deepEqual(
      plain,
      await answeredEarlier(`new-${index}`, name, args),
      `${name} ${JSON.stringify(args)}`,
    )
  }
  assert.equal(
    (await server.request('/mcp', { token: 'wrong', ...init({ params: { name: 'schema' } }) })).status,
    401,
  )
  assert.deepEqual(server.failures, [])
})

test('HO-1 only plain calls from clients that were accepted before are served without a protocol server', async () => {
  const served: string[] = []
  const endpoint = serveOverHttp(
    {
      createServer() {
        served.push('server')
        const server = new McpServer({ name: 'test', version: '1' })
        server.registerTool('look', {}, () => ({ content: [] }))
        return server
      },
      async call({ args }) {
        served.push(`plain ${JSON.stringify(args)}`)
        return Response.json({})
      },
    },
    {
      publicUrl: 'http://footnote.test',
      identify: () => ({ token: 't', known: true, kind: Promise.resolve('client') }),
    },
  )
  const ask = async (asked: Asked) => {
    served.length = 0
    await endpoint.fetch(new Request('http://footnote.test/mcp', init(asked)), 'req_test')
    return served.join()
  }
  const params = { name: 'look', _meta: metaOf('1') }
  assert.equal(await ask({ params }), 'server', 'the library looks at a client first')
  assert.equal(await ask({ params: { ...params, arguments: { a: 1 } } }), 'plain {"a":1}')
  assert.equal(await ask({ params: { ...params, _meta: metaOf('2') } }), 'server')
  assert.equal(await ask({ params: { ...params, _meta: metaOf('2') } }), 'plain undefined')

  const asking = { ...params, _meta: metaOf('3', { [CAPABILITIES]: { elicitation: { url: {} } } }) }
  const progress = { ...params, _meta: metaOf('3', { progressToken: 1 }) }
  const refused = { ...params, _meta: metaOf('3', { [CAPABILITIES]: { roots: 'all' } }) }
  const others: Asked[] = [
    { params: asking },
    { params: { ...params, requestState: 'x' } },
    { params: { ...params, inputResponses: {} } },
    { params: { ...params, arguments: { text: 'x'.repeat(5_000) } } },
    { params: refused },
    { params, members: { id: 1.5 } },
    { params, members: { id: null } },
    { params, members: { more: 1 } },
    { params, headers: { 'Mcp-Name': 'other' } },
    { params, headers: { 'Mcp-Method': 'tools/list' } },
    { params, headers: { 'MCP-Protocol-Version': '2025-11-25' } },
    { params, headers: { 'Content-Type': 'text/plain' } },
  ]
  const earlier = (_meta?: object, headers = {}): Asked => ({
    params: { name: 'look', ...(_meta && { _meta }) },
    headers: { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': '', 'Mcp-Name': '', ...headers },
  })
  assert.equal(await ask(earlier()), 'server')
  assert.equal(await ask(earlier()), 'plain undefined')
  assert.equal(await ask(earlier({ progressToken: 'p', 'host/call': { n: 1 } })), 'plain undefined')
  assert.equal(await ask(earlier({}, { 'MCP-Protocol-Version': '2025-06-18' })), 'server')
  assert.equal(await ask(earlier({}, { 'Mcp-Session-Id': 'apps-1' })), 'server')
  others.push(
    earlier({ progressToken: {} }),
    earlier({ 'io.modelcontextprotocol/related-task': { taskId: 't' } }),
    earlier({ plainName: 1 }),
    earlier({}, { 'Mcp-Name': 'look' }),
    earlier({}, { 'Content-Type': 'text/plain' }),
    earlier({}, { 'MCP-Protocol-Version': '1999-01-01' }),
    earlier({}, { Accept: 'application/json' }),
  )
  for (const other of others)
    for (let time = 0; time < 2; time++)
      assert.doesNotMatch(await ask(other), /plain/, JSON.stringify(other).slice(0, 300))
  assert.equal(await ask({ params: progress }), 'server')
  assert.equal(await ask({ params }), 'plain undefined', 'the others have changed nothing')
  await endpoint.close()
})
