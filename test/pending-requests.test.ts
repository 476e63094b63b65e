import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { folderSize } from '../bench/place.ts'
import { Store } from '../src/store/store.ts'
import { Asking, AuthorizationWorld, DETAIL, REDIRECT } from './authorization-world.ts'
import { type Engine, onEachEngine, onEitherEngine, storeLocation, writable } from './engines.ts'
import { askFrom, FORM, JSON_TYPE } from './from-address.ts'

const STRANGER = '127.0.0.2'
const MODELS = ['Client', 'PushedAuthorizationRequest', 'Interaction', 'DeviceCode', 'Session'] as const
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const METADATA = {
  client_name: 'Test app',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', DEVICE],
}

class Flooded implements AsyncDisposable {
  readonly world: AuthorizationWorld
  readonly client_id: string

  private constructor(world: AuthorizationWorld, client_id: string) {
    this.world = world
    this.client_id = client_id
  }

  static async start(engine: Engine): Promise<Flooded> {
    const world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const { body } = await world.register(METADATA)
    await writable(world.server.store).run('UPDATE oauth_artifacts SET asked_from = NULL')
    return new Flooded(world, body.client_id)
  }

  /** Creates one pending request of each kind that needs no sign-in. */
  async createEachKind(address: string): Promise<number[]> {
    const { url } = this.world
    const asked = new Asking(this.world, this.client_id).url()
    const post = (path: string, body: string, headers = FORM) =>
      askFrom(address, url + path, { method: 'POST', headers, body })
    const answers = [
      await post('/oauth/register', JSON.stringify(METADATA), JSON_TYPE),
      await post('/oauth/par', asked.slice(asked.indexOf('?') + 1)),
      await askFrom(address, url + asked),
      await post('/oauth/device_authorization', String(new URLSearchParams({ client_id: this.client_id }))),
      await askFrom(address, `${url}/oauth/device`),
    ]
    return answers.map(({ status }) => status)
  }

  /** Inserts older rows from other addresses. */
  async fill(model: string, rows: number, askers: number): Promise<void> {
    const database = writable(this.world.server.store)
    const { owner_id } = this.world.server.store
    await database.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO oauth_artifacts (owner_id, model, artifact_key, payload, created_at, expires_at, asked_from)
       SELECT ?, '${model}', 'filled_' || i, '{}', '2026-01-01', '2099-01-01', 'asker ' || (i % ?) FROM n`,
      [rows, owner_id, askers],
    )
  }

  /** The same, but all from the address of the last request. */
  async fillFromLastAddress(model: string, rows: number): Promise<void> {
    await this.fill(model, rows, rows)
    await writable(this.world.server.store).run(
      `UPDATE oauth_artifacts SET asked_from = (
         SELECT asked_from FROM oauth_artifacts WHERE model = '${model}' AND artifact_key NOT LIKE 'filled%'
         ORDER BY created_at DESC LIMIT 1
       ) WHERE model = '${model}' AND artifact_key LIKE 'filled%'`,
    )
  }

  async count(model: string, where = `artifact_key LIKE 'filled%'`): Promise<number> {
    const sql = `SELECT count(*) AS n FROM oauth_artifacts WHERE model = '${model}' AND ${where}`
    return Number((await this.world.server.store.database.get<{ n: number }>(sql))?.n)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]()
  }
}

onEachEngine('an address has at most a hundred of a kind; a new one replaces its oldest', async engine => {
  await using flooded = await Flooded.start(engine)
  const { world } = flooded
  const owner = await world.signedIn()
  const asking = new Asking(world, flooded.client_id)
  const page = await asking.open(owner)
  assert.equal(page.status, 200)
  const leave = async () =>
    assert.deepEqual(await flooded.createEachKind(STRANGER), [201, 201, 303, 200, 200])
  await leave()
  for (const model of MODELS) await flooded.fillFromLastAddress(model, 97)
  for (let n = 0; n < 5; n++) await leave()
  const own = { Client: 1, Interaction: 1 } as Record<string, number>
  for (const model of MODELS) {
    assert.equal(await flooded.count(model, '1 = 1'), 100 + (own[model] ?? 0), model)
    assert.equal(await flooded.count(model), 94, `the oldest ${model} are gone`)
  }
  const code = await asking.approve(owner, page)
  assert.equal((await asking.redeem(code)).status, 200, 'a request of another address still works')
  assert.deepEqual(world.failures, [])
})

onEachEngine('with a thousand of a kind, the address with the most loses its oldest', async engine => {
  await using flooded = await Flooded.start(engine)
  const { world } = flooded
  for (const model of MODELS) {
    await flooded.fill(model, 990, 990)
    await writable(world.server.store).run(
      `UPDATE oauth_artifacts SET asked_from = 'greedy' WHERE model = '${model}' AND artifact_key LIKE 'filled_90%'`,
    )
  }
  for (let n = 1; n <= 12; n++)
    assert.deepEqual(await flooded.createEachKind(`127.0.1.${n}`), [201, 201, 303, 200, 200])
  for (const model of MODELS) {
    assert.equal(await flooded.count(model, 'asked_from IS NOT NULL'), 1000, model)
    assert.equal(
      await flooded.count(model, `asked_from <> 'greedy' AND artifact_key LIKE 'filled%'`),
      979,
      model,
    )
  }
})

onEachEngine('an app with access is never replaced, and expired requests are removed first', async engine => {
  await using flooded = await Flooded.start(engine)
  const { world } = flooded
  const { client_id } = await world.connect(await world.signedIn())
  await flooded.fill('Client', 1000, 1000)
  await flooded.fill('PushedAuthorizationRequest', 1000, 1000)
  const database = writable(world.server.store)
  await database.run(
    `UPDATE oauth_artifacts SET created_at = '2020-01-01' WHERE model = 'Client' AND artifact_key = ?`,
    [client_id],
  )
  await database.run(
    `UPDATE oauth_artifacts SET expires_at = '2026-02-01'
     WHERE model = 'PushedAuthorizationRequest' AND artifact_key LIKE 'filled_9%'`,
  )
  for (let n = 0; n < 5; n++) assert.equal((await world.register()).status, 201)
  await flooded.createEachKind('127.0.0.1')
  assert.equal(await flooded.count('Client', `artifact_key = '${client_id}'`), 1)
  assert.equal(await flooded.count('PushedAuthorizationRequest'), 1000 - 111)
})

onEitherEngine('a request that is too long to keep is refused', async engine => {
  await using flooded = await Flooded.start(engine)
  const { world } = flooded
  const body = new URL(world.url + new Asking(world, flooded.client_id).url()).searchParams
  body.set('state', 'x'.repeat(50_000))
  const pushed = await world.call('/oauth/par', null, { method: 'POST', body })
  assert.deepEqual([pushed.status, pushed.body.error], [400, 'invalid_request'])
  const registered = await world.register({
    contacts: Array.from({ length: 900 }, (_, n) => `someone-${n}@app.example`),
  })
  assert.deepEqual([registered.status, registered.body.error], [400, 'invalid_request'])
  assert.equal(await flooded.count('PushedAuthorizationRequest', '1 = 1'), 0)
})

onEitherEngine('PC-26: a pushed request may name a thousand records, as its details allow', async engine => {
  await using flooded = await Flooded.start(engine)
  const { world, client_id } = flooded
  const others = Array.from({ length: 999 }, (_, n) => `message-${n}@mail.example`.padEnd(40, '-'))
  const detail = {
    ...DETAIL,
    streams: [{ name: 'messages', resources: ['m1', ...others] }],
  }
  const asking = new Asking(world, client_id)
  const body = new URL(world.url + asking.url()).searchParams
  body.set('authorization_details', JSON.stringify([detail]))
  const pushed = await world.call('/oauth/par', null, { method: 'POST', body })
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body))
  const { request_uri } = pushed.body
  const owner = await world.signedIn()
  // A browser that has allowed an app before.
  await world.connect(owner)
  const page = await owner.get(`/oauth/authorize?${new URLSearchParams({ client_id, request_uri })}`)
  const { access_token } = (await asking.redeem(await asking.approve(owner, page))).body
  const { data } = (await world.call('/v1/streams/messages/records', access_token)).body
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    ['m1'],
  )
})

onEitherEngine('a request is measured in bytes, not in characters', async engine => {
  await using flooded = await Flooded.start(engine)
  const { world } = flooded
  const registered = await world.register({ software_id: '字'.repeat(6_000) })
  assert.deepEqual([registered.status, registered.body.error], [400, 'invalid_request'])
})

onEachEngine('once an address has a hundred of a kind, the stored data stops growing', async engine => {
  const { location, remove } = await storeLocation(engine)
  {
    await using store = await Store.open(location)
    const database = writable(store)
    const { owner_id } = store
    let saved = 0
    /** The size after this many more, once it is stable. */
    const after = async (more: number): Promise<number> => {
      for (const end = saved + more; saved < end; saved++) {
        const now = new Date(Date.UTC(2026, 0, 1) + saved * 1_000).toISOString()
        const artifact = { owner_id, model: 'Client', id: `cli_${saved}`, now, asked_from: 'one' }
        const payload = { state: randomBytes(12_000).toString('base64') }
        const rest = { consent_id: null, lookup: null, opens: false, expires_at: null }
        await store.writer.call('saveArtifact', { ...artifact, payload, ...rest })
      }
      if (engine === 'sqlite') {
        await database.all('PRAGMA wal_checkpoint(TRUNCATE)')
        return folderSize(location.directory)
      }
      await database.run('VACUUM')
      const row = await database.get<{ size: number }>('SELECT pg_database_size(current_database()) AS size')
      return Number(row?.size)
    }
    const [empty, full] = [await after(0), await after(160)]
    assert.ok(full - empty > 1_600_000, `${full - empty} bytes for a hundred`)
    let later = full
    for (let round = 0; round < 3; round++) later = await after(60)
    assert.ok(later - full < 600_000, `${later - full} bytes more after 180 more`)
  }
  await remove()
})
