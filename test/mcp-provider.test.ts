import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { PROVIDER_TIMEOUT_MS } from '../src/mcp/reading/resource-server-client.ts'
import { ERAS, errorIn, type Loose } from './mcp-client.ts'
import { type Connected, connectHttp, connectStdio, serveEndpoint, TRANSPORTS } from './mcp-connections.ts'
import { MCP_HEADERS } from './mcp-post.ts'
import { answer, eventually, type StubProvider, startStub } from './stub-provider.ts'

const TYPED = {
  error: {
    type: 'conflict_error',
    code: 'ambiguous_connection',
    message: 'Say which.',
    request_id: 'req_7',
    retry_with: 'connection_id',
    available_connections: [{ connection_id: 'cin_a', connector_key: 'mailbox', display_name: 'A' }],
  },
}

/** How a resource server may misbehave, by search word, and the error that the model gets. */
const MISBEHAVIOURS: Record<string, { behave(response: ServerResponse, url: string): void; error: object }> =
  {
    hangs: { behave() {}, error: { code: 'provider_timeout', status: 504 } },
    stalls: {
      behave: response => begin(response),
      error: { code: 'provider_timeout', status: 504 },
    },
    breaks: {
      behave(response) {
        begin(response)
        setTimeout(() => response.destroy(), 20)
      },
      error: { code: 'provider_unavailable', status: 502 },
    },
    resets: {
      behave: response => response.destroy(),
      error: { code: 'provider_unavailable', status: 502 },
    },
    redirects: {
      behave(response, url) {
        response.writeHead(307, { Location: `${url}/elsewhere` })
        response.end()
      },
      error: { code: 'provider_unavailable', status: 502 },
    },
    gateway: {
      behave(response) {
        response.writeHead(502, { 'Content-Type': 'text/html' })
        response.end('<html>Bad gateway')
      },
      error: { code: 'provider_error', status: 502 },
    },
    scalar: {
      behave: response => answer(response, 200, 7),
      error: { code: 'provider_unavailable', status: 502 },
    },
    floods: {
      behave: response => answer(response, 200, { data: 'x'.repeat(5 << 20) }),
      error: { code: 'provider_answer_too_large', status: 502 },
    },
    refuses: {
      behave: response => answer(response, 409, TYPED),
      error: { ...TYPED.error, type: undefined, status: 409 },
    },
  }

/** A plain resource server that misbehaves according to the search word. */
function misbehaving(): Promise<StubProvider> {
  return startStub((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub.test')
    if (pathname.startsWith('/.well-known')) return answer(response, 404, {})
    MISBEHAVIOURS[searchParams.get('q') ?? '']?.behave(response, `http://${request.headers.host}`)
  })
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write('{"object":"list","data":[')
}

async function errorOf({ client }: Connected, name: string, args: object): Promise<Loose> {
  const result: Loose = await client.callTool({ name, arguments: { ...args } })
  assert.equal(result.isError, true, JSON.stringify(result))
  assert.equal(result.structuredContent, undefined)
  assert.equal(result.content.length, 1)
  return errorIn(result.content[0].text)
}

for (const era of ERAS) {
  test(`ER-1 ER-2 ER-3 whatever a resource server does wrong is told as a typed error (${era})`, async () => {
    await using stub = await misbehaving()
    await using endpoint = await serveEndpoint(stub.url)
    await using hasty = await serveEndpoint(stub.url, 150)
    await using strict = await connectHttp(endpoint.url, 'token', era)
    await using impatient = await connectHttp(hasty.url, 'token', era)
    for (const [query, { error }] of Object.entries(MISBEHAVIOURS)) {
      const late = 'status' in error && error.status === 504
      const { message, ...told } = await errorOf(late ? impatient : strict, 'search', { query })
      const { message: _, type: __, ...expected } = error as Record<string, unknown>
      assert.deepEqual(told, expected, query)
      assert.ok(message.length >= 10, query)
    }
    assert.deepEqual(
      [...endpoint.failures, ...hasty.failures],
      [],
      'none of this is a failure of the adapter',
    )
    assert.ok(!stub.seen.includes('/elsewhere'), 'a token is not carried to another address')
  })

  test(`ER-1 ER-3 every tool tells that its resource server is not there (${era})`, async () => {
    const stub = await startStub(() => {})
    await stub[Symbol.asyncDispose]()
    await using endpoint = await serveEndpoint(stub.url)
    await using strict = await connectHttp(endpoint.url, 'token', era)
    for (const [name, args] of [
      ['schema', {}],
      ['query_records', { stream: 'messages' }],
      ['aggregate', { stream: 'messages' }],
      ['search', { query: 'x' }],
      ['fetch', { id: 'cin_a/messages:1' }],
      ['read_record_field', { id: 'cin_a/messages:1', field_path: 'body' }],
    ] as const) {
      const { code, status, message } = await errorOf(strict, name, args)
      assert.deepEqual([code, status], ['provider_unavailable', 502], name)
      assert.match(message, /Check that it runs/)
    }
    const unknown = await strict.client.callTool({ name: 'delete_record', arguments: {} }).then(
      () => null,
      (error: { code: number; message: string }) => error,
    )
    assert.equal(unknown?.code, -32602)
    await assert.rejects(strict.client.readResource({ uri: 'pdpp://record/x' }))
    assert.deepEqual(endpoint.failures, [])
  })
}

for (const era of ERAS) {
  for (const transport of TRANSPORTS) {
    // Without a session, the cancel notification of a 2025 client has no effect; closing the connection cancels the
    // call instead.
    if (era === '2025-11-25' && transport === 'http') continue
    test(`HO-1 a cancelled call is cancelled at the resource server (${era}, ${transport})`, async () => {
      await using stub = await misbehaving()
      await using endpoint = await serveEndpoint(stub.url)
      await using strict = await (transport === 'http'
        ? connectHttp(endpoint.url, 'token', era)
        : connectStdio(stub.url, 'token', era))
      const controller = new AbortController()
      const args = { name: 'search', arguments: { query: 'hangs' } }
      const call = strict.client.callTool(args, { signal: controller.signal })
      await eventually(() => stub.seen.some(path => path.startsWith('/v1/search')), 'the search arrives')
      controller.abort()
      await assert.rejects(call)
      await eventually(() => stub.abandoned.some(path => path.startsWith('/v1/search')), 'it is abandoned')
      const { code } = await errorOf(strict, 'search', { query: 'gateway' })
      assert.equal(code, 'provider_error', 'the connection serves on')
      assert.deepEqual(endpoint.failures, [], 'a cancelled call is no failure')
    })
  }

  test(`HO-1 a closed connection cancels at the resource server (${era})`, async () => {
    await using stub = await misbehaving()
    await using endpoint = await serveEndpoint(stub.url)
    const controller = new AbortController()
    const call = fetch(`${endpoint.url}/mcp`, { ...toolCall(era, 'hangs'), signal: controller.signal })
    const ended = call.then(response => response.text())
    await eventually(() => stub.seen.some(path => path.startsWith('/v1/search')), 'the search arrives')
    controller.abort()
    await assert.rejects(ended)
    await eventually(() => stub.abandoned.some(path => path.startsWith('/v1/search')), 'it is abandoned')
    assert.deepEqual(endpoint.failures, [])
  })
}

test('requests to the resource server are abandoned after thirty seconds', async () => {
  assert.equal(PROVIDER_TIMEOUT_MS, 30_000)
  await using stub = await misbehaving()
  await using endpoint = await serveEndpoint(stub.url, 150)
  await using strict = await connectHttp(endpoint.url, 'token', '2026-07-28')
  const { message } = await errorOf(strict, 'search', { query: 'hangs' })
  assert.match(message, /within 0\.15 seconds/)
  await eventually(() => stub.abandoned.some(path => path.startsWith('/v1/search')), 'it is abandoned')
})

test('a resource server that could not be reached is asked again what it offers; one that answered is not', async () => {
  let asked = 0
  await using stub = await startStub((request, response) => {
    if (!request.url?.startsWith('/.well-known')) return answer(response, 200, { object: 'list', data: [] })
    asked++
    if (asked === 1) response.destroy()
    else answer(response, 503, {})
  })
  await using endpoint = await serveEndpoint(stub.url)
  await using strict = await connectHttp(endpoint.url, 'token', '2026-07-28')
  assert.equal((await errorOf(strict, 'search', { query: 'x' })).code, 'provider_unavailable')
  for (let calls = 0; calls < 4; calls++) {
    const result = await strict.client.callTool({ name: 'search', arguments: { query: 'x' } })
    assert.notEqual(result.isError, true, JSON.stringify(result))
  }
  assert.equal(asked, 2)
})

/** The HTTP request for a call of `search`. */
function toolCall(era: string, query: string): RequestInit {
  const modern = era === '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'search', arguments: { query }, ...(modern ? { _meta } : {}) }
  return {
    method: 'POST',
    headers: {
      Authorization: 'Bearer token',
      ...MCP_HEADERS,
      'MCP-Protocol-Version': era,
      ...(modern ? { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'search' } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}
