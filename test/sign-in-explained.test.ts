import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { originAsked, originsOf } from '../src/model/loopback.ts'
import { Asking, AuthorizationWorld, decideEverything, REDIRECT, Visitor } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { MCP_HEADERS } from './mcp-post.ts'
import { OAuthApp } from './oauth-app.ts'

const DOCUMENT = 'https://app.example/client.json'
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** The error that Node reports on a computer without internet access. */
const noEgress = (async () => {
  throw Object.assign(new Error('getaddrinfo EAI_AGAIN app.example'), { code: 'EAI_AGAIN' })
}) as typeof fetch

onEitherEngine('HO-7 without egress, page and log explain how to allow a client document', async engine => {
  await using world = await AuthorizationWorld.start(engine, { fetch: noEgress })
  const page = await new Asking(world, DOCUMENT).open(await world.signedIn())
  assert.equal(page.status, 400)
  assert.match(page.html, /app\.example\/client\.json/)
  assert.match(page.html, /--client-documents off/)
  assert.match(page.html, /connect again in the app/)
  assert.ok(world.failures.length > 0)
  for (const failure of world.failures as Error[])
    assert.match(failure.message, /app\.example\/client\.json.*EAI_AGAIN.*--client-documents off/)
  for (const request_id of world.failedRequests) assert.match(request_id, /^req_/)
})

onEitherEngine('refused client documents do not fill the log', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const page = await new Asking(world, 'https://127.0.0.1/client.json').open(await world.signedIn())
  assert.match(page.html, /--client-documents off/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('HO-7 a sign-in link leads back to the waiting consent, once', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const { client_id } = (await world.register()).body
  const asking = new Asking(world, client_id)
  const visitor = new Visitor(world.url)
  const waiting = await asking.open(visitor)
  assert.match(waiting.url, /\/sign-in\?return_to=%2Foauth%2Fconsent%2F/)
  assert.match(waiting.html, /footnote sign-in-link/)
  assert.match(waiting.html, /takes you back/)
  const opened = await visitor.get(`/sign-in?link=${await world.signInLink()}`)
  const consent = await visitor.submit(opened, {})
  assert.match(consent.url, /\/oauth\/consent\//)
  assert.match(await asking.approve(visitor, consent), /^[\w-]{20,}$/)
  const again = await visitor.get(`/sign-in?link=${await world.signInLink()}`)
  assert.equal(new URL((await visitor.submit(again, {})).url).pathname, '/')
  const other = new Visitor(world.url)
  const elsewhere = await other.get(`/sign-in?link=${await world.signInLink()}`)
  assert.equal(
    new URL((await other.submit(elsewhere, {})).url).pathname,
    '/',
    'another browser waits for nothing',
  )
})

onEitherEngine('a waiting page is a path of this server, whatever the cookie says', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  for (const value of [
    'https%3A%2F%2Fevil.example',
    '%2F%2Fevil.example',
    '%E0%A4%A',
    'javascript%3Aalert(1)',
  ]) {
    const response = await fetch(`${world.url}/sign-in?link=abc`, {
      headers: { Cookie: `footnote-waiting=${value}` },
    })
    assert.equal(response.status, 200)
    assert.match(await response.text(), /name="return_to" value="\/"/, value)
  }
})

onEitherEngine(
  'HO-7 a trailing slash works, and the address of the pages points to the address of MCP',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { access_token } = await world.connect(owner)
    const post = (path: string, token: string | null) =>
      world.call(path, token, { method: 'POST', headers: MCP_HEADERS, body: LIST })
    for (const path of ['/mcp', '/mcp/research']) {
      const refused = await post(`${path}/`, null)
      assert.equal(refused.status, 401)
      const metadata = `${world.url}/.well-known/oauth-protected-resource${path}"`
      assert.ok(refused.headers.get('WWW-Authenticate')?.includes(metadata), path)
      const headers = { ...MCP_HEADERS, Authorization: `Bearer ${access_token}` }
      const init = { method: 'POST', headers, body: LIST }
      const [plain, slashed] = await Promise.all(
        [path, `${path}/`].map(async each => (await fetch(world.url + each, init)).text()),
      )
      assert.equal(slashed, plain)
      assert.match(plain ?? '', /"search"/)
    }
    for (const token of [null, access_token]) {
      const { status, body } = await post('/', token)
      assert.equal(status, 404)
      assert.equal(body.error.code, 'not_found')
      assert.ok(body.error.message.endsWith(`this address: ${world.url}/mcp`), body.error.message)
    }
    assert.equal((await owner.get('/')).status, 200)
  },
)

onEitherEngine(
  'HO-7 clients can use localhost and 127.0.0.1 alike, and browsers are sent to one of them',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const local = world.url.replace('127.0.0.1', 'localhost')
    const response = await fetch(`${local}/mcp`, { method: 'POST', headers: MCP_HEADERS, body: LIST })
    const metadata = `${local}/.well-known/oauth-protected-resource/mcp`
    assert.ok(response.headers.get('WWW-Authenticate')?.includes(`"${metadata}"`))
    const described = (await (await fetch(metadata)).json()) as Record<string, unknown>
    assert.equal(described.resource, `${local}/mcp`)
    assert.deepEqual(described.authorization_servers, [world.url])
    const plain = await fetch(`${local}/v1/schema`)
    assert.ok(plain.headers.get('WWW-Authenticate')?.includes(`"${local}/.well-known/`))

    await using app = await OAuthApp.start(local)
    const asked = await app.connect()
    assert.ok(asked instanceof URL)
    assert.equal(asked.origin, world.url)
    await app.finish(await decideEverything(owner, asked))
    const client = await app.connect()
    assert.ok(client instanceof Client)
    await using _ = { [Symbol.asyncDispose]: () => client.close() }
    assert.equal((await client.listTools()).tools.length > 2, true)

    const page = await fetch(`${local}/apps?x=1`, { headers: { Accept: 'text/html' }, redirect: 'manual' })
    assert.deepEqual([page.status, page.headers.get('Location')], [307, `${world.url}/apps?x=1`])
  },
)

test('only names of this computer with the same port count as a server on loopback', () => {
  const loopback = 'http://127.0.0.1:7007'
  const asked = (publicUrl: string, origin: string) => originAsked(publicUrl, { url: `${origin}/mcp` })
  for (const origin of ['http://localhost:7007', 'http://[::1]:7007', loopback])
    assert.equal(asked(loopback, origin), origin)
  for (const origin of [
    'http://localhost:7008',
    'https://localhost:7007',
    'http://localhost.evil.example:7007',
  ])
    assert.equal(asked(loopback, origin), loopback)
  assert.equal(asked('https://data.example', 'http://localhost:7007'), 'https://data.example')
  assert.deepEqual(originsOf('https://localhost'), ['https://localhost'])
})

onEitherEngine('HO-7 a published document does not prove which local program is asking', async engine => {
  const redirect_uris = [REDIRECT, 'https://app.example/cb', 'com.example.app:/cb']
  const document = { client_id: DOCUMENT, client_name: 'Document app', redirect_uris }
  const documents = (async () => Response.json(document)) as typeof fetch
  await using world = await AuthorizationWorld.start(engine, { fetch: documents })
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const warned = /any program on the device[^<]*Continue only if you have just started this in the app/
  for (const redirect_uri of redirect_uris) {
    const { html } = await new Asking(world, DOCUMENT).open(owner, { redirect_uri })
    if (redirect_uri.startsWith('https:')) {
      assert.match(html, /Published by app\.example\./)
      assert.doesNotMatch(html, warned)
    } else assert.match(html, warned, redirect_uri)
  }
})

onEitherEngine(
  'HO-7 only pages of the allowed origins, of this computer and of the server may call MCP',
  async engine => {
    const origin = 'https://chat.example'
    await using world = await AuthorizationWorld.start(engine, { allowedOrigins: [origin] })
    await using closed = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const { access_token } = await world.connect(await world.signedIn())
    const ask = (at: AuthorizationWorld, method: string, Origin: string, path = '/mcp') =>
      fetch(at.url + path, {
        method,
        headers: { ...MCP_HEADERS, Origin, Authorization: `Bearer ${access_token}` },
        ...(method === 'POST' ? { body: LIST } : {}),
      })
    for (const path of ['/mcp', '/mcp/research', '/mcp/']) {
      for (const page of [origin, 'http://localhost:6274', 'http://[::1]:6274', world.url]) {
        const before = await ask(world, 'OPTIONS', page, path)
        assert.equal(before.status, 204, page)
        assert.equal(before.headers.get('Access-Control-Allow-Origin'), page)
        assert.match(before.headers.get('Access-Control-Allow-Headers') ?? '', /Authorization.*Mcp-Method/)
        assert.equal(before.headers.get('Access-Control-Allow-Credentials'), null)
        const called = await ask(world, 'POST', page, path)
        assert.equal(called.status, 200)
        assert.equal(called.headers.get('Access-Control-Allow-Origin'), page)
        assert.match(await called.text(), /"search"/)
      }
    }
    const signedOut = await fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: { ...MCP_HEADERS, Origin: origin },
      body: LIST,
    })
    assert.equal(signedOut.status, 401)
    assert.match(signedOut.headers.get('Access-Control-Expose-Headers') ?? '', /WWW-Authenticate/)
    const others = [
      'https://chat.example.evil.test',
      'http://chat.example',
      'https://chat.example:8443',
      'null',
    ]
    for (const other of others) {
      for (const method of ['OPTIONS', 'POST']) {
        const refused = await ask(world, method, other)
        assert.equal(refused.headers.get('Access-Control-Allow-Origin'), null, other)
        assert.equal(refused.status, 403, other)
      }
    }
    assert.equal((await ask(closed, 'POST', origin)).status, 403)
    const metadata = `${world.url}/.well-known/oauth-protected-resource/mcp`
    for (const method of ['GET', 'OPTIONS'])
      assert.equal((await fetch(metadata, { method })).headers.get('Access-Control-Allow-Origin'), '*')
  },
)

onEitherEngine('pages show commands as the owner has to type them', async engine => {
  const spelled = (text: string) => text.replaceAll('footnote ', 'npm exec -- footnote ')
  await using world = await AuthorizationWorld.start(engine, { spelled, lastBackup: () => null })
  const start = await new Visitor(world.url).get('/')
  assert.match(start.html, />npm exec -- footnote sign-in-link</)
  const owner = await world.signedIn()
  const pages = ['/settings', '/import', '/sources', '/sources/kept', '/connect', '/connect?client=chatgpt']
  for (const path of pages) {
    const { html } = await owner.get(path)
    assert.match(html, /npm exec -- footnote [a-z]/, path)
    assert.doesNotMatch(html, /(?<!npm exec -- |--scope user )footnote [a-z]/, path)
  }
})
