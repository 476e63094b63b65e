import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS } from '../src/model/errors.ts'
import { restoreInto } from '../src/store/transfer/restore.ts'
import { Asking, AuthorizationWorld } from './authorization-world.ts'
import { onEachEngine, storeLocation, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const PASSPHRASE = 'correct horse battery staple'

onEachEngine('ER-1 a wrong passphrase is refused at sign-in and when changing it', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  await owner.submit(await owner.get('/settings'), { passphrase: PASSPHRASE })
  const change = await owner.submit(await owner.get('/settings'), {
    current: 'not this one at all',
    passphrase: 'another passphrase entirely',
  })
  const signIn = await owner.post('/sign-in', { passphrase: 'not this one at all' })
  for (const page of [change, signIn]) {
    assert.equal(page.status, ERRORS.wrong_passphrase)
    assert.match(page.html, /That is not the (current )?passphrase/)
  }
  assert.equal((await owner.post('/sign-in', { passphrase: PASSPHRASE })).status, 200)
  assert.deepEqual(world.failures, [])
})

onEachEngine('ER-1 only what was shown can be allowed, and only once', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { body } = await world.register()
  const asking = new Asking(world, body.client_id)
  const page = await asking.open(owner)
  const choice = { [`share:${connection_id}:messages`]: 'all', range: 'all', action: 'review' }
  const first = await owner.submit(page, choice)
  await world.receive(connection_id, ['m4'])
  const changed = await owner.submit(first, { action: 'approve' })
  assert.equal(changed.status, ERRORS.consent_changed)
  assert.match(changed.html, /Nothing was shared/)
  assert.match(changed.html, /<strong>4 records<\/strong>/)

  const { store } = world.server
  const now = new Date().toISOString()
  const uid = new URL(page.url).pathname.split('/').at(-1) ?? ''
  await store.writer.call('decideConsent', {
    owner_id: store.owner_id,
    interaction: uid,
    client_id: body.client_id,
    client_name: 'The same request in another window',
    grants: [],
    strict: false,
    evidence: {},
    artifact: {
      ...{ owner_id: store.owner_id, model: 'Grant', id: 'another', payload: {}, consent_id: 'another' },
      ...{ lookup: null, opens: false, asked_from: null, now, expires_at: null },
    },
    now,
  })
  const decided = await owner.submit(changed, { action: 'approve' })
  assert.equal(decided.status, 409)
  assert.match(decided.html, /consent_decided/)
  assert.deepEqual((await world.call('/v1/owner/grants')).body.data, [])
  assert.deepEqual(world.failures, [])
})

onEachEngine('ER-1 requests about an import that does not exist get import_not_found', async engine => {
  await using server = await TestServer.start(engine)
  for (const [method, path] of [
    ['GET', '/v1/owner/imports/imp_nothing'],
    ['GET', '/v1/owner/imports/imp_nothing/rejections'],
    ['PATCH', '/v1/owner/imports/imp_nothing'],
  ] as const) {
    const { status, body } = await server.json(path, {
      method,
      ...(method === 'PATCH'
        ? { body: '{"counts":{"seen":1}}', headers: { 'Content-Type': 'application/json' } }
        : {}),
    })
    assert.deepEqual([status, body.error.code], [404, 'import_not_found'], `${method} ${path}`)
  }
})

onEachEngine('ER-1 an export is restored into an empty store, completely or not at all', async engine => {
  await using server = await TestServer.start(engine)
  const connection_id = await server.connect(MAILBOX)
  await server.ingest('messages', connection_id, [message('m1')])
  const whole = await (await server.request('/v1/owner/export')).text()
  const chunks = async function* (text: string) {
    yield Buffer.from(text)
  }
  await assert.rejects(restoreInto(server.location, chunks(whole)), { code: 'store_not_empty', status: 409 })
  const { location, remove } = await storeLocation(engine)
  for (const text of ['', whole.slice(0, -30), whole.replace('m1', 'm2'), `${whole}{}\n`])
    await assert.rejects(restoreInto(location, chunks(text)), { code: 'invalid_export', status: 400 })
  assert.equal((await restoreInto(location, chunks(whole))).record, 1)
  await remove()
})

test('a query without words is refused with that reason', async () => {
  await using server = await TestServer.start('sqlite')
  const { body } = await server.json('/v1/search?q=%3F!')
  assert.deepEqual(body.data, [])
  assert.equal(body.meta.warnings[0].code, 'no_words')
})
