import assert from 'node:assert/strict'
import { Asking, AuthorizationWorld, csrfIn, decideOn, REDIRECT } from './authorization-world.ts'
import { freshLocation, onEachEngine, onEitherEngine } from './engines.ts'

onEitherEngine('metadata names only the configured origin, whatever the Host header says', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }
  const { body } = await world.call('/.well-known/oauth-authorization-server', null, { headers: forged })
  assert.equal(body.issuer, world.url)
  const endpoints = Object.entries(body).filter(([name]) => name.endsWith('_endpoint'))
  assert.deepEqual(Object.fromEntries(endpoints), {
    authorization_endpoint: `${world.url}/oauth/authorize`,
    device_authorization_endpoint: `${world.url}/oauth/device_authorization`,
    introspection_endpoint: `${world.url}/oauth/introspect`,
    pushed_authorization_request_endpoint: `${world.url}/oauth/par`,
    registration_endpoint: `${world.url}/oauth/register`,
    revocation_endpoint: `${world.url}/oauth/revoke`,
    token_endpoint: `${world.url}/oauth/token`,
  })
  assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(body.response_types_supported, ['code'])
  assert.deepEqual(body.scopes_supported, ['read'])
  assert.ok(body.token_endpoint_auth_methods_supported.includes('none'))
  assert.equal(body.authorization_response_iss_parameter_supported, true)
  assert.equal(body.client_id_metadata_document_supported, true)
  assert.deepEqual(body.pdpp_authorization_details_types_supported, ['https://pdpp.dev/data-access'])
  assert.deepEqual(body.pdpp_registration_modes_supported, ['dynamic', 'client_id_metadata_document'])
  for (const path of ['', '/mcp', '/mcp/research']) {
    const resource = await world.call(`/.well-known/oauth-protected-resource${path}`, null, {
      headers: forged,
    })
    assert.equal(resource.body.resource, world.url + path)
    assert.deepEqual(resource.body.authorization_servers, [world.url])
    assert.deepEqual(resource.body.scopes_supported, ['read'])
  }
  const refused = await world.call('/v1/schema', null)
  assert.equal(
    refused.headers.get('WWW-Authenticate'),
    `Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource", scope="read"`,
  )
})

onEachEngine(
  'HO-3: one consent covers several sources; removing one, then all, takes effect immediately',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const work = await world.mailbox('Work mail')
    const home = await world.mailbox('Private mail')
    const owner = await world.signedIn()
    const { access_token, refresh_token, client_id } = await world.connect(owner)
    const connectionsOf = async () => {
      const { status, body } = await world.call('/v1/streams/messages/records?limit=100', access_token)
      return status === 200
        ? [...new Set(body.data.map((record: { connection_id: string }) => record.connection_id))].sort()
        : body.error.code
    }
    assert.deepEqual(await connectionsOf(), [work, home].sort())

    const { body: grants } = await world.call('/v1/owner/grants')
    assert.equal(grants.data.length, 2)
    assert.ok(grants.data.every((grant: { client_id: string }) => grant.client_id === client_id))
    const apps = await owner.get(`/apps/remove?client=${client_id}`)
    assert.match(apps.html, /can read 2 sources now:/)
    const ofWork = await grantOf(world, work)
    const csrf = csrfIn(apps)
    await owner.post('/apps', { csrf, grant: ofWork })
    assert.deepEqual(await connectionsOf(), [home])
    await owner.post('/apps', { csrf, client: client_id })
    assert.equal(await connectionsOf(), 'grant_revoked')
    const refreshed = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
    assert.equal(refreshed.status, 400)
    assert.equal(refreshed.body.error, 'invalid_grant')
    assert.deepEqual(world.failures, [])
  },
)

async function grantOf(world: AuthorizationWorld, connection_id: string): Promise<string> {
  const { body } = await world.call('/v1/owner/grants')
  for (const { grant_id } of body.data) {
    const { body: grant } = await world.call(`/v1/owner/grants/${grant_id}`)
    if (
      grant.grant.streams.some((stream: { instance_ids: string[] }) =>
        stream.instance_ids.includes(connection_id),
      )
    )
      return grant_id
  }
  throw new Error('no grant')
}

onEachEngine('clients, grants and refresh tokens survive a restart; secrets are hashed', async engine => {
  const place = await freshLocation(engine)
  const keep = { ...place, remove: async () => {} }
  let connected: Awaited<ReturnType<AuthorizationWorld['connect']>>
  let secretive: { client_id: string; client_secret: string }
  let port: number
  {
    await using world = await AuthorizationWorld.start(engine, { place: keep })
    port = Number(new URL(world.url).port)
    await world.mailbox('Work mail')
    connected = await world.connect(await world.signedIn())
    const registered = await world.register({ token_endpoint_auth_method: 'client_secret_basic' })
    secretive = registered.body
    const { database } = world.server.store
    const rows = await Promise.all([
      database.all('SELECT artifact_key, lookup_key, payload FROM oauth_artifacts'),
      database.all('SELECT session_hash FROM owner_sessions'),
      database.all('SELECT token_hash FROM tokens'),
    ])
    const stored = JSON.stringify(rows)
    for (const secret of [connected.access_token, connected.refresh_token, secretive.client_secret])
      assert.ok(!stored.includes(secret))
  }
  await using world = await AuthorizationWorld.start(engine, { place, port })
  const { client_id, refresh_token, access_token } = connected
  assert.equal((await world.call('/v1/schema', access_token)).status, 200)
  const refreshed = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
  assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
  assert.equal((await world.call('/v1/schema', refreshed.body.access_token)).status, 200)

  const basic = (secret: string) =>
    world.call('/oauth/introspect', null, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${secretive.client_id}:${secret}`)}` },
      body: new URLSearchParams({ token: access_token }),
    })
  assert.equal((await basic('wrong')).status, 401)
  const foreign = await basic(secretive.client_secret)
  assert.deepEqual([foreign.status, foreign.body], [200, { active: false }])
})

onEachEngine(
  'two refreshes within the grace period both succeed; reuse after it ends the token family',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const { client_id, refresh_token, access_token } = await world.connect(await world.signedIn())
    const refresh = (token: string) =>
      world.token({ grant_type: 'refresh_token', refresh_token: token, client_id })
    const [one, other] = await Promise.all([refresh(refresh_token), refresh(refresh_token)])
    assert.deepEqual([one.status, other.status], [200, 200])
    world.wait(29_000)
    assert.equal((await refresh(refresh_token)).status, 200)
    const tokens = [access_token, one.body.access_token, other.body.access_token]
    for (const token of tokens) assert.equal((await world.call('/v1/schema', token)).status, 200)
    const later = await refresh(one.body.refresh_token)
    assert.equal(later.status, 200)

    world.wait(31_000)
    const reused = await refresh(refresh_token)
    assert.deepEqual([reused.status, reused.body.error], [400, 'invalid_grant'])
    for (const token of [...tokens, later.body.access_token])
      assert.equal((await world.call('/v1/schema', token)).body.error?.code, 'grant_revoked')
    assert.equal((await refresh(later.body.refresh_token)).body.error, 'invalid_grant')
    const { body } = await world.call('/v1/owner/grants')
    assert.ok(body.data.every((grant: { active: boolean }) => !grant.active))
    const trail = await world.call('/v1/owner/audit')
    const events = trail.body.data.map(
      ({ event, actor }: { event: string; actor: string }) => `${event} ${actor}`,
    )
    assert.ok(events.includes('refresh_reuse_detected server'), events.join())
  },
)

onEitherEngine('an app gets a secret only if it authenticates with one', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  for (const method of [undefined, 'none', 'client_secret_basic', 'client_secret_post']) {
    const named = method === undefined ? {} : { token_endpoint_auth_method: method }
    const { status, body } = await world.register(named)
    assert.equal(status, 201)
    assert.equal(body.token_endpoint_auth_method, method ?? 'none')
    assert.equal('client_secret' in body, method?.startsWith('client_secret') === true, String(method))
  }
})

onEachEngine('a client can revoke its token; introspection shows what is active', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { client_id, refresh_token, access_token } = await world.connect(owner)
  const ask = (path: string, token: string) =>
    world.call(path, null, { method: 'POST', body: new URLSearchParams({ token, client_id }) })
  const active = await ask('/oauth/introspect', access_token)
  assert.equal(active.body.active, true)
  assert.equal(active.body.aud, world.url)
  assert.equal(active.body.iss, world.url)
  assert.equal(active.body.authorization_details[0].type, 'https://pdpp.dev/data-access')
  const again = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
  assert.equal((await world.call('/v1/schema', again.body.access_token)).status, 200)
  assert.equal((await ask('/oauth/revoke', again.body.refresh_token)).status, 200)
  for (const token of [access_token, again.body.access_token]) {
    assert.equal((await world.call('/v1/schema', token)).body.error?.code, 'grant_revoked')
    assert.deepEqual((await ask('/oauth/introspect', token)).body, { active: false })
  }
  const other = await world.connect(owner)
  const body = new URLSearchParams({ token: other.access_token, client_id: other.client_id })
  await world.call('/oauth/revoke', null, { method: 'POST', body })
  assert.equal((await world.call('/v1/schema', other.access_token)).body.error?.code, 'grant_revoked')
  const inactive = await world.call('/oauth/introspect', null, { method: 'POST', body })
  assert.deepEqual(inactive.body, { active: false })
  const trail = await world.call('/v1/owner/audit')
  const revoked = trail.body.data.find(({ event }: { event: string }) => event === 'grant_revoked')
  assert.equal(revoked.actor, 'client')
})

onEachEngine('access tokens and grants expire by the clock', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const { client_id, refresh_token, access_token } = await world.connect(await world.signedIn(), {
    lifetime: '1d',
  })
  world.wait(7.9 * 3_600_000)
  assert.equal((await world.call('/v1/schema', access_token)).status, 200)
  world.wait(0.2 * 3_600_000)
  assert.equal((await world.call('/v1/schema', access_token)).status, 401)
  const again = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
  assert.equal((await world.call('/v1/schema', again.body.access_token)).status, 200)
  world.wait(24 * 3_600_000)
  const ended = await world.token({
    grant_type: 'refresh_token',
    refresh_token: again.body.refresh_token,
    client_id,
  })
  assert.deepEqual([ended.status, ended.body.error], [400, 'invalid_grant'])
})

onEitherEngine('pushed requests, requests without a scope and any loopback port work', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { body: client } = await world.register({ scope: 'openid email whatever' })
  const asking = new Asking(world, client.client_id)
  const elsewhere = REDIRECT.replace('33333', '44444')
  const query = new URLSearchParams(asking.url({ redirect_uri: elsewhere }).split('?')[1])
  const pushed = await world.call('/oauth/par', null, { method: 'POST', body: query })
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body))
  const { request_uri } = pushed.body
  const page = await owner.get(
    `/oauth/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri })}`,
  )
  const code = await asking.approve(owner, page)
  const { status, body } = await asking.redeem(code, { redirect_uri: elsewhere })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.scope, 'read')
  assert.equal(body.token_type, 'Bearer')
})

onEachEngine(
  "pages of any origin may call the endpoints, but cannot read the owner's pages",
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const ask = (path: string, method: string) =>
      fetch(world.url + path, { method, headers: { Origin: 'https://app.example' } })
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/token', '/oauth/register']) {
      const preflight = await ask(path, 'OPTIONS')
      assert.equal(preflight.status, 204, path)
      assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', /MCP-Protocol-Version/)
      const answer = await ask(path, path.startsWith('/oauth') ? 'POST' : 'GET')
      assert.equal(answer.headers.get('Access-Control-Allow-Origin'), '*', path)
      assert.equal(answer.headers.get('Access-Control-Allow-Credentials'), null, path)
    }
    for (const path of ['/sign-in', '/apps', '/oauth/authorize', '/oauth/device', '/oauth/consent/x'])
      assert.equal((await ask(path, 'GET')).headers.get('Access-Control-Allow-Origin'), null, path)
    // RFC 9110: a refused method names those that are allowed.
    for (const [method, path, allow] of [
      ['GET', '/oauth/token', 'POST, OPTIONS'],
      ['POST', '/oauth/authorize', 'GET, HEAD'],
      ['POST', '/.well-known/oauth-authorization-server', 'GET, HEAD, OPTIONS'],
      ['PUT', '/sign-in', 'GET, HEAD, POST'],
    ] as const) {
      const refused = await ask(path, method)
      assert.deepEqual([refused.status, refused.headers.get('Allow')], [405, allow], `${method} ${path}`)
    }
  },
)

onEitherEngine('an app can receive its response by form post, and in a window it opened', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { body } = await world.register({ redirect_uris: ['https://app.example/cb'] })
  const asking = new Asking(world, body.client_id)
  const redirect_uri = 'https://app.example/cb'
  const page = await asking.open(owner, { response_mode: 'form_post', redirect_uri })
  assert.match(
    page.headers.get('Content-Security-Policy') ?? '',
    /form-action 'self' https:\/\/app\.example;/,
  )
  const answered = await decideOn(owner, page)
  assert.match(answered.html, /<form method="post" action="https:\/\/app\.example\/cb">/)
  assert.match(answered.html, /name="code"/)
  assert.match(answered.html, new RegExp(`name="iss" value="${world.url}"`))
  const policy = answered.headers.get('Content-Security-Policy') ?? ''
  assert.doesNotMatch(policy, /form-action|unsafe/)
  assert.match(policy, /script-src .*'sha256-/)
  for (const { headers } of [page, answered])
    assert.equal(headers.get('Cross-Origin-Opener-Policy'), null, 'the window finds its way back')
})

onEachEngine('a device connects with a code that the owner enters', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const { body: client } = await world.register({
    grant_types: [grant_type, 'refresh_token'],
    redirect_uris: undefined,
    response_types: [],
  })
  const { client_id } = client
  const begun = await world.call('/oauth/device_authorization', null, {
    method: 'POST',
    body: new URLSearchParams({ client_id }),
  })
  assert.equal(begun.body.verification_uri, `${world.url}/oauth/device`, JSON.stringify(begun.body))
  const poll = () => world.token({ grant_type, device_code: begun.body.device_code, client_id })
  assert.equal((await poll()).body.error, 'authorization_pending')
  const entry = await owner.get(begun.body.verification_uri_complete.slice(world.url.length))
  assert.match(entry.html, new RegExp(`name="user_code" value="${begun.body.user_code}"`))
  const confirm = await owner.submit(entry, { user_code: begun.body.user_code })
  assert.match(confirm.html, /Is this your device/)
  const page = await owner.submit(confirm, { confirm: 'yes' })
  assert.match(page.html, /wants to read your data/)
  const asking = new Asking(world, client_id)
  await asking.approve(owner, page)
  const { body, status } = await poll()
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal((await world.call('/v1/schema', body.access_token)).status, 200)
  assert.equal((await poll()).body.error, 'invalid_grant')
})
