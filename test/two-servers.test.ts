import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { AuthorizationWorld, csrfIn, Visitor } from './authorization-world.ts'
import { storeLocation } from './engines.ts'
import { mcpPost } from './mcp-post.ts'

const PASSPHRASE = 'a heron by the quiet water'

/** A load balancer that sends each request to the next server in turn. */
class Balancer implements AsyncDisposable {
  readonly targets: URL[] = []
  /** How many requests each server got. */
  readonly passed = [0, 0]
  readonly #server: Server
  #turn = 0

  constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const at = this.#turn++ % this.targets.length
      this.passed[at] = (this.passed[at] ?? 0) + 1
      const { method, headers, url = '/' } = incoming
      const sent = request(new URL(url, this.targets[at]), { method, headers }, answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      sent.on('error', error => outgoing.destroy(error))
      incoming.pipe(sent)
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

/** Two servers on one database behind a balancer; requests to the public URL go to both in turn. */
async function twoServers(work: (both: Both) => Promise<void>): Promise<void> {
  await using balancer = new Balancer()
  const publicUrl = await balancer.listen()
  const place = await storeLocation('postgres')
  const shared = { place: { ...place, remove: async () => {} }, publicUrl }
  {
    await using one = await AuthorizationWorld.start('postgres', shared)
    await using two = await AuthorizationWorld.start('postgres', shared)
    const at = [one, two].map(({ server }) => server.address)
    balancer.targets.push(...at.map(address => new URL(address)))
    await work({ world: one, at, balancer })
    for (const world of [one, two]) assert.deepEqual(world.failures, [])
  }
  await place.remove()
}

interface Both {
  world: AuthorizationWorld
  /** The address of each server behind the balancer. */
  at: string[]
  balancer: Balancer
}

function callTool(url: string, token: string, name: string, args: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}` }
  return fetch(`${url}/mcp`, mcpPost('tools/call', { name, arguments: args }, headers))
}

test("two servers on one PostgreSQL take turns serving one client's whole journey, and both refuse it once revoked", async () => {
  await twoServers(async ({ world, at, balancer }) => {
    const ids = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']
    const connection = await world.mailbox('Work mail', ids)
    const owner = await world.signedIn()
    const { access_token, refresh_token, client_id } = await world.connect(owner)

    for (const list of ['/v1/streams/messages/records?limit=2', '/v1/search?q=body&limit=2']) {
      const seen: string[] = []
      let next = ''
      do {
        const { status, body } = await world.call(`${list}${next}`, access_token)
        assert.equal(status, 200, JSON.stringify(body))
        seen.push(...body.data.map((each: { record_key?: string; id: string }) => each.record_key ?? each.id))
        next = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
      } while (next !== '')
      assert.deepEqual(seen.sort(), ids, list)
    }
    const first = await world.call('/v1/streams/messages/records?changes_since=beginning', access_token)
    await world.receive(connection, ['m8'])
    const mark = encodeURIComponent(first.body.next_changes_since)
    const changed = await world.call(`/v1/streams/messages/records?changes_since=${mark}`, access_token)
    assert.deepEqual(
      changed.body.data.map(({ id }: { id: string }) => id),
      ['m8'],
    )
    for (const _ of at) {
      const found = await (await callTool(world.url, access_token, 'search', { query: 'm8' })).text()
      assert.match(found, /"title":"Subject m8"/)
    }
    const refreshed = (await world.token({ grant_type: 'refresh_token', refresh_token, client_id })).body
    for (const address of at) {
      const headers = { Authorization: `Bearer ${refreshed.access_token}` }
      assert.equal((await fetch(`${address}/v1/schema`, { headers })).status, 200)
    }

    const [one = '', two = ''] = at
    const grants = (await world.call('/v1/owner/grants')).body.data as { grant_id: string }[]
    const read = (address: string) =>
      fetch(`${address}/v1/search?q=body`, { headers: { Authorization: `Bearer ${access_token}` } })
    assert.equal((await read(two)).status, 200)
    for (const { grant_id } of grants) {
      const headers = { Authorization: `Bearer ${world.ownerToken}` }
      await fetch(`${one}/v1/owner/grants/${grant_id}`, { method: 'DELETE', headers })
    }
    assert.equal((await read(two)).status, 403, 'refused at the other server at the next request')
    assert.equal((await callTool(two, access_token, 'search', { query: 'm8' })).status, 401)
    assert.equal((await read(one)).status, 403)
    const [toOne = 0, toTwo = 0] = balancer.passed
    assert.ok(toOne > 10 && Math.abs(toOne - toTwo) <= 1, `${toOne} and ${toTwo}`)
  })
})

test('two servers count passphrase attempts together, and a session ends on both', async () => {
  await twoServers(async ({ world, at }) => {
    const owner = await world.signedIn()
    const set = await owner.submit(await owner.get('/settings'), { passphrase: PASSPHRASE })
    assert.match(set.html, /The passphrase was set/)
    const stranger = new Visitor(world.url)
    const guesses: number[] = []
    for (let n = 0; n < 8; n++)
      guesses.push((await stranger.post('/sign-in', { passphrase: `guess ${n}` })).status)
    assert.deepEqual(guesses, [401, 401, 401, 401, 401, 429, 429, 429])
    for (const _ of at)
      assert.equal((await stranger.post('/sign-in', { passphrase: PASSPHRASE })).status, 429)

    const other = await world.signedIn()
    const page = await other.get('/settings')
    const csrf = csrfIn(page)
    await other.post('/sign-out', { csrf, everywhere: 'yes' })
    for (const _ of at) assert.match((await owner.get('/settings')).url, /sign-in/)
  })
})
