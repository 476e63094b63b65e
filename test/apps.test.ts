import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Grant } from '../src/model/access/grant.ts'
import { insertGrant } from '../src/store/access/grants.ts'
import { CONSENT_GRANTS } from '../src/store/access/tables.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { lockedTransaction } from '../src/store/engine/owner-row.ts'
import { Asking, AuthorizationWorld, asking, DETAIL } from './authorization-world.ts'
import { footnote, freshPlace, output } from './command-line.ts'
import { freshLocation, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

async function subjects(server: TestServer, token: string): Promise<string[]> {
  const { body } = await server.json('/v1/streams/messages/records', { token })
  return body.data.map(({ data }: { data: { subject: string } }) => data.subject).sort()
}

onEitherEngine(
  'AN-30 a source that is added can be read at the next request, under its own grant',
  async engine => {
    await using server = await TestServer.start(engine)
    const first = await server.connect(MAILBOX, 'First')
    await server.ingest('messages', first, [message('a')])
    const expires_at = '2036-01-01T00:00:00Z'
    const made = await server.grants({ connections: [first], fields: ['id', 'subject'], expires_at })
    const before = await server.json(`/v1/owner/grants/${made.grant_ids[0]}`)
    const second = await server.connect(MAILBOX, 'Second')
    await server.ingest('messages', second, [
      message('b'),
      message('old', { received_at: '2001-01-01T00:00:00Z' }),
    ])
    assert.deepEqual(await subjects(server, made.access_token), ['Subject a'])
    const path = `/v1/owner/clients/${made.client_id}/sources`
    const asked = { connections: [second], streams: ['messages'], since: '2020-01-01' }
    const added = await server.post(path, asked)
    assert.equal(added.status, 201)
    const [grant, ...more] = added.body.grants
    assert.deepEqual(more, [])
    assert.deepEqual([grant.expires_at, grant.access_mode], [expires_at, 'continuous'])
    assert.deepEqual(grant.streams[0].instance_ids, [second])
    assert.deepEqual(await subjects(server, made.access_token), ['Subject a', 'Subject b'])
    assert.deepEqual(
      (await server.json(`/v1/owner/grants/${made.grant_ids[0]}`)).body,
      before.body,
      'a grant stays as it was made',
    )
    const again = await server.post(path, asked)
    assert.deepEqual([again.status, again.body.grants], [200, []])
    const { body: clients } = await server.json('/v1/owner/clients')
    assert.deepEqual(
      clients.data.map((client: object) => ({ ...client, created_at: '' })),
      [
        {
          object: 'client',
          client_id: made.client_id,
          name: 'Test client',
          created_at: '',
          answers_to: null,
          connection_ids: [first, second].sort(),
          extendable: true,
        },
      ],
    )
    const { body: audit } = await server.json(`/v1/owner/audit?grant_id=${grant.grant_id}`)
    const [event] = audit.data
    assert.deepEqual(
      [event.event, event.actor, event.client_id, event.detail],
      ['grant_made', 'owner', made.client_id, 'source_added'],
    )
    const { body: ledger } = await server.json('/v1/owner/disclosures')
    assert.deepEqual(ledger.data[0].grant_ids.sort(), [...made.grant_ids, grant.grant_id].sort())
    await server.revoke({ grant_ids: [grant.grant_id] })
    assert.deepEqual(await subjects(server, made.access_token), ['Subject a'])
    assert.deepEqual(server.failures, [])
  },
)

onEitherEngine('AN-30 a source can be added only to an app that already has access', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const add = async (client_id: string, body: object = { connections: [connection] }) => {
    const answer = await server.post(`/v1/owner/clients/${client_id}/sources`, body)
    return [answer.status, answer.body.error?.code]
  }
  assert.deepEqual(await add('cli_nobody'), [404, 'client_not_found'])
  const once = await server.grants({ client_name: 'Once', single_use: true })
  assert.deepEqual(await add(once.client_id), [409, 'client_must_ask'])
  const ended = await server.grants({ client_name: 'Ended' })
  await server.revoke(ended)
  assert.deepEqual(await add(ended.client_id), [409, 'client_must_ask'])
  const { client_id } = await server.grants({ client_name: 'Reader', fields: ['id'] })
  assert.deepEqual(await add(client_id, { connections: ['cin_nobody'] }), [404, 'connection_not_found'])
  assert.deepEqual(await add(client_id, { connections: [] }), [400, 'invalid_request'])
  assert.deepEqual(await add(client_id, {}), [400, 'invalid_request'])
  assert.deepEqual(await add(client_id), [201, undefined])
})

onEitherEngine('AN-30 an app that signed in reads an added source without signing in again', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('First', ['m1'])
  const owner = await world.signedIn()
  const app = await world.connect(owner, { lifetime: '7d' })
  const second = await world.mailbox('Second', ['m2', 'm3'])
  const count = async (token: string) =>
    (await world.call('/v1/streams/messages/records?count=exact', token)).body.meta?.count
  assert.equal(await count(app.access_token), 1)
  const path = `/v1/owner/clients/${app.client_id}/sources`
  const { grants } = await world.own('POST', path, { connections: [second] })
  assert.equal(grants.length, 1)
  assert.equal(await count(app.access_token), 3)
  const refreshed = await world.token({
    grant_type: 'refresh_token',
    refresh_token: app.refresh_token,
    client_id: app.client_id,
  })
  assert.equal(refreshed.status, 200)
  assert.equal(refreshed.body.authorization_details.length, 2)
  assert.equal(await count(refreshed.body.access_token), 3)
  const { body: listed } = await world.call('/v1/owner/grants')
  const ends = new Set(listed.data.map((grant: { expires_at: string }) => grant.expires_at))
  assert.equal(ends.size, 1, 'it ends with the others')
  await world.call('/oauth/revoke', null, {
    method: 'POST',
    body: new URLSearchParams({ token: refreshed.body.refresh_token, client_id: app.client_id }),
  })
  const refused = await world.call('/v1/streams/messages/records', app.access_token)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'grant_revoked'])
  const { body: after } = await world.call('/v1/owner/grants')
  assert.deepEqual(
    after.data.map((grant: { active: boolean }) => grant.active),
    [false, false],
  )
})

test('AN-30 a token issued while a source is being added waits for it and can read it [postgres]', async () => {
  const place = await freshLocation('postgres')
  await using world = await AuthorizationWorld.start('postgres', { place })
  await world.mailbox('First', ['m1'])
  const owner = await world.signedIn()
  const { client_id, refresh_token } = await world.connect(owner)
  const { owner_id } = world.server.store
  const second = await world.mailbox('Second', ['m2', 'm3'])
  await using other = await openDatabase(place.location, 'writer')
  const { token } = await lockedTransaction(other, owner_id, async transaction => {
    let isIssued = false
    const token = world.token({ grant_type: 'refresh_token', refresh_token, client_id })
    token.finally(() => {
      isIssued = true
    })
    const waiting = 'SELECT 1 AS one FROM pg_locks WHERE NOT granted'
    while (!isIssued && (await transaction.get(waiting)) === undefined);
    assert.equal(isIssued, false, 'a token does not wait for the grants of its consent')
    const held = await transaction.get<{ content: string; consent_id: string }>(
      'SELECT g.content, cg.consent_id FROM grants g JOIN consent_grants cg ON cg.grant_id = g.grant_id',
    )
    const { client, source, source_declaration, purpose_code, access_mode, streams } = JSON.parse(
      held?.content ?? '{}',
    ) as Grant
    const opened = streams.map(stream => ({ ...stream, instance_ids: [second] }))
    const terms = { source, source_declaration, purpose_code, access_mode, streams: opened }
    const now = new Date().toISOString()
    const { grant_id } = await insertGrant(transaction, { owner_id, client, terms, now })
    const consent_id = held?.consent_id ?? ''
    await transaction.insert(CONSENT_GRANTS, [{ owner_id, consent_id, grant_id }])
    return { token }
  })
  const { body } = await token
  const read = await world.call('/v1/streams/messages/records?count=exact', body.access_token)
  assert.equal(read.body.meta.count, 3)
})

onEitherEngine('AN-30 an app that asked for exactly what it reads has to ask again', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const first = await world.mailbox('First', ['m1'])
  const owner = await world.signedIn()
  const client_id = (await world.register()).body.client_id as string
  const request = new Asking(world, client_id)
  const streams = [{ name: 'messages', necessity: 'required', fields: ['id', 'subject'] }]
  const page = await request.open(owner, asking({ ...DETAIL, streams }))
  const done = await owner.submit(page, { action: 'approve' })
  const code = new URL(done.url).searchParams.get('code') ?? done.html
  assert.equal((await request.redeem(code)).status, 200)
  const { body: clients } = await world.call('/v1/owner/clients')
  assert.deepEqual([clients.data[0].connection_ids, clients.data[0].extendable], [[first], false])
  const second = await world.mailbox('Second', ['m2'])
  const refused = await world.post(`/v1/owner/clients/${client_id}/sources`, { connections: [second] })
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'client_must_ask'])
})

onEitherEngine('AN-30 an import says which apps can read it, and how to allow the others', async engine => {
  const { location, flags, remove } = await freshPlace(engine)
  try {
    const table = async (name: string) => {
      const file = join(location.directory, `${name}.csv`)
      await writeFile(file, `id,text\n1,of ${name}\n`)
      return file
    }
    const alone = await footnote(['import', await table('one'), '--name', 'Table one', ...flags])
    const named = `footnote ${flags.join(' ').replace(/:[^:/@]+@/, ':PASSWORD@')}`
    assert.ok(
      alone.stderr.includes(`No app can read Table one yet. To connect one: ${named} connect claude-code`),
      alone.stderr,
    )
    assert.match(alone.stderr, /^ {2}Table one \(cin_\w+\): 1 seen, 1 added,/m)
    await output(['grant', 'create', '--client', 'Reader', ...flags])
    const { stderr } = await footnote(['import', await table('two'), '--name', 'Table two', ...flags])
    assert.ok(
      stderr.includes(`Reader cannot read Table two. To let it: ${named} apps allow Reader "Table two"`),
      stderr,
    )
    const said = await output(['apps', 'allow', 'reader', 'table TWO', ...flags])
    assert.match(said, /Reader can now read: Table two/)
    assert.match(await output(['apps', 'allow', 'Reader', 'Table two', ...flags]), /can read that already/)
    const again = await footnote(['import', await table('two'), '--name', 'Table two', ...flags])
    assert.match(again.stderr, /Table two can be read by Reader\./)
    assert.match(await output(['apps', ...flags]), /^Reader {2}cli_\w+\n {2}Table one, Table two\n$/)
    const {
      data: [app],
    } = JSON.parse(await output(['apps', '--json', ...flags]))
    assert.deepEqual([app.name, app.connection_ids.length], ['Reader', 2])

    await footnote(['import', await table('three'), '--name', 'Table three', ...flags])
    const unknown = await footnote(['apps', 'allow', 'Reader', 'Table four', ...flags])
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /No source has the id or name Table four\. Known: "Table one"/)
    const nobody = await footnote(['apps', 'allow', 'Writer', 'Table three', ...flags])
    assert.match(nobody.stderr, /No app has the id or name Writer\.\nTry: one of: Reader/)
    assert.equal((await footnote(['apps', 'allow', 'Reader', ...flags])).code, 64)
    assert.equal(await output(['apps', 'list', ...flags]), await output(['apps', ...flags]))
    assert.equal((await footnote(['apps', 'forbid', ...flags])).code, 64)
  } finally {
    await remove()
  }
})
