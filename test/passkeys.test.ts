import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passkeyHost } from '../src/authorization-server/owner/passkey-challenge.ts'
import { ERRORS } from '../src/model/errors.ts'
import { AuthorizationWorld, csrfIn, type PageVisit, Visitor } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { addPasskey, optionsOf, passkeyWorld, signInWith } from './passkey-world.ts'
import { type Dishonest, SoftwareAuthenticator } from './software-authenticator.ts'

function assertRefused(page: PageVisit, why: string): void {
  assert.equal(page.status, ERRORS.passkey_refused, why)
  assert.match(page.html, /This passkey was not accepted/, why)
}

async function assertSignedOut(visitor: Visitor, why: string): Promise<void> {
  assert.match((await visitor.get('/apps')).url, /\/sign-in\?/, why)
}

onEitherEngine('a passkey is added, signs in, shows when it was used, and is removed', async engine => {
  await using world = await passkeyWorld(engine)
  const owner = await world.signedIn()
  assert.doesNotMatch((await new Visitor(world.url).get('/sign-in')).html, /passkey/)
  const device = await addPasskey(owner, world)
  const listed = (await owner.get('/settings/passkeys')).html
  assert.match(listed, /My &lt;phone&gt; .*added .*, not used yet/)

  const visitor = new Visitor(world.url)
  assert.match(
    (await visitor.get('/sign-in?return_to=%2Fapps')).html,
    /href="\/sign-in\/passkey\?return_to=%2Fapps"/,
  )
  assert.equal(new URL((await signInWith(visitor, device)).url).pathname, '/apps')
  const page = await owner.get('/settings/passkeys')
  assert.match(page.html, /My &lt;phone&gt; .*last used just now/)
  assert.match((await owner.get('/settings')).html, /You have 1 passkey\./)

  const { store } = world.server
  const [row = {}] = await store.database.all<Record<string, unknown>>('SELECT * FROM passkeys')
  const kept = [
    'counter',
    'created_at',
    'credential_id',
    'name',
    'owner_id',
    'public_key',
    'rp_id',
    'used_at',
  ]
  assert.deepEqual(Object.keys(row).sort(), kept)

  const gone = await owner.submit(page, { remove: device.id.toString('base64url') })
  assert.match(gone.html, /There are none yet/)
  assertRefused(await signInWith(new Visitor(world.url), device), 'a passkey that was removed')
  const { body } = await world.call('/v1/owner/audit?limit=100')
  const events = body.data.map(({ event, detail }: { event: string; detail: string }) => [event, detail])
  assert.deepEqual(events.slice(0, 3), [
    ['passkey_removed', 'My <phone>'],
    ['signed_in', 'passkey'],
    ['passkey_added', 'My <phone>'],
  ])
  assert.deepEqual(world.failures, [])
})

onEitherEngine(
  'an answer that comes from another passkey, another server or another browser is refused',
  async engine => {
    await using world = await passkeyWorld(engine)
    const owner = await world.signedIn()
    const device = await addPasskey(owner, world)
    const addPage = await owner.get('/settings/passkeys')
    const other = new Visitor(world.url)
    const otherPage = await other.get('/sign-in/passkey')
    const changes: [string, Dishonest][] = [
      ['another origin', { origin: 'https://evil.example' }],
      ['another port', { origin: 'http://localhost:1' }],
      ['another host', { host: 'evil.example' }],
      ['another kind of answer', { type: 'webauthn.create' }],
      ['nobody was verified', { verified: false }],
      ['a challenge of ours for adding', { challenge: optionsOf(addPage).challenge }],
      ['a challenge of another browser', { challenge: optionsOf(otherPage).challenge }],
      ['a made-up challenge', { challenge: 'A'.repeat(75) }],
      ['no challenge', { challenge: '' }],
    ]
    const visitor = new Visitor(world.url)
    for (const [why, changed] of changes) assertRefused(await signInWith(visitor, device, changed), why)
    assertRefused(await signInWith(visitor, new SoftwareAuthenticator(world.url)), 'an unknown passkey')

    const page = await visitor.get('/sign-in/passkey')
    const options = optionsOf(page)
    const [honest, strange] = [device.get(options), new SoftwareAuthenticator(world.url).get(options)]
    const forged = JSON.stringify({
      ...JSON.parse(strange),
      id: JSON.parse(honest).id,
      rawId: JSON.parse(honest).id,
    })
    for (const credential of ['', 'null', '{}', '[]', '{"id":1}', '"x"', 'x'.repeat(30_000), forged])
      assertRefused(await visitor.submit(page, { credential }), credential.slice(0, 50))
    const { id } = JSON.parse(honest)
    for (const response of [
      null,
      {},
      { clientDataJSON: 'e30' },
      { ...JSON.parse(honest).response, signature: '' },
    ])
      assertRefused(
        await visitor.submit(page, {
          credential: JSON.stringify({ id, rawId: id, type: 'public-key', response }),
        }),
        JSON.stringify(response),
      )
    const foreign = await visitor.post(
      '/sign-in/passkey',
      { credential: honest },
      { Origin: 'https://evil.example' },
    )
    assert.match(foreign.html, /forged_form/)
    await assertSignedOut(visitor, 'after everything')
    assert.equal(new URL((await visitor.submit(page, { credential: honest })).url).pathname, '/')
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine('an answer works once and for ten minutes, and its counter never decreases', async engine => {
  await using world = await passkeyWorld(engine)
  const device = await addPasskey(await world.signedIn(), world)
  const visitor = new Visitor(world.url)
  const page = await visitor.get('/sign-in/passkey')
  const credential = device.get(optionsOf(page), { counter: 10 })
  const again = device.get(optionsOf(page), { counter: 11 })
  const tries = await Promise.all([credential, again].map(each => visitor.submit(page, { credential: each })))
  assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 401], 'two answers to one challenge')
  assertRefused(await visitor.submit(page, { credential: again }), 'a challenge that was answered')
  const thief = new Visitor(world.url)
  assertRefused(await signInWith(thief, device, { counter: 10 }), 'a count that does not go up')
  assertRefused(await signInWith(thief, device, { counter: 0 }), 'a count that begins again')
  await assertSignedOut(thief, 'no count')

  const slow = await thief.get('/sign-in/passkey')
  world.wait(10 * 60_000)
  const late = device.get(optionsOf(slow), { counter: 20 })
  assertRefused(await thief.submit(slow, { credential: late }), 'a challenge that is too old')
  const { store } = world.server
  const used = () => store.database.all('SELECT challenge_hash FROM used_challenges')
  assert.equal(
    (await used()).length,
    2,
    'only what was answered in time by a passkey with a new count is kept',
  )
  const now = new Date(Date.now() + 10 * 60_000 + 1_000).toISOString()
  await store.writer.call('forgetArtifacts', { owner_id: store.owner_id, now, idle: now })
  assert.deepEqual(await used(), [])
  const fresh = await signInWith(thief, device, { counter: 21 })
  assert.equal(new URL(fresh.url).pathname, '/apps')
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a passkey is added once, with a name, by the session that requested it', async engine => {
  await using world = await passkeyWorld(engine)
  const [owner, other] = [await world.signedIn(), await world.signedIn()]
  const device = new SoftwareAuthenticator(world.url)
  const page = await owner.get('/settings/passkeys')
  const credential = device.create(optionsOf(page))
  assertRefused(
    await other.submit(await other.get('/settings/passkeys'), { name: 'x', credential }),
    'another session',
  )
  const dishonest: Dishonest[] = [
    { origin: 'https://evil.example' },
    { host: 'evil.example' },
    { verified: false },
    { type: 'webauthn.get' },
  ]
  for (const changes of dishonest) {
    const sent = { name: 'x', credential: device.create(optionsOf(page), changes) }
    assertRefused(await owner.submit(page, sent), JSON.stringify(changes))
  }
  for (const broken of ['', '{}', 'null', '{"response":{"attestationObject":"oA"}}'])
    assertRefused(await owner.submit(page, { name: 'x', credential: broken }), broken)
  for (const name of ['', ' ', 'x'.repeat(61)]) {
    const refused = await owner.submit(page, { name, credential })
    assert.equal(refused.status, 400)
    assert.ok(refused.html.includes(`value="${name}"`), 'the name that was entered is still there')
  }
  const csrf = 'x'.repeat(43)
  assert.equal((await owner.post('/settings/passkeys', { csrf, name: 'x', credential })).status, 403)
  assert.equal((await owner.post('/settings/passkeys', { csrf, remove: 'x' })).status, 403)
  assert.match((await owner.get('/settings/passkeys')).html, /There are none yet/)
  assert.match((await owner.submit(page, { name: 'Laptop', credential })).html, /The passkey was added/)
  const second = new SoftwareAuthenticator(world.url).create(optionsOf(page))
  assertRefused(await owner.submit(page, { name: 'x', credential: second }), 'a challenge that was answered')
  const next = await owner.get('/settings/passkeys')
  assert.deepEqual(
    optionsOf(next).excludeCredentials?.map(({ id }) => id),
    [device.id.toString('base64url')],
  )
  const twice = device.create(optionsOf(next))
  assertRefused(await owner.submit(next, { name: 'x', credential: twice }), 'a passkey that is known')
  assert.deepEqual(world.failures, [])
})

test('only pages that ask for a passkey run a script, and only that one', async () => {
  await using world = await passkeyWorld('sqlite')
  const owner = await world.signedIn()
  const policies = async (path: string) => {
    const { headers, html } = await owner.get(path)
    const policy = headers.get('Content-Security-Policy') ?? ''
    return {
      allowed: /script-src ([^;]+)/.exec(policy)?.[1],
      policy,
      scripts: html.match(/<script[^>]*>/g) ?? [],
    }
  }
  for (const path of ['/settings/passkeys', '/sign-in/passkey']) {
    const { allowed, policy, scripts } = await policies(path)
    assert.equal(allowed, `${world.url}/passkeys.js`)
    assert.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|connect-src|\*/)
    assert.deepEqual(scripts, [`<script type="module" src="${world.url}/passkeys.js">`])
  }
  const plain = await policies('/settings')
  assert.deepEqual([plain.allowed, plain.scripts], ["'none'", []])
  const script = await owner.get('/passkeys.js')
  assert.equal(script.headers.get('Content-Type'), 'text/javascript; charset=utf-8')
  assert.equal(script.headers.get('X-Content-Type-Options'), 'nosniff')
})

test('passkeys need a host name over https or localhost; elsewhere the page says so', async () => {
  assert.equal(passkeyHost('https://notes.example.org'), 'notes.example.org')
  assert.equal(passkeyHost('http://localhost:7777'), 'localhost')
  for (const address of [
    'http://127.0.0.1:7777',
    'https://192.0.2.1',
    'https://[::1]:7777',
    'http://notes.example.org',
  ])
    assert.equal(passkeyHost(address), null, address)
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const { html, headers } = await owner.get('/settings/passkeys')
  assert.match(html, /--public-url/)
  assert.doesNotMatch(html, /<script|data-passkey/)
  assert.match(headers.get('Content-Security-Policy') ?? '', /script-src 'none'/)
  const csrf = csrfIn(await owner.get('/settings'))
  assertRefused(await owner.post('/settings/passkeys', { csrf, name: 'x', credential: '{}' }), 'no host')
  assertRefused(await new Visitor(world.url).post('/sign-in/passkey', { credential: '{}' }), 'no host')
})
