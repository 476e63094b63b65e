import assert from 'node:assert/strict'
import { Asking, AuthorizationWorld, type Connected, type Visitor } from './authorization-world.ts'
import { onEachEngine, storeLocation } from './engines.ts'

/** Signs in as a client that requests these scopes, or none. */
async function connected(
  world: AuthorizationWorld,
  owner: Visitor,
  scope: string | null,
  prompt: string | null = null,
): Promise<Connected> {
  const { client_id } = (await world.register()).body
  const asking = new Asking(world, client_id)
  const page = await asking.open(owner, { scope, prompt })
  const { body } = await asking.redeem(await asking.approve(owner, page))
  assert.equal(body.scope, 'read')
  return { client_id, ...body }
}

function refresh(world: AuthorizationWorld, { client_id, refresh_token }: Connected, scope?: string) {
  const asked = scope === undefined ? {} : { scope }
  return world.token({ grant_type: 'refresh_token', refresh_token, client_id, ...asked })
}

onEachEngine('HO-2: only the scope that can be granted is advertised', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const server = await world.call('/.well-known/oauth-authorization-server', null)
  const resource = await world.call('/.well-known/oauth-protected-resource/mcp', null)
  assert.deepEqual(server.body.scopes_supported, ['read'])
  assert.deepEqual(resource.body.scopes_supported, ['read'])
})

onEachEngine(
  'a client stays signed in whether or not it names a scope on refresh, hour after hour',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const clients: [scope: string | null, prompt: string | null][] = [
      [null, null],
      ['read', null],
      ['read offline_access', null],
      ['read offline_access', 'consent'],
      ['openid profile', null],
    ]
    for (const [asked, prompt] of clients) {
      let tokens = await connected(world, owner, asked, prompt)
      for (const scope of [
        undefined,
        'read',
        'read offline_access',
        'offline_access',
        'offline_access read',
      ]) {
        world.wait(8.1 * 3_600_000)
        assert.equal((await world.call('/v1/schema', tokens.access_token)).status, 401)
        const { status, body } = await refresh(world, tokens, scope)
        assert.equal(status, 200, `asked ${asked}, refreshed with ${scope}: ${JSON.stringify(body)}`)
        assert.equal(body.scope, 'read')
        assert.equal((await world.call('/v1/schema', body.access_token)).status, 200)
        tokens = { ...tokens, ...body }
      }
    }
  },
)

onEachEngine('a scope that was never granted is refused on refresh and uses nothing up', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const tokens = await connected(world, await world.signedIn(), 'read offline_access')
  for (const scope of ['read write', 'write', 'read offline_access write']) {
    const { status, body } = await refresh(world, tokens, scope)
    assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope)
  }
  assert.equal((await refresh(world, tokens, 'read offline_access')).status, 200)
})

onEachEngine('refreshes with a scope work after a restart, and two at once', async engine => {
  const { location, remove } = await storeLocation(engine)
  const place = { location, remove: async () => {} }
  await using _ = { [Symbol.asyncDispose]: remove }
  let tokens: Connected
  let port: number
  {
    await using world = await AuthorizationWorld.start(engine, { place })
    port = Number(new URL(world.url).port)
    await world.mailbox('Work mail')
    tokens = await connected(world, await world.signedIn(), 'read offline_access')
  }
  await using world = await AuthorizationWorld.start(engine, { place, port })
  const answers = await Promise.all([
    refresh(world, tokens, 'read offline_access'),
    refresh(world, tokens, 'read offline_access'),
  ])
  for (const { status, body } of answers) {
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await world.call('/v1/schema', body.access_token)).status, 200)
  }
})

onEachEngine(
  'HO-2: a client may call this server by any of its addresses when it redeems and when it refreshes',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { client_id } = (await world.register()).body
    const addresses = [null, world.url, `${world.url}/mcp`, `${world.url}/mcp/`]
    for (const [index, resource] of addresses.entries()) {
      const asking = new Asking(world, client_id)
      const code = await asking.approve(owner, await asking.open(owner, { resource }))
      // Never the address that was asked for.
      const other = addresses[(index + 1) % addresses.length] ?? `${world.url}/mcp/research`
      const { body } = await asking.redeem(code, { resource: other })
      const { refresh_token } = body
      const refreshed = await world.token({
        ...{ grant_type: 'refresh_token', client_id, refresh_token },
        resource: other.replace('127.0.0.1', 'localhost'),
      })
      for (const { access_token, scope } of [body, refreshed.body]) {
        assert.equal(scope, 'read', `${resource}, then ${other}`)
        assert.equal((await world.call('/v1/schema', access_token)).status, 200)
      }
    }
  },
)
