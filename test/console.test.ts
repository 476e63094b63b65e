import assert from 'node:assert/strict'
import { AuthorizationWorld } from './authorization-world.ts'
import { onEachEngine } from './engines.ts'

const HOUR_MS = 3_600_000

/** An import that stopped in the middle. */
async function interruptedImport(world: AuthorizationWorld, connection_id: string): Promise<void> {
  const begun = await world.own('POST', '/v1/owner/imports', {
    source_id: (await world.own('GET', `/v1/owner/connections/${connection_id}`, undefined)).source_id,
    format: 'mbox',
    fingerprint: 'f',
    stamp: 's',
    default_name: 'Mail',
    source: 'old.mbox',
    connection_id,
  })
  await world.own('PATCH', `/v1/owner/imports/${begun.import_id}`, {
    counts: { seen: 7, added: 5, rejected: 2 },
    rejections: [
      { no: 0, place: 'line 12', code: 'invalid_date', message: 'The <b>date</b> is not a time.' },
      { no: 1, place: 'line 90', code: 'invalid_date', message: 'The date is empty.' },
    ],
  })
}

onEachEngine('Home tells what there is, what apps read and what needs attention', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  assert.match((await owner.get('/')).html, /Nothing is here yet/)
  const connection = await world.mailbox('Work <b>mail')
  const app = await world.connect(owner)
  await world.call('/v1/streams/messages/records?limit=2', app.access_token)
  await world.mailbox('Home mail', ['h1'])
  await interruptedImport(world, connection)
  world.wait(HOUR_MS)
  const { html } = await owner.get('/')
  assert.match(html, /4 records from 2 sources/)
  assert.match(html, /<strong>Test app<\/strong> saw 2 records of Work &lt;b&gt;mail\./)
  assert.match(html, /Test app cannot see Home mail, which you added later\./)
  assert.match(html, /The last import into Work &lt;b&gt;mail was interrupted after 7 items\./)
  assert.match(html, /2 items rejected/)
  assert.match(html, /No passphrase is set/)
  assert.match(html, /<rect [^>]+><title>[^<]+: 4 records<\/title>/)
  assert.match(html, /aria-current="page">Home</)
  assert.deepEqual(world.failures, [])
})
