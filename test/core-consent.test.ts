import assert from 'node:assert/strict'
import {
  Asking,
  AuthorizationWorld,
  asking,
  DETAIL,
  type PageVisit,
  type Visitor,
} from './authorization-world.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const SUBJECTS = { ...DETAIL, streams: [{ name: 'messages', fields: ['id', 'subject'] }] }

interface Asked {
  client_id: string
  request: Asking
  page: PageVisit
}

async function ask(world: AuthorizationWorld, owner: Visitor, changes = {}, client = {}): Promise<Asked> {
  const { client_id } = (await world.register({ client_name: 'Reader', ...client })).body
  const request = new Asking(world, client_id)
  return { client_id, request, page: await request.open(owner, changes) }
}

async function codeFrom(owner: Visitor, page: PageVisit): Promise<string> {
  const done = await owner.submit(page, { action: 'approve' })
  return new URL(done.url).searchParams.get('code') ?? assert.fail(done.html)
}

async function introspect(world: AuthorizationWorld, client_id: string, token: string) {
  const body = new URLSearchParams({ token, client_id })
  return (await world.call('/oauth/introspect', null, { method: 'POST', body })).body
}

onEitherEngine(
  'PC-16 PC-58: after one of two grants is revoked, introspection and token responses list only the other',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const accounts = [await world.mailbox('Work mail'), await world.mailbox('Private mail')]
    const owner = await world.signedIn()
    const { client_id, access_token, refresh_token } = await world.connect(owner)
    const accountsIn = ({ authorization_details }: { authorization_details: typeof granted }) =>
      authorization_details.flatMap(({ streams }) => streams.flatMap(stream => stream.instance_ids))
    const granted: { grant_id: string; streams: { instance_ids: string[] }[] }[] = (
      await introspect(world, client_id, access_token)
    ).authorization_details
    assert.deepEqual(new Set(accountsIn({ authorization_details: granted })), new Set(accounts))
    const [first, other] = granted
    assert.ok(first && other && first.grant_id !== other.grant_id)

    await world.call(`/v1/owner/grants/${first.grant_id}`, world.ownerToken, { method: 'DELETE' })
    const left = new Set(accountsIn({ authorization_details: [other] }))
    const facts = await introspect(world, client_id, access_token)
    assert.deepEqual([facts.active, new Set(accountsIn(facts))], [true, left])
    assert.deepEqual([facts.pdpp_token_kind, facts.grant_id], ['client', other.grant_id])
    const { body: again } = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
    assert.deepEqual(new Set(accountsIn(again)), left)
    assert.deepEqual(new Set(accountsIn(await introspect(world, client_id, again.access_token))), left)

    await world.call(`/v1/owner/grants/${other.grant_id}`, world.ownerToken, { method: 'DELETE' })
    assert.deepEqual(await introspect(world, client_id, again.access_token), { active: false })
  },
)

onEitherEngine(
  'PC-21 PC-22: a client without a name is shown by its id, and its logo is never shown',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const logo_uri = 'https://reader.example/logo.png'
    const { page, client_id } = await ask(world, owner, asking(SUBJECTS), {
      client_name: undefined,
      logo_uri,
    })
    assert.ok(page.html.includes(`<strong>${client_id}</strong>`))
    assert.match(page.html, /The app gave no name, so its id is shown/)
    assert.match(page.html, /not verified/)
    assert.ok(!page.html.includes('logo.png'))
    const display = { client_display: JSON.stringify({ name: 'Claimed name', logo_uri }) }
    const named = await ask(world, owner, { ...asking(SUBJECTS), ...display })
    assert.match(named.page.html, /<strong>Reader<\/strong>/, 'the registered name comes first')
    assert.ok(!named.page.html.includes('Claimed name') && !named.page.html.includes('logo.png'))
  },
)

/** Publishes a newer declaration of the mailbox, with one more field. */
async function publishMood(world: AuthorizationWorld): Promise<void> {
  const [messages, ...others] = MAILBOX.streams
  const properties = { ...messages?.schema.properties, mood: { type: 'string' } }
  await world.own('POST', '/v1/owner/declarations', {
    ...MAILBOX,
    declaration_version: '1.1.0',
    streams: [{ ...messages, schema: { ...messages?.schema, properties } }, ...others],
  })
}

const WHOLE = { ...SUBJECTS, streams: [{ name: 'messages' }] }

async function reviewAll(owner: Visitor, page: PageVisit): Promise<PageVisit> {
  const keys = [...page.html.matchAll(/name="(share:[^"]+:messages)"/g)].map(match => match[1] ?? '')
  assert.ok(keys.length > 0)
  const choices = Object.fromEntries(keys.map(key => [key, 'all']))
  return owner.submit(page, { ...choices, action: 'review' })
}

onEitherEngine(
  'PC-35 PC-36: a request is decided under the declaration that it was checked against',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { page, request } = await ask(world, owner, asking(WHOLE))
    // By the clock, this is published in the same second in which the request was checked.
    world.wait(-900)
    await publishMood(world)
    const review = await reviewAll(owner, page)
    assert.doesNotMatch(review.html, /Mood/)
    const { body } = await request.redeem(await codeFrom(owner, review))
    const [{ streams }] = body.authorization_details
    assert.ok(!streams[0].fields.includes('mood'))
    const [{ grant }] = await world.grants()
    assert.deepEqual(grant.source_declaration, { version: MAILBOX.declaration_version })
  },
)

onEitherEngine(
  'PC-35: a pushed request keeps its declaration, and a client cannot name an older one',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { client_id } = (await world.register({ client_name: 'Reader' })).body
    const request = new Asking(world, client_id)
    const asked = request.url(asking(WHOLE))
    const body = new URLSearchParams(asked.slice(asked.indexOf('?') + 1))
    const { request_uri } = (await world.call('/oauth/par', null, { method: 'POST', body })).body
    await publishMood(world)
    const pushed = await owner.get(`/oauth/authorize?${new URLSearchParams({ client_id, request_uri })}`)
    assert.doesNotMatch((await reviewAll(owner, pushed)).html, /Mood/)
    const older = JSON.stringify({ [MAILBOX.source.id]: MAILBOX.declaration_version })
    const direct = await request.open(owner, { ...asking(WHOLE), pinned_declarations: older })
    assert.match((await reviewAll(owner, direct)).html, /Mood/)
  },
)

onEitherEngine('PC-40 PC-42: what was shown and decided is stored as evidence', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const client_claims = { commitments: ['Nothing is sold.'] }
  const retention = { max_duration: 'P7D', on_expiry: 'delete' }
  const promised = { ...SUBJECTS, client_claims, retention }
  const { page, client_id } = await ask(world, owner, asking(promised))
  const shown = /name="shown" value="([^"]+)"/.exec(page.html)?.[1]
  const forged = await owner.submit(page, { action: 'approve', shown: `${shown}x` })
  assert.equal(forged.status, 409)
  await codeFrom(owner, page)
  const { database } = world.server.store
  const [row] = await database.all<{ evidence: string }>('SELECT evidence FROM consents', [])
  const evidence = JSON.parse(row?.evidence ?? '')
  assert.equal(evidence.digest, shown)
  assert.deepEqual([evidence.client.client_id, evidence.client.name], [client_id, 'Reader'])
  assert.deepEqual(evidence.requests[0].commitments, client_claims.commitments)
  assert.deepEqual(evidence.requests[0].retention, retention)
  assert.equal(evidence.ai_training, false)
  const other = await ask(world, owner, asking({ ...promised, client_claims: { commitments: ['Else.'] } }))
  assert.ok(!other.page.html.includes(shown ?? ''), 'other claims have another digest')
})

onEitherEngine(
  'PC-54: after a request with details, a replaced refresh token ends its family at once',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { page, request, client_id } = await ask(world, owner, asking(SUBJECTS))
    const { body: first } = await request.redeem(await codeFrom(owner, page))
    const refresh = (refresh_token: string) =>
      world.token({ grant_type: 'refresh_token', refresh_token, client_id })
    const second = await refresh(first.refresh_token)
    assert.equal(second.status, 200)
    const reused = await refresh(first.refresh_token)
    assert.deepEqual([reused.status, reused.body.error], [400, 'invalid_grant'])
    assert.equal((await refresh(second.body.refresh_token)).body.error, 'invalid_grant')
    for (const { access_token } of [first, second.body]) {
      assert.ok([401, 403].includes((await world.call('/v1/streams', access_token)).status))
      assert.deepEqual(await introspect(world, client_id, access_token), { active: false })
    }
  },
)

onEitherEngine('PC-55: a token ends with its grant, and says so', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { client_id, refresh_token } = await world.connect(owner, { lifetime: '1d' })
  world.wait(23.5 * 3_600_000)
  const asked = Math.floor(Date.now() / 1_000)
  const { body } = await world.token({ grant_type: 'refresh_token', refresh_token, client_id })
  const answered = Math.ceil(Date.now() / 1_000)
  assert.ok(body.expires_in > 1_700 && body.expires_in <= 1_800, `expires_in is ${body.expires_in}`)
  const { exp } = await introspect(world, client_id, body.access_token)
  const issued = exp - body.expires_in
  assert.ok(issued >= asked && issued <= answered, `${issued} is not from ${asked} to ${answered}`)
})

onEitherEngine('PC-14: an optional stream can be left out, a required one cannot', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const work = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const streams = [...SUBJECTS.streams, { name: 'notes', necessity: 'optional' }]
  const { page, request } = await ask(world, owner, asking({ ...SUBJECTS, streams }))
  const choice = await owner.submit(page, { action: 'change' })
  const share = (messages: string, notes: string) =>
    owner.submit(choice, {
      [`share:0:${work}:messages`]: messages,
      [`share:0:${work}:notes`]: notes,
      action: 'review',
    })
  assert.match((await share('none', 'all')).html, /The app needs .+ as well/)
  const { body } = await request.redeem(await codeFrom(owner, await share('all', 'none')))
  const [granted] = body.authorization_details
  assert.deepEqual(
    granted.streams.map(({ name }: { name: string }) => name),
    ['messages'],
  )
})

onEitherEngine(
  "PC-90: the owner token of another subject gives no access to this one's data",
  async engine => {
    await using server = await TestServer.start(engine)
    const work = await server.connect(MAILBOX, 'Work mail')
    await server.ingest('messages', work, [message('m1')])
    const now = new Date().toISOString()
    const token = await server.store.writer.call('createOwnerToken', { owner_id: 'ozzzzzzz', now })
    for (const path of ['/v1/streams', '/v1/streams/messages/records', '/v1/owner/connections']) {
      const own = await server.json(path)
      assert.ok(own.body.data.length > 0)
      const { status, body } = await server.json(path, { token })
      assert.ok(status >= 400 || body.data.length === 0, `${path}: ${status} ${JSON.stringify(body)}`)
    }
  },
)

onEitherEngine(
  'PC-4 an empty list of details is refused, not taken for a request without any',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { request, page } = await ask(world, owner, { authorization_details: ' [ ]' })
    assert.equal(new URL(page.url).searchParams.get('error'), 'invalid_authorization_details', page.url)
    const asked = request.url({ authorization_details: '[]' })
    const body = new URLSearchParams(asked.slice(asked.indexOf('?') + 1))
    const pushed = await world.call('/oauth/par', null, { method: 'POST', body })
    assert.deepEqual([pushed.status, pushed.body.error], [400, 'invalid_authorization_details'])
    body.set('authorization_details', '')
    assert.equal((await world.call('/oauth/par', null, { method: 'POST', body })).status, 201)
  },
)
