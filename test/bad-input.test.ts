import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../src/model/errors.ts'
import { ROUTES } from '../src/resource-server/routes.ts'
import { LineSplitter, MAX_LINE_BYTES } from '../src/store/ingest/ndjson.ts'
import { count, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'

const HOSTILE_TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\n', '\u202e', '\uFFFD', '\u{10FFFD}', '👋🏽', "' OR 1=1 --"],
  ...['"; DROP TABLE records; --', '%', '_%', '$1', '?', '..', '../../etc/passwd', '..\\', '/', '//', '.'],
  ...['{"$gt":""}', '[]', '[object Object]', 'null', 'undefined', 'NaN', 'Infinity', '-0', '1e309', '-1'],
  ...['0', '99999999999999999999', '9007199254740993', '0x7f', 'true', '__proto__', 'constructor'],
  ...['toString', '<script>alert(1)</script>', '2026-13-45T99:99:99Z', '2026-01-01T00:00:60Z'],
  ...['-271821-04-20T00:00:00Z', 'Etc/GMT+99', 'beginning', 'exact', 'sha256-'],
  'x'.repeat(5_000),
  '漢'.repeat(2_000),
  '('.repeat(500),
  'cin_aaaaaa',
]

const SHAPE = ['type', 'code', 'message', 'request_id']

onEachEngine(
  'ER-1 hostile text in any parameter of any route never causes an internal error',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [message('m', { body: 'text '.repeat(5_000) })])
    const token = await server.grant()
    const fill: Record<string, string> = {
      ':stream': 'messages',
      ':record_id': 'm',
      ':connection_id': connection,
      ':grant_id': 'grt_x',
      ':blob_id': `sha256-${'0'.repeat(64)}`,
    }
    const address = (path: string, replace: Record<string, string> = {}) =>
      path.replace(/:\w+/g, name => replace[name] ?? encodeURIComponent(fill[name] ?? ''))
    // In `npm test` each text is sent to a part of the routes. Few texts reach the engine, so the second gets fewer.
    const every = engine === 'postgres' ? count(5, 1) : count(3, 1)
    let requests = 0
    const allowed = new Set([200, 201, 204, 304, 400, 403, 404, 405, 409, 410, 413, 415, 416, 422])
    const attempt = async (path: string, init: RequestInit & { token?: string | null }) => {
      requests++
      const response = await server.request(path, init)
      const text = await response.text()
      assert.ok(
        allowed.has(response.status),
        `${init.method} ${path.slice(0, 200)} → ${response.status} ${text.slice(0, 300)}`,
      )
      if (response.status < 400) return
      const { error } = JSON.parse(text)
      for (const member of SHAPE) assert.equal(typeof error[member], 'string', `${path} ${text}`)
      assert.equal(error.request_id, response.headers.get('Request-Id'))
      // An error is short, even if the refused value is long.
      assert.ok(text.length < 12_000 || init.method !== 'GET', `${path.slice(0, 100)} ${text.length}`)
    }
    for (const [no, route] of ROUTES.entries()) {
      const names = Object.keys(route.parameters).flatMap(name =>
        name === 'filter' || name === 'where'
          ? [`${name}[size]`, `${name}[received_at][gte]`, `${name}[from]`, `${name}[from][contains]`]
          : [name],
      )
      const segments = route.path.match(/:\w+/g) ?? []
      // Each time in a different place.
      for (const [n, text] of HOSTILE_TEXTS.entries()) {
        if ((n + no) % every !== 0) continue
        const encoded = encodeURIComponent(text)
        const places = [...names, ...segments, 'unknown']
        const spots =
          route.method === 'GET' ? places.filter((_, i) => i % 4 === n % 4) : [places[n % places.length]]
        for (const place of spots) {
          if (place === undefined) continue
          const path = place.startsWith(':')
            ? address(route.path, { [place]: encoded })
            : `${address(route.path)}?${encodeURIComponent(place)}=${encoded}${place === 'field' ? '' : '&field=body'.repeat(Number(route.path.endsWith('field-window')))}`
          const type = route.path.startsWith('/v1/ingest') ? 'application/x-ndjson' : 'application/json'
          const body = JSON.stringify(
            n % 2
              ? text
              : { client_name: text, source_id: text, display_name: text, declaration_version: text },
          )
          await attempt(path, {
            method: route.method,
            token: route.method === 'GET' && n % 2 ? token : server.ownerToken,
            ...(route.method === 'POST' || route.method === 'PATCH'
              ? { body, headers: { 'Content-Type': type } }
              : {}),
          })
        }
      }
    }
    for (const text of HOSTILE_TEXTS) {
      const encoded = encodeURIComponent(text)
      await attempt(`/v1/streams/messages/records?where[${encoded}]=1`, { method: 'GET', token })
      await attempt(`/v1/streams/messages/records?where[size][${encoded}]=1`, { method: 'GET', token })
      await attempt(`/v1/streams/messages/records?${encoded}`, { method: 'GET', token })
      await attempt(`/${encoded}`, { method: 'GET', token })
      if (/^[\x20-\x7e]*$/.test(text)) {
        const headers = { 'If-None-Match': text, Range: text, 'PDPP-Version': text, 'Content-Encoding': text }
        await attempt('/v1/streams/messages/records/m', { method: 'GET', token, headers })
      }
    }
    for (const raw of ['%', '%zz', '%ff', '%c0%af', '%E0%A4%A', '%00', '+', '%2e%2e', '%252e']) {
      await attempt(`/v1/streams/messages/records/${raw}`, { method: 'GET', token })
      await attempt(`/v1/streams/${raw}/records`, { method: 'GET', token })
      await attempt(`/v1/streams/messages/records?where[from]=${raw}&limit=${raw}`, { method: 'GET', token })
    }
    assert.ok(requests >= 300, `${requests} requests`)
    // After all this, the record still exists and can be read.
    assert.equal((await server.json('/v1/streams/messages/records?limit=1', { token })).status, 200)
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine(
  'ER-1 RS-3 broken and foreign tokens, wrong methods, unknown routes and oversized bodies get typed errors',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    const LIST = '/v1/streams/messages/records'
    const token = await server.grant()
    const last = token.at(-1) === 'A' ? 'B' : 'A'
    for (const header of [
      null,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      token,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.slice(0, -2)}${last}A`,
      `Bearer ${token.replace('fnc_', 'fno_')}`,
      `Bearer ${token.replace(/_o\w+?_/, '_oaaaaaaa_')}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token},`,
      `Bearer ${'x'.repeat(600)}`,
      "Bearer ' OR 1=1 --",
      'Bearer null',
    ]) {
      const headers: Record<string, string> = header === null ? {} : { Authorization: header }
      const answer = await server.json(LIST, { token: null, headers })
      assert.deepEqual([answer.status, answer.body.error.code], [401, 'authentication_error'], String(header))
      assert.equal(
        answer.headers.get('WWW-Authenticate'),
        `Bearer ${/^Bearer/.test(header ?? '') ? 'error="invalid_token", ' : ''}resource_metadata="http://footnote.test/.well-known/oauth-protected-resource", scope="read"`,
      )
      assert.ok(!JSON.stringify(answer.body).includes(token))
    }
    assert.equal(
      (await server.json(LIST, { token: null, headers: { Authorization: `bearer  ${token} ` } })).status,
      200,
    )

    for (const [method, path, allow] of [
      ['POST', LIST, 'GET, HEAD'],
      ['PUT', `${LIST}/x`, 'GET, HEAD, DELETE'],
      ['DELETE', '/v1/schema', 'GET, HEAD'],
      ['GET', '/v1/ingest/messages', 'POST'],
      ['PATCH', '/v1/owner/declarations', 'GET, HEAD, POST'],
      ['OPTIONS', '/v1/owner/grants', 'GET, HEAD, POST'],
      ['PUT', '/healthz', 'GET, HEAD'],
    ]) {
      const answer = await server.json(path ?? '', { method: method ?? '' })
      assert.deepEqual(
        [answer.status, answer.body.error.code, answer.headers.get('Allow')],
        [405, 'method_not_allowed', allow],
        path,
      )
    }
    for (const path of [
      '/',
      '/v1',
      '/v1/',
      '/v2/schema',
      '/v1/schemas',
      `${LIST}/`,
      `${LIST}/a/b`,
      '/v1/owner',
      '/V1/schema',
      '/.env',
    ]) {
      const answer = await server.json(path)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'not_found'], path)
      assert.match(answer.headers.get('Request-Id') ?? '', /^req_/)
    }

    const large = { source_id: MAILBOX.source.id, display_name: 'x'.repeat(1024 * 1024) }
    for (const path of ['/v1/owner/connections', '/v1/owner/declarations', '/v1/owner/grants']) {
      const answer = await server.post(path, large)
      assert.deepEqual(
        [answer.status, answer.body.error.code, answer.body.error.type],
        [413, 'body_too_large', 'too_large_error'],
      )
      for (const [body, type, status] of [
        ['{', 'application/json', 400],
        ['', 'application/json', 400],
        ['null', 'application/json', 400],
        [Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400],
        [`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'application/json', 400],
        [`{"client_name":"x","x":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, 'application/json', 400],
        [String.raw`{"client_name":"\ud800","source_id":"\u0000"}`, 'application/json', 400],
        ['{}', 'text/plain', 415],
        ['{}', '', 415],
      ] as [string | Uint8Array, string, number][]) {
        const refused = await server.json(path, { method: 'POST', body, headers: { 'Content-Type': type } })
        assert.equal(refused.status, status, `${path} ${body.slice(0, 40)} ${JSON.stringify(refused.body)}`)
      }
    }
    // A body of 1 MiB is still accepted.
    const padded = JSON.stringify({
      ...MAILBOX,
      ...source('padded'),
      extensions: { 'https://sources.example/padding': 'x'.repeat(1024 * 1024 - 4_000) },
    })
    assert.ok(padded.length <= 1024 * 1024)
    const taken = await server.post('/v1/owner/declarations', padded)
    assert.equal(taken.status, 201)

    const health = await server.json('/healthz', { token: null })
    assert.deepEqual([health.status, health.body.status], [200, 'ok'])
    assert.equal((await server.json('/healthz?x=1', { token: null })).status, 400)
    const metadata = await server.json('/.well-known/oauth-protected-resource', {
      token: null,
      headers: { Host: 'evil.example' },
    })
    assert.equal(metadata.body.resource, 'http://footnote.test')
    assert.ok(mail.length > 0)
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('ER-1 a token that sends too many requests is told when to retry', async engine => {
  await using server = await TestServer.start(engine, { rateLimit: { perSecond: 1, burst: 5 } })
  const statuses: number[] = []
  for (let n = 0; n < 7; n++) statuses.push((await server.json('/v1/streams')).status)
  assert.deepEqual(statuses.slice(0, 5), [200, 200, 200, 200, 200])
  const refused = await server.json('/v1/streams')
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limit_exceeded'])
  assert.ok(Number(refused.headers.get('Retry-After')) >= 1)
  server.clockOffsetMs = 3_000
  assert.equal((await server.json('/v1/streams')).status, 200)
})

test('ER-1 a line above 512 MiB is refused with 413, one below is not', () => {
  // Bytes that are not UTF-8 are counted but not kept, so the test itself uses little memory.
  const chunk = new Uint8Array(32 * 1024 * 1024).fill(0xff)
  const lines: unknown[] = []
  const splitter = new LineSplitter(line => lines.push(line))
  splitter.push(Buffer.from('{}\n'))
  for (let n = 0; n < MAX_LINE_BYTES / chunk.length; n++) splitter.push(chunk)
  assert.deepEqual(lines, [{ no: 1, text: '{}' }])
  assert.throws(
    () => splitter.push(Buffer.from('x')),
    (error: unknown) =>
      error instanceof CodedError &&
      error.code === 'line_too_large' &&
      error.status === 413 &&
      error.details.line === 2,
  )
})
