import assert from 'node:assert/strict'
import { Asking, AuthorizationWorld, asking, DETAIL } from './authorization-world.ts'
import { onEachEngine } from './engines.ts'

const DAY_MS = 86_400_000

onEachEngine("a grant is replaced by a narrower one, and the app's token keeps working", async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail')
  const { access_token, grants } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Reader',
    connections: [connection_id],
    streams: ['messages'],
  })
  const [{ grant_id, streams }] = grants
  assert.ok(streams[0].fields.includes('secret'))
  const read = async () => (await world.call('/v1/streams/messages/records', access_token)).body
  assert.equal((await read()).data.length, 3)
  const path = `/v1/owner/grants/${grant_id}/replace`
  const made = await world.own('POST', path, {
    streams: [{ name: 'messages', fields: ['subject'], since: '2026-01-01' }],
    expires_at: '2090-01-01',
  })
  assert.notEqual(made.grant_id, grant_id)
  assert.equal(made.active, true)
  assert.equal(made.expires_at, '2090-01-01T00:00:00Z')
  const [left] = made.grant.streams
  assert.ok(left.fields.includes('subject') && left.fields.includes('id'))
  assert.ok(!left.fields.includes('secret'))
  assert.equal(left.time_constraint.since, '2026-01-01T00:00:00Z')
  const [record] = (await read()).data
  assert.equal(record.data.secret, undefined)
  assert.ok(record.data.subject)
  assert.equal((await world.call(`/v1/owner/grants/${grant_id}`)).body.active, false)
  const events = (await world.call(`/v1/owner/audit?grant_id=${made.grant_id}`)).body.data
  assert.deepEqual(
    events.map(({ event }: { event: string }) => event),
    ['grant_made'],
  )
  const again = async (body: unknown, id = made.grant_id) => {
    const answer = await world.post(`/v1/owner/grants/${id}/replace`, body)
    return answer.body.error?.code ?? answer.status
  }
  assert.equal(await again({ streams: [{ name: 'messages', fields: ['secret'] }] }), 'invalid_request')
  assert.equal(await again({ streams: [{ name: 'labels' }] }), 'invalid_request')
  assert.equal(await again({ streams: [] }), 'invalid_request')
  assert.equal(await again({}, grant_id), 'grant_not_found')
  // An earlier start does not extend the access.
  assert.equal(await again({ streams: [{ name: 'messages', since: '2001-01-01' }], expires_at: null }), 201)
  const last = (await world.grants()).find(({ active }) => active)
  assert.equal(last.grant.streams[0].time_constraint.since, '2026-01-01T00:00:00Z')
  assert.equal(last.expires_at, null)
  assert.equal((await read()).data.length, 3)
  assert.deepEqual(world.failures, [])
})

onEachEngine('an app that signed in keeps its access when its expiry changes', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Mail')
  const owner = await world.signedIn()
  const app = await world.connect(owner, { lifetime: '7d' })
  const [{ grant_id }] = (await world.call('/v1/owner/grants')).body.data
  const expires_at = new Date(Date.now() + 60 * DAY_MS).toISOString()
  await world.own('POST', `/v1/owner/grants/${grant_id}/replace`, { expires_at })
  const refresh = { grant_type: 'refresh_token', client_id: app.client_id }
  const first = await world.token({ ...refresh, refresh_token: app.refresh_token })
  assert.equal(first.status, 200)
  world.wait(20 * DAY_MS)
  const later = await world.token({ ...refresh, refresh_token: first.body.refresh_token })
  assert.equal(later.status, 200)
  assert.equal((await world.call('/v1/streams/messages/records', later.body.access_token)).status, 200)
  assert.deepEqual(world.failures, [])
})

async function refusalOf(world: AuthorizationWorld, grant_id: string): Promise<string> {
  const answer = await world.post(`/v1/owner/grants/${grant_id}/replace`, {})
  return `${answer.status} ${answer.body.error.code}`
}

onEachEngine('a grant of exact terms, or for a single use, cannot be replaced', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail')
  const { grants } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Once',
    connections: [connection_id],
    single_use: true,
  })
  assert.equal(await refusalOf(world, grants[0].grant_id), '409 client_must_ask')
  const owner = await world.signedIn()
  const streams = [{ name: 'messages', fields: ['id', 'subject'] }]
  const { client_id } = (await world.register()).body
  const page = await new Asking(world, client_id).open(owner, asking({ ...DETAIL, streams }))
  await owner.submit(page, { action: 'approve' })
  const { data } = (await world.call('/v1/owner/grants')).body
  const exact = data.find((grant: { client_id: string }) => grant.client_id === client_id)
  assert.equal(await refusalOf(world, exact.grant_id), '409 client_must_ask')
})
