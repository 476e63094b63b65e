import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMcpEndpoint } from '../src/mcp/protocol/http.ts'
import type { Provider } from '../src/mcp/reading/resource-server-client.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { onEitherEngine, onOneEngine, PROVING, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { ERAS, type Era } from './mcp-client.ts'
import { type Connected, connectHttp, connectStdio } from './mcp-connections.ts'
import { MCP_HEADERS } from './mcp-post.ts'
import { servedMailbox } from './served-mailbox.ts'

/** Each starts a process, so `npm test` only starts one. */
const STDIO_ERAS = PROVING ? ERAS : ERAS.slice(0, 1)
const LONG = `${'the quick brown fox '.repeat(1_000)}pelican ${'jumps over it '.repeat(1_000)}`

/** Calls of the tools, including ones that are refused. */
function callsFor(connection: string): [string, Record<string, unknown>][] {
  const id = `${connection}/messages:o1`
  return [
    ['schema', {}],
    ['schema', { stream: 'messages', detail: 'full' }],
    ['query_records', { stream: 'messages', limit: 2, count: true }],
    ['query_records', { stream: 'messages', filter: { received_at: { gte: '2026-01-01T00:00:00Z' } } }],
    ['aggregate', { stream: 'messages', group_by: 'from' }],
    ['search', { query: 'pelican' }],
    ['search', { query: 'fox', limit: 1 }],
    ['search', { query: 'jumps', within: id }],
    ['fetch', { id }],
    ['fetch', { id: `${connection}/messages:o2`, fields: ['subject'] }],
    ['read_record_field', { id, field_path: 'body' }],
    ['read_record_field', { id, field_path: 'body', q: 'PELICAN', before_chars: 20, after_chars: 20 }],
    ['fetch', { id: `${connection}/messages:none` }],
    ['fetch', { id: '../x' }],
    ['read_record_field', { id, field_path: 'size' }],
    ['query_records', { stream: 'secrets' }],
    ['query_records', { stream: 'messages', nope: 1 }],
  ]
}

/**
 * A value without the parts that are new in every answer: boundaries, encrypted cursors, request ids, the server
 * card.
 */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
  const boundary = /boundary\\*":\\*"(\w+)/.exec(text)?.[1]
  const same = boundary ? text.replaceAll(boundary, '(boundary)') : text
  const plain = JSON.parse(
    same.replace(/(cursor\\*":\\*")[\w-]{20,}/g, '$1(cursor)').replace(/req_[\w-]+/g, '(request)'),
  )
  if (plain._meta) delete plain._meta['io.modelcontextprotocol/serverInfo']
  if (plain._meta && Object.keys(plain._meta).length === 0) delete plain._meta
  for (const key of ['resultType', 'ttlMs', 'cacheScope']) delete plain[key]
  return plain
}

/** Everything that a client sees of a connection. */
async function everything({ client }: Connected, connection: string): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {
    instructions: client.getInstructions(),
    server: client.getServerVersion(),
    tools: comparable(await client.listTools()),
    prompts: comparable(await client.listPrompts()),
    prompt: comparable(await client.getPrompt({ name: 'find_and_cite', arguments: { question: 'Why?' } })),
    resources: comparable(await client.listResources()),
    templates: comparable(await client.listResourceTemplates()),
    record: comparable(await client.readResource({ uri: `pdpp://record/${connection}%2Fmessages%3Ao2` })),
  }
  for (const [name, args] of callsFor(connection)) {
    const result = await client.callTool({ name, arguments: args })
    seen[`${name} ${JSON.stringify(args)}`] = comparable(result)
  }
  return seen
}

onOneEngine(
  'HO-1 HO-5 both eras over stdio and HTTP give the same tools and the same answers',
  async engine => {
    await using mailbox = await servedMailbox(engine, [
      message('o1', { body: LONG, size: 7, subject: 'Minutes' }),
      message('o2', { body: 'a fox' }),
      message('o3', { from: 'bob@example.org', body: 'another fox' }),
    ])
    const { url, token, connection } = mailbox
    const views: Record<string, Record<string, unknown>> = {}
    for (const era of ERAS) {
      await using http = await connectHttp(url, token, era)
      views[`http ${era}`] = await everything(http, connection)
    }
    for (const era of STDIO_ERAS) {
      await using stdio = await connectStdio(url, token, era)
      views[`stdio ${era}`] = await everything(stdio, connection)
    }
    const [first, ...others] = Object.entries(views)
    assert.ok(first)
    for (const [name, view] of others) {
      for (const [what, shown] of Object.entries(first[1])) {
        assert.deepEqual(view[what], shown, `${what}: ${name} and ${first[0]}`)
      }
    }
    const { tools } = first[1].tools as { tools: { name: string; annotations: object }[] }
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS.map(({ name }) => name),
    )
    const refusals = Object.values(first[1]).filter(shown => (shown as { isError?: boolean }).isError)
    assert.equal(refusals.length, 5)
  },
)

const METADATA = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`

interface Posted {
  status: number
  headers: Headers
  text: string
}

/** A POST to `/mcp` without an SDK. */
async function post(
  server: TestServer,
  body: unknown,
  { token, headers = {}, era = '2025-11-25' }: { token: string | null; headers?: object; era?: Era },
): Promise<Posted> {
  const raw = typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body)
  const response = await server.request('/mcp', {
    method: 'POST',
    token,
    body: raw,
    headers: {
      Host: new URL(PUBLIC_URL).host,
      ...MCP_HEADERS,
      'MCP-Protocol-Version': era,
      ...(era === '2026-07-28' ? { 'Mcp-Method': (body as { method?: string }).method ?? '' } : {}),
      ...headers,
    },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const list = (era: Era, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/list',
  params:
    era === '2026-07-28'
      ? {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': era,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        }
      : {},
})
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

/** The messages of an answer, which is JSON or an event stream. */
function messagesOf({ headers, text }: Posted) {
  if (!headers.get('Content-Type')?.includes('text/event-stream')) return [JSON.parse(text)]
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

test('HO-1 no protocol version gets a session, and a claimed session is ignored', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    const opened = await post(server, initialize(revision), { token })
    assert.equal(messagesOf(opened)[0].result.protocolVersion, revision)
    assert.equal(opened.headers.get('Mcp-Session-Id'), null)
    const headers = { 'Mcp-Session-Id': 'claimed', 'MCP-Protocol-Version': revision }
    const listed = await post(server, list('2025-11-25'), { token, headers })
    assert.equal(messagesOf(listed)[0].result.tools.length, 7)
    assert.equal(listed.headers.get('Mcp-Session-Id'), null)
  }
  const modern = await post(server, list('2026-07-28'), { token, era: '2026-07-28' })
  assert.equal(modern.status, 200, modern.text)
  assert.equal(messagesOf(modern)[0].result.tools.length, 7)
  assert.equal(modern.headers.get('Mcp-Session-Id'), null)
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const headers = {
      Host: new URL(PUBLIC_URL).host,
      Accept: 'text/event-stream',
      'Mcp-Session-Id': 'claimed',
    }
    const response = await server.request('/mcp', { method, token, headers })
    assert.equal(response.status, 405, method)
    assert.equal(response.headers.get('Allow'), 'POST')
    assert.equal(response.headers.get('Mcp-Session-Id'), null)
  }
})

onEitherEngine(
  'HO-2 a missing or invalid token gets 401 and where to get a valid one; an owner token gets 403',
  async engine => {
    await using server = await TestServer.start(engine)
    await server.connect(MAILBOX)
    const made = await server.grants()
    const revoked = made.access_token
    assert.equal((await post(server, list('2025-11-25'), { token: revoked })).status, 200)
    await server.revoke(made)
    for (const era of ERAS) {
      const missing = await post(server, list(era), { token: null, era })
      assert.equal(missing.status, 401)
      assert.equal(missing.headers.get('WWW-Authenticate')?.includes(METADATA), true)
      assert.doesNotMatch(missing.headers.get('WWW-Authenticate') ?? '', /error=/)
      const bad = [
        'Bearer nope',
        `Bearer ${revoked}`,
        `Basic ${btoa('a:b')}`,
        'Bearer',
        'Bearer a b',
        'Bearer "',
      ]
      for (const Authorization of bad) {
        const refused = await post(server, list(era), { token: null, era, headers: { Authorization } })
        assert.equal(refused.status, 401, Authorization)
        assert.equal(refused.headers.get('WWW-Authenticate')?.includes(METADATA), true, Authorization)
        assert.equal(JSON.parse(refused.text).error.code, 'authentication_error')
        const known = /^Bearer [\w.-]+$/.test(Authorization)
        assert.equal(refused.headers.get('WWW-Authenticate')?.includes('error="invalid_token"'), known)
      }
      const owner = await post(server, list(era), { token: server.ownerToken, era })
      assert.equal(owner.status, 403)
      assert.equal(JSON.parse(owner.text).error.code, 'client_token_required')
    }
    const metadata = await server.json('/.well-known/oauth-protected-resource/mcp', { token: null })
    assert.equal(metadata.body.resource, `${PUBLIC_URL}/mcp`)
  },
)

test('HO-2 a token in the URL or in another header gives no access', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  const asked = await server.request(`/mcp?access_token=${token}`, {
    method: 'POST',
    token: null,
    headers: {
      Host: new URL(PUBLIC_URL).host,
      'X-Authorization': `Bearer ${token}`,
      Cookie: `token=${token}`,
    },
    body: JSON.stringify(list('2025-11-25')),
  })
  assert.equal(asked.status, 401)
})

test('hostile hosts and origins are refused before anything else is checked', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  const { host } = new URL(PUBLIC_URL)
  for (const era of ERAS) {
    for (const Host of [
      'evil.example',
      `${host}.evil.example`,
      'localhost.evil.example',
      '169.254.169.254',
      '',
    ]) {
      assert.equal((await post(server, list(era), { token, era, headers: { Host } })).status, 403, Host)
    }
    const origins = [
      'http://evil.example',
      'null',
      `${PUBLIC_URL}.evil.example`,
      'http://127.0.0.1@evil.example',
    ]
    for (const Origin of [
      ...origins,
      'http://localhost.evil.example',
      'file://',
      'chrome-extension://localhosts',
    ]) {
      for (const with_token of [token, null]) {
        const refused = await post(server, list(era), { token: with_token, era, headers: { Origin } })
        assert.equal(refused.status, 403, Origin)
      }
    }
    for (const headers of [
      { Host: `${host}:7007` },
      { Host: 'localhost:7007' },
      { Host: '127.0.0.1' },
      { Origin: PUBLIC_URL },
      { Origin: 'http://localhost:6274' },
    ]) {
      assert.equal(
        (await post(server, list(era), { token, era, headers })).status,
        200,
        JSON.stringify(headers),
      )
    }
  }
})

test('requests are bounded and malformed ones are answered as such', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  const code = ({ text }: Posted) => JSON.parse(text).error.code
  for (const era of ERAS) {
    const large = { ...list(era), padding: 'x'.repeat(64 * 1024) }
    assert.equal((await post(server, large, { token, era })).status, 413)
    for (const [body, expected] of [
      ['{"jsonrpc":', -32700],
      ['', -32700],
      ['null', -32600],
      ['[]', -32600],
      ['"text"', -32600],
      ['{"a":1}', -32600],
    ] as const) {
      const refused = await post(server, body, { token, era })
      assert.deepEqual([refused.status, code(refused)], [400, expected], body)
    }
  }
  let sent = 0
  const endless = new ReadableStream({
    pull(controller) {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536).fill(120))
    },
  })
  assert.equal((await post(server, endless, { token })).status, 413)
  assert.ok(sent < 1_000_000, 'an endless body is not read to its end')
  const plain = await post(server, list('2025-11-25'), { token, headers: { 'Content-Type': 'text/plain' } })
  assert.equal(plain.status, 415)
  const html = await post(server, list('2025-11-25'), { token, headers: { Accept: 'text/html' } })
  assert.equal(html.status, 406)
  assert.deepEqual(server.failures, [])
})

test('HO-1 a batch of 2025-03-26 is answered whole', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'schema', arguments: {} } }
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const headers = { 'MCP-Protocol-Version': '2025-03-26' }
  const answered = messagesOf(await post(server, [list('2025-11-25'), note, call], { token, headers }))
  assert.deepEqual(answered.map(({ id }) => id).sort(), [1, 2])
  assert.ok(answered.every(({ result }) => result && !result.isError))
})

test('HO-2 a token that was valid gets nothing once it is invalid, or once that cannot be determined', async () => {
  const provider = { url: PUBLIC_URL, timeoutMs: 1_000, send: async () => Response.json({}) }
  const verdicts: (() => Promise<'client' | null>)[] = [
    async () => 'client',
    async () => {
      throw new Error('the database is away')
    },
    async () => 'client',
    async () => null,
    async () => 'client',
  ]
  const endpoint = createMcpEndpoint(
    { provider: provider as unknown as Provider, version: '0', report: assert.fail },
    {
      publicUrl: PUBLIC_URL,
      identify: () => ({ token: 'x', known: true, kind: verdicts.shift()?.() ?? Promise.resolve(null) }),
    },
  )
  const ask = () =>
    endpoint.fetch(
      new Request(`${PUBLIC_URL}/mcp`, {
        method: 'POST',
        body: JSON.stringify(list('2025-11-25')),
        headers: {
          Host: new URL(PUBLIC_URL).host,
          Authorization: 'Bearer x',
          ...MCP_HEADERS,
          'MCP-Protocol-Version': '2025-11-25',
        },
      }),
      'req_one',
    )
  const seen: [number, boolean][] = []
  for (let n = 0; n < 5; n++) {
    const answer = await ask().catch(error => endpoint.refuse(error, 'req_one'))
    seen.push([answer.status, (await answer.text()).includes('read_record_field')])
  }
  assert.deepEqual(seen, [
    [200, true],
    [500, false],
    [200, true],
    [401, false],
    [200, true],
  ])
  await endpoint.close()
})
