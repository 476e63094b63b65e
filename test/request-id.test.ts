import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { test } from 'node:test'
import { createMcpEndpoint } from '../src/mcp/protocol/http.ts'
import type { Provider } from '../src/mcp/reading/resource-server-client.ts'
import { IdentifiedResponse, requestIdOf } from '../src/origin/dispatcher.ts'
import type { Database } from '../src/store/engine/database.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { goodClient } from './good-client.ts'
import { MCP_HEADERS } from './mcp-post.ts'

const REQUEST_ID = /^req_[\w-]{16}$/
const VERSION = '2026-04-06'
const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const MCP = { ...MCP_HEADERS, 'MCP-Protocol-Version': '2025-11-25' }

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
}

interface Seen {
  status: number | undefined
  id: string
  text: string
}

/** A request with any headers, including `Host`, that does not follow redirects. */
async function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Seen> {
  const sent = request(url, { method, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const ids = response.rawHeaders.filter((_, i, all) => i % 2 === 1 && /^request-id$/i.test(all[i - 1] ?? ''))
  assert.equal(ids.length, 1, `${method} ${url} has ${ids.length} ids`)
  assert.equal(response.headers['pdpp-version'], VERSION, `${method} ${url}`)
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, id: ids[0] ?? '', text }
}

test('PC-88 every response has its own Request-Id and the PDPP-Version', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const connection = await world.mailbox('Work mail')
  const owner = { Authorization: `Bearer ${world.ownerToken}` }
  const made = await world.own('POST', '/v1/owner/grants', { client_name: 'App' })
  const client = { ...MCP, Authorization: `Bearer ${made.access_token}` }
  const link = new URLSearchParams({ link: await world.signInLink() }).toString()
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const json = { 'Content-Type': 'application/json' }
  const app = JSON.stringify({ client_name: 'App', redirect_uris: ['http://127.0.0.1:1/callback'] })
  const record = `/r/${connection}/messages/m1`

  const session = await fetch(`${world.url}/sign-in`, {
    method: 'POST',
    headers: { Origin: world.url },
    body: new URLSearchParams(link),
    redirect: 'manual',
  })
  const signedIn = { Cookie: (session.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' }

  const requests: [path: string, status: number, asked?: Asked][] = [
    ['/healthz', 200],
    ['/v1/schema', 200, { headers: owner }],
    ['/v1/schema', 401],
    ['/v1/schema?nope=1', 400, { headers: owner }],
    ['/v1/nothing', 404, { headers: owner }],
    ['/v1/schema', 405, { method: 'PUT', headers: owner }],
    ['/nothing', 404],
    ['/.well-known/oauth-protected-resource', 200],
    ['/.well-known/oauth-protected-resource/mcp', 200],
    ['/.well-known/oauth-authorization-server', 200],
    ['/.well-known/nothing', 404],
    ['/mcp', 200, { method: 'POST', headers: client, body: LIST_TOOLS }],
    ['/mcp', 401, { method: 'POST', headers: MCP, body: LIST_TOOLS }],
    ['/mcp', 401, { method: 'POST', headers: { ...MCP, Authorization: 'Bearer x' }, body: LIST_TOOLS }],
    ['/mcp', 403, { method: 'POST', headers: { ...MCP, ...owner }, body: LIST_TOOLS }],
    ['/mcp', 403, { method: 'POST', headers: { ...client, Host: 'evil.test' }, body: LIST_TOOLS }],
    ['/mcp', 403, { method: 'POST', headers: { ...client, Origin: 'https://evil.test' }, body: LIST_TOOLS }],
    ['/mcp', 400, { method: 'POST', headers: client, body: '{' }],
    ['/mcp', 405, { headers: client }],
    [record, 303],
    [record, 200, { headers: signedIn }],
    [`${record}0`, 404, { headers: signedIn }],
    ['/', 303],
    ['/apps', 303],
    ['/apps', 200, { headers: signedIn }],
    ['/sign-in', 200],
    ['/sign-in', 403, { method: 'POST', headers: { ...form, Origin: 'https://evil.test' }, body: 'link=x' }],
    ['/sign-out', 405],
    ['/oauth/consent/nothing', 410, { headers: signedIn }],
    ['/oauth/authorize', 400],
    ['/oauth/authorize/nothing', 400],
    ['/oauth/device', 200],
    ['/oauth/token', 400, { method: 'POST', headers: form, body: 'grant_type=x' }],
    ['/oauth/token', 204, { method: 'OPTIONS' }],
    ['/oauth/register', 201, { method: 'POST', headers: json, body: app }],
    ['/oauth/register', 400, { method: 'POST', headers: json, body: '{' }],
    ['/oauth/jwks', 404],
  ]
  const ids = new Set<string>()
  for (const [path, status, asked = {}] of requests) {
    const name = `${asked.method ?? 'GET'} ${path}`
    const seen = await ask(world.url + path, asked)
    assert.equal(seen.status, status, `${name}: ${seen.text}`)
    assert.match(seen.id, REQUEST_ID, name)
    ids.add(seen.id)
    if (!/^\/(?:v1|mcp)\b/.test(path) || status < 400) continue
    const { error } = JSON.parse(seen.text)
    assert.equal(error.request_id ?? error.data?.request_id, seen.id, `${name}: ${seen.text}`)
  }
  assert.equal(ids.size, requests.length, 'no id comes twice')
  // PC-25: another version is refused before anything is done, whatever the request is.
  for (const [path, , asked = {}] of requests) {
    const name = `${asked.method ?? 'GET'} ${path}`
    const headers = { ...asked.headers, 'PDPP-Version': '2020-01-01' }
    const other = await ask(world.url + path, { ...asked, headers })
    assert.equal(other.status, 400, `${name}: ${other.text}`)
    assert.match(other.text, /unsupported_version/, name)
    const same = await ask(world.url + path, {
      ...asked,
      headers: { ...asked.headers, 'PDPP-Version': VERSION },
    })
    assert.doesNotMatch(same.text, /unsupported_version/, name)
  }
  assert.deepEqual(world.failures, [])
})

test('a request that is refused before any part sees it has a Request-Id too', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.end('GET /v1/schema HTTP/1.1\r\n\r\n')
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += chunk
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.match(text, /^Request-Id: req_[\w-]{16}\r$/m)
  assert.match(text, /^PDPP-Version: 2026-04-06\r$/m)
})

test('removing all headers from a response keeps its Request-Id, and passing on others does not change it', () => {
  const heads: ((response: ServerResponse) => void)[] = [
    response => {
      response.setHeader('Content-Type', 'text/html')
      for (const name of response.getHeaderNames()) response.removeHeader(name)
      response.flushHeaders()
    },
    response => response.writeHead(200),
    response => response.writeHead(200, 'Fine', { 'Content-Type': 'text/html' }),
    response => response.writeHead(200, { 'request-id': 'req_other', 'pdpp-version': 'other' }),
    response => response.setHeader('Request-Id', 'req_other').writeHead(200),
  ]
  for (const write of heads) {
    const response = new IdentifiedResponse(new IncomingMessage(new Socket()))
    write(response)
    const { _header: head } = response as unknown as { _header: string }
    const values = (name: string) =>
      [...head.matchAll(new RegExp(`^${name}: (.*)\\r$`, 'gim'))].map(([, value]) => value)
    assert.deepEqual(values('Request-Id'), [requestIdOf(response)], head)
    assert.deepEqual(values('PDPP-Version'), [VERSION], head)
    assert.match(requestIdOf(response), REQUEST_ID)
  }
})

test('a failure is reported with the Request-Id of its response, whichever part failed', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const database: Partial<Database> = world.server.store.database
  const broken = async () => {
    throw new Error('the disk is gone')
  }
  Object.assign(database, { get: broken, all: broken })
  try {
    for (const path of ['/v1/schema', '/r/cin_x/messages/m1', '/apps', '/oauth/authorize?client_id=x']) {
      const answer = await owner.get(path, { Authorization: `Bearer ${world.ownerToken}` })
      assert.equal(answer.status, 500, `${path}: ${answer.html}`)
      const request_id = answer.headers.get('Request-Id') ?? ''
      assert.deepEqual(world.failedRequests.splice(0), [request_id], path)
      const isPage = answer.html.startsWith('<!doctype html>')
      assert.equal(isPage, path !== '/v1/schema', path)
      if (isPage) assert.match(answer.html, new RegExp(`request: <code>${request_id}</code>`), path)
    }
  } finally {
    delete database.get
    delete database.all
  }
})

test('a failure of the adapter is reported with the id in its error', async () => {
  const told: string[] = []
  const provider = {
    url: 'http://127.0.0.1',
    timeoutMs: 1_000,
    send: async () => Response.json({}),
    cursors: {
      openWindow() {
        throw new Error('an unexpected failure')
      },
    },
  } as unknown as Provider
  const endpoint = createMcpEndpoint(
    { provider, version: '0', report: (_, request_id) => told.push(request_id) },
    { publicUrl: provider.url, identify: goodClient },
  )
  const args = { id: 'cin_a/messages:1', field_path: 'body', cursor: 'x' }
  const params = { name: 'read_record_field', arguments: args }
  const response = await endpoint.fetch(
    new Request(`${provider.url}/mcp`, {
      method: 'POST',
      headers: { ...MCP, Host: '127.0.0.1', Authorization: 'Bearer x' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }),
    'req_seven',
  )
  const text = await response.text()
  assert.deepEqual(told, ['req_seven'], text)
  assert.match(text, /api_error.*"request_id\\":\\"req_seven\\"/)
  await endpoint.close()
})
