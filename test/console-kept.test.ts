import assert from 'node:assert/strict'
import { AuthorizationWorld, csrfIn } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'

const PAGE = '/sources/kept'
const COUNTS = { seen: 3, added: 2, updated: 1, unchanged: 0, rejected: 0, deleted: 0 }

onEitherEngine(
  'the owner sees synced accounts and watched folders, runs them and removes them, without scripts',
  async engine => {
    await using world = await AuthorizationWorld.start(engine, { timeZone: 'UTC' })
    const connection_id = await world.mailbox('Mail', [])
    const owner = await world.signedIn()
    assert.match((await owner.get(PAGE)).html, /No account is kept in sync[\s\S]*No folder is watched/)
    assert.match((await owner.get('/sources')).html, /href="\/sources\/kept"/)

    const settings = { address: 'imap://ada@mail.example:993', security: 'tls', deletes: false }
    const { sync_id } = await world.own('POST', '/v1/owner/syncs', {
      ...{ name: 'Ada <b>', connection_id, every_minutes: 0, secret: 'v1.sealed', ...settings },
    })
    const path = `/v1/owner/syncs/${sync_id}`
    const error = { code: 'sync_refused', message: 'The server does not take the password.' }
    await world.own('POST', `${path}/run`, { runner: 'one' })
    assert.match((await owner.get(PAGE)).html, /It is running now\./)
    await world.own('PATCH', `${path}/run`, { runner: 'one', ended: { counts: COUNTS, error } })
    const { watched } = world.server.store
    await watched.add({ path: '/home/ada/letters', name: 'Letters', format: null })
    await watched.add({ path: '/home/ada/mail', name: null, format: 'mbox' })
    const run = await world.own('POST', '/v1/owner/imports', {
      ...{ source_id: 'https://sources.example/mailbox', format: 'mbox', source: '/home/ada/mail/a.mbox' },
      ...{ fingerprint: 'f', stamp: 's', default_name: 'Mail', connection_id },
    })
    await world.own('PATCH', `/v1/owner/imports/${run.import_id}`, {
      state: 'finished',
      counts: { added: 7 },
    })
    const broken = { code: 'source_unreadable', message: 'It cannot be read.' }
    await watched.note('/home/ada/letters', { looked_at: '2026-01-02T03:04:00Z', error: broken })

    const page = await owner.get(PAGE)
    const { html } = page
    assert.match(html, /Ada &lt;b&gt;<\/a>/)
    assert.match(html, /Last run [^<]*: 2 added, 1 updated, 0 deleted, 0 rejected\./)
    assert.match(html, /It failed, last [^<]*: The server does not take the password\./)
    assert.match(html, /It runs only when you start it\./)
    assert.match(html, /Last checked [^<]*2 January 2026, 03:04/)
    assert.match(html, /The last check failed: It cannot be read\./)
    assert.match(html, /Last import [^<]*: 7 added, 0 updated, 0 rejected\./)
    assert.doesNotMatch(html, /<script|sealed/)
    const demo = (await owner.get(`${PAGE}?demo`)).html
    for (const secret of ['Ada &lt;b&gt;', 'mail.example', '/home/ada', 'Letters']) {
      assert.ok(html.includes(secret), secret)
      assert.ok(!demo.includes(secret), `${secret} in the demo`)
    }

    const csrf = csrfIn({ html })
    const act = (fields: Record<string, string>) => owner.post(PAGE, { csrf, ...fields })
    const syncs = async () => (await world.call('/v1/owner/syncs')).body.data
    assert.match(
      (await act({ sync: sync_id, action: 'run' })).html,
      /It is due and starts within half a minute/,
    )
    assert.ok(Date.parse((await syncs())[0].next_run_at) <= Date.now())
    const ids = [...html.matchAll(/name="folder" value="([^"]+)"/g)].map(([, id]) => id ?? '')
    const [letters = '', mail = ''] = [...new Set(ids)]
    assert.equal(watched.idOf('/home/ada/letters'), letters)
    await act({ folder: letters, action: 'run' })
    assert.deepEqual(
      watched.list().map(({ asked_at }) => asked_at !== undefined),
      [true, false],
    )

    assert.match((await owner.get(`${PAGE}?folder=${mail}`)).html, /Remove it\?[\s\S]*Its records stay/)
    assert.equal(watched.list().length, 2)
    await act({ folder: mail, action: 'remove' })
    assert.deepEqual(
      watched.list().map(folder => folder.path),
      ['/home/ada/letters'],
    )
    assert.match((await owner.get(`${PAGE}?sync=${sync_id}`)).html, /Its password is deleted/)
    await act({ sync: sync_id, action: 'remove' })
    assert.deepEqual(await syncs(), [])
    assert.equal((await act({ sync: sync_id, action: 'remove' })).status, 404)
    assert.equal((await act({ folder: mail, action: 'run' })).status, 404)
    assert.equal((await act({ action: 'run' })).status, 400)
    assert.equal((await owner.post(PAGE, { csrf: 'x', sync: sync_id, action: 'remove' })).status, 403)
    assert.deepEqual(world.failures, [])
  },
)
