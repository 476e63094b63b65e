import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import { safeReturn } from '../src/authorization-server/owner/owner-session.ts'
import { hashPassphrase, verifyPassphrase } from '../src/authorization-server/owner/passphrase.ts'
import { Asking, AuthorizationWorld, csrfIn, REDIRECT, Visitor } from './authorization-world.ts'
import { onEachEngine, onEitherEngine } from './engines.ts'

const PASSPHRASE = 'correct horse battery staple'

async function setPassphrase(world: AuthorizationWorld, owner: Visitor): Promise<void> {
  const page = await owner.get('/settings')
  const done = await owner.submit(page, { passphrase: PASSPHRASE })
  assert.match(done.html, /The passphrase was set/)
  assert.deepEqual(world.failures, [])
}

onEachEngine('a one-time link signs in once, only by its button, and leads back', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const link = await world.signInLink()
  const owner = new Visitor(world.url)
  const wanted = await owner.get('/apps')
  assert.match(wanted.url, /\/sign-in\?return_to=%2Fapps$/)
  const address = `/sign-in?link=${link}&return_to=%2Fapps`
  for (let looks = 0; looks < 3; looks++) assert.equal((await owner.get(address)).status, 200)
  const page = await owner.submit(await owner.get(address), {})
  assert.equal(new URL(page.url).pathname, '/apps')
  assert.match(page.html, /No app can read anything/)
  const twice = await owner.post('/sign-in', { link, return_to: '/apps' })
  assert.equal(new URL(twice.url).pathname, '/apps', 'who is signed in already is not refused')
  const thief = new Visitor(world.url)
  const again = await thief.post('/sign-in', { link })
  assert.equal(again.status, 410)
  assert.match(again.html, /link_used/)
  assert.match(again.html, /<pre class="copy" tabindex="0">[^<]*footnote sign-in-link<\/pre>/)
  assert.match((await thief.get('/apps')).url, /sign-in/)
  const old = await world.signInLink()
  world.wait(31 * 60_000)
  assert.equal((await thief.post('/sign-in', { link: old })).status, 410)
})

async function register(address: string): Promise<{ client_id: string }> {
  const response = await fetch(`${address}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT] }),
  })
  return response.json() as Promise<{ client_id: string }>
}

onEitherEngine(
  'cookies are HttpOnly and SameSite, and secure on https, also behind a proxy',
  async engine => {
    await using world = await AuthorizationWorld.start(engine, { publicUrl: 'https://footnote.example.org' })
    const { store } = world.server
    const link = await world.signInLink()
    const origin = 'https://footnote.example.org'
    // The server itself uses plain HTTP behind a proxy.
    const { port } = new URL(world.server.address)
    const ask = (method: string, path: string, body = '') =>
      new Promise<{ status: number; cookies: string[] }>((resolve, reject) => {
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin }
        request({ port, path, method, headers }, answer => {
          answer.resume()
          resolve({ status: answer.statusCode ?? 0, cookies: answer.headers['set-cookie'] ?? [] })
        })
          .on('error', reject)
          .end(body)
      })
    const { client_id } = await register(world.server.address)
    const { cookies } = await ask('GET', new Asking(world, client_id).url())
    assert.ok(cookies.length > 0)
    for (const cookie of cookies) assert.match(cookie, /; secure; httponly/i)
    const response = await ask('POST', '/sign-in', `link=${link}`)
    const [cookie = ''] = response.cookies
    assert.equal(response.status, 303)
    assert.match(
      cookie,
      /^__Host-footnote=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure$/,
    )
    const rows = await store.database.all<{ session_hash: string }>('SELECT session_hash FROM owner_sessions')
    assert.ok(!cookie.includes(rows[0]?.session_hash ?? '!'))
  },
)

test('a passphrase is stored as a slow hash', async () => {
  const { salt, hash } = await hashPassphrase(PASSPHRASE)
  const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
  const expected = scryptSync(PASSPHRASE, Buffer.from(salt, 'base64url'), 32, cost)
  assert.equal(hash, expected.toString('base64url'))
  assert.equal(await verifyPassphrase(PASSPHRASE, { salt, hash }), true)
  assert.equal(await verifyPassphrase(`${PASSPHRASE}.`, { salt, hash }), false)
  assert.equal(await verifyPassphrase(PASSPHRASE, { salt, hash }, 2 ** 4), false)
})

onEachEngine('a passphrase can be set, changed only with the old one, and used to sign in', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  const other = await world.signedIn()
  const short = await owner.submit(await owner.get('/settings'), { passphrase: 'short' })
  assert.equal(short.status, 400)
  await setPassphrase(world, owner)
  assert.match((await other.get('/settings')).url, /sign-in/, 'other sessions are signed out')
  const visitor = new Visitor(world.url)
  const wrong = await visitor.post('/sign-in', { passphrase: 'not it' })
  assert.equal(wrong.status, 401)
  assert.match(wrong.html, /That is not the passphrase/)
  const right = await visitor.post('/sign-in', { passphrase: PASSPHRASE, return_to: '/apps' })
  assert.equal(new URL(right.url).pathname, '/apps')
  const page = await visitor.get('/settings')
  const refused = await visitor.submit(page, { current: 'wrong', passphrase: 'another long passphrase' })
  assert.equal(refused.status, 401)
  const changed = await visitor.submit(page, { current: PASSPHRASE, passphrase: 'another long passphrase' })
  assert.match(changed.html, /The passphrase was set/)
  assert.equal((await new Visitor(world.url).post('/sign-in', { passphrase: PASSPHRASE })).status, 401)
})

onEachEngine(
  'passphrase guessing is slowed down, even in parallel, and the link still works',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await setPassphrase(world, await world.signedIn())
    const visitor = new Visitor(world.url)
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => visitor.post('/sign-in', { passphrase: `guess ${n}` })),
    )
    assert.deepEqual(guesses.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 429, 429, 429])
    const blocked = await visitor.post('/sign-in', { passphrase: PASSPHRASE })
    assert.equal(blocked.status, 429, 'the right one is not tried either')
    assert.ok(Number(blocked.headers.get('Retry-After')) <= 30)
    world.wait(31_000)
    assert.equal((await visitor.post('/sign-in', { passphrase: 'guess 9' })).status, 401)
    world.wait(31_000)
    assert.equal((await visitor.post('/sign-in', { passphrase: PASSPHRASE })).status, 429, 'the wait doubles')
    const page = await visitor.post('/sign-in', { link: await world.signInLink() })
    assert.equal(new URL(page.url).pathname, '/')
    world.wait(31_000)
    assert.equal((await new Visitor(world.url).post('/sign-in', { passphrase: PASSPHRASE })).status, 200)
    const trail = await world.call('/v1/owner/audit?limit=100')
    const events = new Set(trail.body.data.map(({ event }: { event: string }) => event))
    for (const event of ['signed_in', 'passphrase_set', 'sign_in_blocked'])
      assert.ok(events.has(event), event)
  },
)

onEachEngine('a wait that was set by a clock that was ahead does not keep the owner out', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await setPassphrase(world, await world.signedIn())
  const guess = (passphrase: string) => new Visitor(world.url).post('/sign-in', { passphrase })
  const year = 365 * 86_400_000
  world.wait(year)
  for (let n = 0; n < 5; n++) assert.equal((await guess(`guess ${n}`)).status, 401)
  assert.equal((await guess('guess 6')).status, 429)
  world.wait(-year)
  assert.equal((await guess('guess 7')).status, 401)
  assert.equal((await guess(PASSPHRASE)).status, 429, 'the next wait is longer')
  world.wait(61_000)
  assert.equal((await guess(PASSPHRASE)).status, 200)
})

onEachEngine(
  'a server whose clock is behind does not allow a guess during the longest wait',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await setPassphrase(world, await world.signedIn())
    const guess = async () =>
      (await new Visitor(world.url).post('/sign-in', { passphrase: 'a guess' })).status
    for (let n = 0; n < 12; n++) {
      assert.equal(await guess(), 401)
      if (n >= 4 && n < 11) world.wait(3_601_000)
    }
    world.wait(-2_000)
    assert.equal(await guess(), 429)
  },
)

onEachEngine('signing out everywhere ends every session and every waiting link', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const [one, other] = [await world.signedIn(), await world.signedIn()]
  const link = await world.signInLink()
  const page = await one.get('/settings')
  const csrf = csrfIn(page)
  await one.post('/sign-out', { csrf, everywhere: 'yes' })
  for (const visitor of [one, other]) assert.match((await visitor.get('/settings')).url, /sign-in/)
  assert.equal((await other.post('/sign-in', { link })).status, 410)
  const third = await world.signedIn()
  world.wait(15 * 86_400_000)
  assert.match((await third.get('/settings')).url, /sign-in/, 'sessions end by themselves')
})

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

function rowOf(html: string, browser: string): string {
  return html.match(/<li class="head">[\s\S]*?<\/li>/g)?.find(row => row.includes(browser)) ?? ''
}

onEachEngine(
  'Settings names each session and when it was last seen, and ends one or all others',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const enter = async (agent: string) => {
      const visitor = new Visitor(world.url)
      await visitor.post('/sign-in', { link: await world.signInLink() }, { 'User-Agent': agent })
      return visitor
    }
    const here = await enter(FIREFOX)
    const phone = await enter(SAFARI)
    const odd = await enter('<b>curl</b>')
    world.wait(25 * 60_000)
    await phone.get('/apps')
    world.wait(5 * 60_000)
    const page = await here.get('/settings')
    assert.match(rowOf(page.html, 'Firefox on Linux'), /here/)
    assert.match(rowOf(page.html, 'Safari on iPhone'), /last seen 5 minutes ago/)
    assert.match(rowOf(page.html, 'A browser'), /last seen 30 minutes ago/)
    assert.doesNotMatch(page.html, /curl/)
    const csrf = csrfIn(page)
    const session = /name="session" value="([^"]+)"/.exec(rowOf(page.html, 'Safari on iPhone'))?.[1] ?? ''
    assert.equal((await here.post('/sign-out', { csrf: 'x'.repeat(csrf.length), session })).status, 403)
    assert.equal(new URL((await phone.get('/settings')).url).pathname, '/settings')
    const after = await here.post('/sign-out', { csrf, session })
    assert.equal(new URL(after.url).pathname, '/settings')
    assert.equal(rowOf(after.html, 'Safari on iPhone'), '')
    assert.match((await phone.get('/settings')).url, /sign-in/)
    assert.equal(new URL((await odd.get('/settings')).url).pathname, '/settings')
    const alone = await here.post('/sign-out', { csrf, others: 'yes' })
    assert.doesNotMatch(alone.html, /A browser|Sign out all others/)
    assert.match((await odd.get('/settings')).url, /sign-in/)
    const { html } = await here.get('/settings/changes')
    assert.match((await here.post('/sign-out', { csrf })).html, /You are signed out\./)
    assert.doesNotMatch((await here.get('/settings')).html, /You are signed out\./)
    assert.match(html, /You signed out all other browsers[\s\S]*You signed out another browser/)
    const { body } = await world.call('/v1/owner/audit?limit=100')
    const events = body.data.map(({ event }: { event: string }) => event)
    assert.deepEqual(events.slice(1, 3), ['other_sessions_ended', 'session_ended'])
    assert.deepEqual(world.failures, [])
  },
)

onEachEngine(
  'forms from other sites or without the session’s token are refused and change nothing',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const owner = await world.signedIn()
    const page = await owner.get('/settings')
    const csrf = csrfIn(page)
    const fields = { passphrase: PASSPHRASE }
    const foreign = { Origin: 'https://evil.example' }
    for (const [sent, headers] of [
      [{ ...fields, csrf }, foreign],
      [{ ...fields, csrf }, { Origin: 'null' }],
      [fields, {}],
      [{ ...fields, csrf: 'x'.repeat(csrf.length) }, {}],
    ] as const) {
      const answer = await owner.post('/settings', sent, headers)
      assert.equal(answer.status, 403)
      assert.match(answer.html, /forged_form/)
    }
    for (const path of ['/sign-in', '/sign-out', '/apps']) {
      const answer = await owner.post(path, { ...fields, csrf }, foreign)
      assert.equal(answer.status, 403, path)
      assert.ok(answer.html.includes(`Open this page at ${world.url} and try again.`), path)
    }
    assert.match(
      (await owner.post('/apps', { csrf: 'x' })).html,
      /This page is out of date, because you signed/,
    )
    const { store } = world.server
    assert.deepEqual(await store.database.all('SELECT owner_id FROM passphrases'), [])
    assert.match((await owner.get('/settings')).html, /Set a passphrase/)
  },
)

test('sign-in leads back to a page of this server and nowhere else', () => {
  for (const path of ['/apps', '/oauth/consent/x?y=z']) assert.equal(safeReturn(path), path)
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    '',
    null,
  ]
  for (const target of [...elsewhere, 'javascript:alert(1)', `/${'x'.repeat(3000)}`, '/..//evil.example'])
    assert.match(safeReturn(target), /^\/(?![/\\])/, String(target))
})

onEitherEngine('every page forbids scripts, frames and other origins', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  for (const path of [
    '/settings',
    '/apps',
    '/sign-in?link=x',
    '/oauth/device',
    '/oauth/device?user_code=ABCD-EFGH',
    '/oauth/authorize?client_id=no',
  ]) {
    const { headers, html } = await owner.get(path)
    const policy = headers.get('Content-Security-Policy') ?? ''
    assert.match(policy, /default-src 'none'/, path)
    assert.match(policy, /frame-ancestors 'none'/, path)
    assert.match(policy, /form-action 'self'/, path)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/, path)
    assert.equal(headers.get('X-Frame-Options'), 'DENY', path)
    assert.equal(headers.get('X-Content-Type-Options'), 'nosniff', path)
    assert.doesNotMatch(html, /<script|onclick=|https?:\/\/(?!127)/, path)
  }
})
