import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { callerOf, TrustedProxies } from '../src/origin/caller.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { freshLocation, onEitherEngine } from './engines.ts'
import { askFrom, FORM } from './from-address.ts'

const STRANGER = '127.0.0.2'

onEitherEngine('every route that needs no token is limited by address', async engine => {
  await using world = await AuthorizationWorld.start(engine, { addressLimit: 1 })
  world.stopClock()
  const open = world.server.routes.filter(({ access }) => ['public', 'provider', 'session'].includes(access))
  assert.ok(open.length > 25)
  for (const { method, path } of [...open, { method: 'GET', path: '/nothing-here' }]) {
    const url = world.url + path.replaceAll(/:\w+/g, 'x')
    const ask = (address: string) =>
      askFrom(address, url, { method, ...(method === 'POST' ? { headers: FORM, body: '' } : {}) })
    const statuses = new Set<number>()
    for (let n = 0; n < 12; n++) statuses.add((await ask(STRANGER)).status)
    const refused = await ask(STRANGER)
    assert.ok(
      [...statuses].every(status => status < 500),
      `${method} ${path} ${[...statuses]}`,
    )
    assert.ok(refused.status === 429 && statuses.size > 1, `${method} ${path} ${[...statuses]}`)
    assert.ok(Number(refused.headers['retry-after']) >= 1, `${method} ${path}`)
    assert.notEqual((await ask('127.0.0.3')).status, 429, `${method} ${path} from elsewhere`)
    world.wait(100_000)
  }
})

onEitherEngine('an address that sends too many requests locks nobody else out', async engine => {
  await using world = await AuthorizationWorld.start(engine, { addressLimit: 20 })
  await world.mailbox('Work mail')
  const seen = new Map<number, number>()
  const flood = async () => {
    for (const path of [
      '/oauth/authorize',
      '/oauth/device',
      '/oauth/token',
      '/oauth/par',
      '/oauth/register',
    ]) {
      for (let n = 0; n < 80; n++) {
        const { status } = await askFrom(STRANGER, world.url + path, {
          method: 'POST',
          headers: FORM,
          body: 'a=b',
        })
        seen.set(status, (seen.get(status) ?? 0) + 1)
      }
    }
  }
  world.stopClock()
  const flooding = flood()
  const { access_token } = await world.connect(await world.signedIn())
  assert.equal((await world.call('/v1/schema', access_token)).status, 200)
  await flooding
  assert.ok((seen.get(429) ?? 0) > 100, JSON.stringify([...seen]))
  assert.equal((await world.register()).status, 201)
})

onEitherEngine('all addresses together are limited too, and the limit recovers', async engine => {
  await using world = await AuthorizationWorld.start(engine, { addressLimit: 1 })
  world.stopClock()
  const ask = async (n: number) => (await askFrom(`127.0.3.${n}`, `${world.url}/sign-in`)).status
  const statuses: number[] = []
  for (let n = 1; n <= 130; n++) statuses.push(await ask(n))
  assert.ok(statuses.slice(0, 100).every(status => status === 200))
  assert.ok(statuses.slice(100).includes(429))
  world.wait(10_000)
  assert.equal(await ask(200), 200)
})

onEitherEngine('a page of another site is counted separately from programs beside it', async engine => {
  await using world = await AuthorizationWorld.start(engine, { addressLimit: 1 })
  world.stopClock()
  const headers = { Origin: 'https://stranger.example' }
  const page = () => askFrom('127.0.0.1', `${world.url}/oauth/token`, { method: 'POST', headers, body: '' })
  for (let n = 0; n < 12; n++) await page()
  assert.equal((await page()).status, 429)
  assert.equal((await world.register()).status, 201)
})

onEitherEngine(
  'behind a trusted proxy the limit applies per caller, and the header cannot be forged',
  async engine => {
    const ask = (world: AuthorizationWorld, forwarded: string) =>
      askFrom('127.0.0.1', `${world.url}/sign-in`, { headers: { 'X-Forwarded-For': forwarded } })
    await using trusting = await AuthorizationWorld.start(engine, {
      addressLimit: 1,
      trustedProxies: ['127.0.0.1'],
    })
    trusting.stopClock()
    for (let n = 0; n < 12; n++) await ask(trusting, `198.51.100.${n}, 203.0.113.9`)
    assert.equal((await ask(trusting, '198.51.100.77, 203.0.113.9')).status, 429)
    assert.equal((await ask(trusting, '203.0.113.9, 203.0.113.10')).status, 200)
    await using wary = await AuthorizationWorld.start(engine, { addressLimit: 1 })
    wary.stopClock()
    for (let n = 0; n < 12; n++) await ask(wary, `203.0.113.${n}`)
    assert.equal((await ask(wary, '203.0.113.99')).status, 429)
  },
)

onEitherEngine('a client has one limit, however many tokens it has', async engine => {
  await using world = await AuthorizationWorld.start(engine, { rateLimit: { perSecond: 1, burst: 10 } })
  await world.mailbox('Work mail')
  const first = await world.connect(await world.signedIn())
  world.stopClock()
  world.wait(60_000)
  const { client_id, refresh_token } = first
  const { body } = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
  const statuses: number[] = []
  for (let n = 0; n < 24; n++) {
    const token = n % 2 === 0 ? first.access_token : body.access_token
    statuses.push((await world.call('/v1/streams', token)).status)
  }
  assert.ok(statuses.filter(status => status === 200).length <= 14, String(statuses))
  assert.equal(statuses.at(-1), 429)
})

test("two servers on one PostgreSQL database share a client's limit", async () => {
  // Without sharing, 80 of the 160 would pass. Each server reports after every fourth.
  const place = await freshLocation('postgres')
  const rateLimit = { perSecond: 1, burst: 40 }
  await using first = await AuthorizationWorld.start('postgres', { place, rateLimit, addressLimit: 4 })
  await using second = await AuthorizationWorld.start('postgres', { place, rateLimit, addressLimit: 4 })
  await first.mailbox('Work mail')
  const { access_token } = await first.connect(await first.signedIn())
  for (const world of [first, second]) world.stopClock()
  const reported = ({ server }: AuthorizationWorld) =>
    server.store.writer.call('spendLimits', { owner_id: server.store.owner_id, spent: [], now: 0, most: 0 })
  const passed = async (ask: (world: AuthorizationWorld) => Promise<number>) => {
    let answered = 0
    for (let n = 0; n < 160; n++) {
      const world = n % 2 === 0 ? first : second
      if ((await ask(world)) !== 429) answered++
      await reported(world)
    }
    return answered
  }
  const read = await passed(async world => (await world.call('/v1/streams', access_token)).status)
  assert.ok(read >= 40 && read <= 70, `${read} reads`)
  const asked = await passed(async world => (await askFrom(STRANGER, `${world.url}/sign-in`)).status)
  assert.ok(asked >= 40 && asked <= 70, `${asked} requests without a token`)
})

test('a caller is the address, or IPv6 network, reported by the outermost trusted proxy', () => {
  const of = (remoteAddress: string, forwarded?: string, headers: Record<string, string> = {}) =>
    callerOf(
      {
        socket: { remoteAddress },
        headers: { ...headers, 'x-forwarded-for': forwarded },
      } as unknown as IncomingMessage,
      new TrustedProxies(['10.0.0.0/8', 'fd00::1']),
    )
  assert.equal(of('192.0.2.1', '8.8.8.8'), '192.0.2.1')
  assert.equal(of('::ffff:10.1.1.1', '8.8.8.8'), '8.8.8.8')
  assert.equal(of('10.1.1.1', '1.1.1.1, 8.8.8.8, 10.9.9.9'), '8.8.8.8')
  assert.equal(of('10.1.1.1', 'nonsense'), '10.1.1.1')
  assert.equal(of('10.1.1.1'), '10.1.1.1')
  assert.equal(of('fd00::1', '2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(of('2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(of('192.0.2.1', undefined, { origin: 'https://x.example' }), '192.0.2.1 page')
  const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }
  assert.equal(of('192.0.2.1', undefined, opened), '192.0.2.1')
  assert.throws(() => new TrustedProxies(['proxy.example']), RangeError)
  assert.throws(() => new TrustedProxies(['10.0.0.0/99']))
})
