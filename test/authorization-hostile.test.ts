import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { isPublicAddress } from '../src/authorization-server/oauth/fetch-document.ts'
import { Asking, AuthorizationWorld, asking, DETAIL, REDIRECT, Visitor } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'

/** Counts everything that an attack could create. */
async function traces(world: AuthorizationWorld): Promise<unknown> {
  const { database } = world.server.store
  const count = async (sql: string) => Number((await database.get<{ n: number }>(sql))?.n)
  return {
    grants: await count('SELECT count(*) AS n FROM grants WHERE revoked_at IS NULL'),
    tokens: await count(`SELECT count(*) AS n FROM tokens WHERE kind = 'client'`),
    codes: await count(`SELECT count(*) AS n FROM oauth_artifacts WHERE model = 'AuthorizationCode'`),
    consents: await count('SELECT count(*) AS n FROM consents'),
  }
}

const NOTHING = { grants: 0, tokens: 0, codes: 0, consents: 0 }

onEitherEngine('redirects that are not registered are refused on a page, never followed', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { body } = await world.register({ redirect_uris: [REDIRECT, 'https://app.example/cb'] })
  const asking = new Asking(world, body.client_id)
  const tricks = [
    'https://evil.example/cb',
    'https://app.example.evil.example/cb',
    'https://app.example@evil.example/cb',
    'https://app.example/cb/../evil',
    'https://app.example/cb?next=https://evil.example',
    'https://app.example/cb#x',
    'https://app.example:8443/cb',
    'http://app.example/cb',
    'http://127.0.0.1:33333/callback/',
    'http://127.0.0.1.evil.example:33333/callback',
    'http://127.0.0.1:33333@evil.example/callback',
    'http://localhost:33333/callback',
    'https://127.0.0.1:33333/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
  ]
  for (const redirect_uri of tricks) {
    const page = await asking.open(owner, { redirect_uri })
    assert.equal(page.status, 400, redirect_uri)
    assert.equal(new URL(page.url).origin, world.url, redirect_uri)
    assert.match(page.html, /invalid_redirect_uri/, redirect_uri)
  }
  for (const redirect_uri of [
    'javascript:alert(1)',
    'data:text/html,x',
    'http://evil.example/cb',
    'x y',
    'nothing',
  ]) {
    const refused = await world.register({ redirect_uris: [redirect_uri] })
    assert.equal(refused.status, 400, redirect_uri)
    assert.match(refused.body.error, /invalid_(redirect_uri|client_metadata)/, redirect_uri)
  }
  assert.deepEqual(await traces(world), NOTHING)
})

onEitherEngine(
  'a request with missing, plain or wrong PKCE is refused, and so are other response types',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { body } = await world.register()
    const asking = new Asking(world, body.client_id)
    const changes: [Record<string, string | null>, string][] = [
      [{ code_challenge: null, code_challenge_method: null }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: null }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'id_token' }, 'unsupported_response_type'],
      [{ resource: 'https://other.example/' }, 'invalid_target'],
      [{ prompt: 'none' }, 'login_required'],
    ]
    for (const [change, error] of changes) {
      const { url } = await asking.open(owner, change)
      const { origin, searchParams, hash } = new URL(url)
      const answered = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')
      assert.deepEqual([origin, answered], [new URL(REDIRECT).origin, error], JSON.stringify(change))
    }
    const code = await asking.approve(owner, await asking.open(owner))
    const wrong = await asking.redeem(code, { code_verifier: 'x'.repeat(43) })
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant'])
    const none = await asking.redeem(code, { code_verifier: '' })
    assert.deepEqual([none.status, none.body.error], [400, 'invalid_grant'])
    assert.equal((await asking.redeem(code)).status, 200)
  },
)

onEitherEngine(
  'PC-57: a code works once, for its own client and redirect; a replay revokes the tokens issued for it',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { body: mine } = await world.register()
    const { body: other } = await world.register({ client_name: 'Another app' })
    const asking = new Asking(world, mine.client_id)
    const code = await asking.approve(owner, await asking.open(owner))
    for (const change of [
      { client_id: other.client_id },
      { redirect_uri: REDIRECT.replace('callback', 'other') },
      { client_id: 'cli_nobody' },
    ]) {
      const stolen = await asking.redeem(code, change)
      assert.match(stolen.body.error, /invalid_(grant|client)/)
      assert.ok([400, 401].includes(stolen.status))
    }
    const { body: tokens } = await asking.redeem(code)
    assert.equal((await world.call('/v1/schema', tokens.access_token)).status, 200)
    const replayed = await asking.redeem(code)
    assert.deepEqual([replayed.status, replayed.body.error], [400, 'invalid_grant'])
    const refused = await world.call('/v1/schema', tokens.access_token)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'grant_revoked'])
    assert.equal((await world.call('/mcp', tokens.access_token, { method: 'POST' })).status, 401)

    const raced = await asking.approve(owner, await asking.open(owner))
    const both = await Promise.all([asking.redeem(raced), asking.redeem(raced)])
    assert.ok(both.filter(({ status }) => status === 200).length <= 1)
  },
)

onEitherEngine(
  'every response to a client names the issuer, so that servers cannot be mixed up',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { body } = await world.register()
    const asking = new Asking(world, body.client_id)
    const failed = await asking.open(owner, { code_challenge_method: 'plain' })
    assert.equal(new URL(failed.url).searchParams.get('iss'), world.url)
    const page = await asking.open(owner)
    const denied = await owner.submit(page, { action: 'deny' })
    const { searchParams } = new URL(denied.url)
    assert.deepEqual(
      [searchParams.get('error'), searchParams.get('iss'), searchParams.get('state')],
      ['access_denied', world.url, asking.state],
    )
    assert.deepEqual(await traces(world), NOTHING)
    const again = await asking.open(owner)
    const review = await owner.submit(again, { [shareOf(again.html)]: 'all', action: 'review' })
    const allowed = await owner.submit(review, { action: 'approve' })
    assert.equal(new URL(allowed.url).searchParams.get('iss'), world.url)
    assert.equal(new URL(allowed.url).searchParams.get('state'), asking.state)
  },
)

function shareOf(html: string): string {
  return /name="(share:[^"]+)"/.exec(html)?.[1] ?? ''
}

onEitherEngine('a forged Host header does not change any URL', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const { body } = await world.register()
  const asking = new Asking(world, body.client_id)
  const { port } = new URL(world.url)
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = {
        Host: 'evil.example',
        'X-Forwarded-Host': 'evil.example',
        Forwarded: 'host=evil.example',
      }
      request({ port, path, headers }, response => {
        const chunks = [JSON.stringify(response.headers)]
        response.setEncoding('utf8').on('data', chunk => chunks.push(chunk))
        response.on('end', () => resolve(chunks.join('\n')))
      })
        .on('error', reject)
        .end()
    })
  const paths = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    asking.url(),
    '/apps',
    '/oauth/device',
    '/v1/schema',
  ]
  for (const path of paths) assert.doesNotMatch(await ask(path), /evil/, path)
})

onEitherEngine(
  'a client cannot widen its scope on refresh, nor use another’s refresh token',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { client_id, refresh_token } = await world.connect(owner)
    const { body: other } = await world.register()
    const refresh = (change: Record<string, string>) =>
      world.token({ grant_type: 'refresh_token', refresh_token, client_id, ...change })
    assert.equal((await refresh({ scope: 'read write' })).body.error, 'invalid_scope')
    assert.equal((await refresh({ resource: 'https://other.example' })).body.error, 'invalid_target')
    assert.equal((await refresh({ client_id: other.client_id })).body.error, 'invalid_grant')
    const detail = { ...DETAIL, streams: [{ name: 'notes' }] }
    const malformed = await refresh(asking({ ...detail, more: 1 }))
    assert.equal(malformed.body.error, 'invalid_authorization_details')
    const { body } = await refresh(asking(detail))
    const names = body.authorization_details?.[0].streams.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['messages', 'notes'], 'what the owner granted, whatever is asked')
  },
)

onEitherEngine(
  'registrations that are too large or malformed are refused, and nothing is stored',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const uris = Array.from({ length: 21 }, (_, n) => `http://127.0.0.1/${n}`)
    const bad: Record<string, unknown>[] = [
      { client_name: 'x'.repeat(60 * 1024) },
      { client_name: 'x'.repeat(200) },
      { redirect_uris: uris },
      { redirect_uris: [`https://app.example/${'x'.repeat(3000)}`] },
      { redirect_uris: [] },
      { redirect_uris: 'https://app.example' },
      { token_endpoint_auth_method: 'magic' },
      { response_types: ['token'] },
    ]
    for (const metadata of bad) {
      const { status, body } = await world.register(metadata)
      assert.equal(status, 400, JSON.stringify(metadata).slice(0, 80))
      assert.match(body.error, /^invalid_/)
    }
    const { database } = world.server.store
    assert.deepEqual(
      await database.all(`SELECT artifact_key FROM oauth_artifacts WHERE model = 'Client'`),
      [],
    )
    const { body } = await world.register({
      grant_types: ['authorization_code', 'client_credentials', 'implicit'],
    })
    assert.deepEqual(body.grant_types, ['authorization_code'])
    // Some clients write null for what they leave out. A character is a code point.
    const loose = {
      client_name: '🥾'.repeat(120),
      logo_uri: null,
      scope: null,
      contacts: null,
      grant_types: null,
    }
    const taken = await world.register(loose)
    assert.equal(taken.status, 201, JSON.stringify(taken.body))
    assert.deepEqual(taken.body.grant_types, ['authorization_code', 'refresh_token'])
  },
)

onEitherEngine('a client document at a private address is never fetched (SSRF)', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  let reached = 0
  const inside = createServer(socket => {
    reached++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(inside, 'listening')
  await using _ = inside
  const { port } = inside.address() as AddressInfo
  const owner = new Visitor(world.url)
  for (const client_id of [
    `https://127.0.0.1:${port}/client`,
    `https://localhost:${port}/client`,
    `https://[::1]:${port}/client`,
    `https://2130706433:${port}/client`,
    `http://127.0.0.1:${port}/client`,
    'https://169.254.169.254/latest/meta-data',
    'https://user:secret@127.0.0.1/client',
  ]) {
    const page = await new Asking(world, client_id).open(owner)
    assert.equal(page.status, 400, client_id)
    assert.match(page.html, /invalid_client/, client_id)
  }
  assert.equal(reached, 0, 'not even a connection')
})

test('only addresses on the public internet count as public', () => {
  const inside = [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
  ]
  const inside6 = [
    '::1',
    '::',
    '::ffff:10.0.0.1',
    'fe80::1',
    'fd00::1',
    '2001:db8::1',
    '2002:a00:1::',
    '64:ff9b::1',
  ]
  for (const address of [...inside, ...inside6, 'localhost', ''])
    assert.equal(isPublicAddress(address), false, address)
  for (const address of ['1.1.1.1', '8.8.8.8', '2606:4700::1111'])
    assert.equal(isPublicAddress(address), true, address)
})

onEitherEngine('client documents can be turned off', async engine => {
  const fetched: string[] = []
  const fetchDocument = (async (url: string) => {
    fetched.push(String(url))
    return Response.json({})
  }) as typeof fetch
  await using world = await AuthorizationWorld.start(engine, { clientDocuments: false, fetch: fetchDocument })
  const metadata = await world.call('/.well-known/oauth-authorization-server', null)
  assert.equal(metadata.body.client_id_metadata_document_supported, false)
  const page = await new Asking(world, 'https://app.example/client').open(new Visitor(world.url))
  assert.match(page.html, /This Footnote does not know the app[^<]*add it again[\s\S]*invalid_client/)
  assert.deepEqual(fetched, [])
})

onEitherEngine(
  'a device form without its cookie starts again, and NUL in an id is an unknown client',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const body = new URLSearchParams({ user_code: 'ABCD-EFGH', xsrf: 'forged' })
    for (const cookie of ['', 'oauth=unknown; oauth.sig=forged']) {
      const headers = { Cookie: cookie }
      const sent = await fetch(`${world.url}/oauth/device`, {
        method: 'POST',
        body,
        headers,
        redirect: 'manual',
      })
      assert.deepEqual([sent.status, sent.headers.get('Location')], [303, '/oauth/device'], cookie)
    }
    const page = await new Visitor(world.url).post('/oauth/device', {
      user_code: 'ABCD-EFGH',
      xsrf: 'forged',
    })
    assert.equal(page.status, 200)
    assert.match(page.html, /Connect a device/)
    const client_id = 'cli_\0nobody'
    const asked = await new Asking(world, client_id).open(new Visitor(world.url))
    assert.deepEqual([asked.status, /invalid_client/.test(asked.html)], [400, true])
    const token = await world.token({ grant_type: 'refresh_token', refresh_token: 'a\0b', client_id })
    assert.deepEqual([token.status, token.body.error], [401, 'invalid_client'])
    assert.deepEqual(world.failures, [])
  },
)
