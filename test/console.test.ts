import assert from 'node:assert/strict'
import { pathTo } from '../src/console/hit-card.ts'
import type { MatchWindow, SearchHit } from '../src/model/search/search-hit.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { onEachEngine } from './engines.ts'
import { message } from './mailbox.ts'

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

const HOSTILE =
  '<script>document.title="owned"</script><img src=x onerror="document.title=1"><a href="javascript:1">x</a> \u202Egnp.exe'

async function hostileMailbox(world: AuthorizationWorld): Promise<string> {
  const connection_id = await world.mailbox(`Mail ${HOSTILE}`, [])
  const lines = [1, 2, 3].map(n =>
    JSON.stringify(
      message(`m${n}`, { subject: `Minutes ${n} ${HOSTILE}`, body: `${HOSTILE} treaty `.repeat(n) }),
    ),
  )
  const path = `/v1/ingest/messages?connection_id=${connection_id}`
  await world.own('POST', path, lines.join('\n'), 'application/x-ndjson')
  return connection_id
}

/** No element or address of a record came into being. */
function assertInert(html: string): void {
  assert.doesNotMatch(html, /<script|<img src=x|<\w+(?:\s+[\w-]+="[^"]*")*\s+onerror|href="javascript:/i)
}

onEachEngine(
  'Search shows the hits of the API in their order, each passage with a link to it',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await hostileMailbox(world)
    await world.mailbox('Other mail', ['o1'])
    const owner = await world.signedIn()
    const { data } = (await world.call('/v1/search?q=treaty')).body
    const { html } = await owner.get('/search?q=treaty')
    assertInert(html)
    const links = [...html.matchAll(/<a class="evidence"[^>]+href="([^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    )
    const windows = data.flatMap((hit: SearchHit) => hit.match_windows.map(window => ({ hit, window })))
    assert.ok(windows.length > 3)
    assert.deepEqual(
      links,
      windows.map(({ hit, window }: { hit: SearchHit; window: MatchWindow }) => pathTo(hit, window)),
    )
    assert.match(html, /<mark>treaty<\/mark>/)
    const opened = await owner.get(links[0] ?? '')
    assert.match(opened.html, /<mark[^>]*>treaty<\/mark>/)
    assertInert(opened.html)
    assert.match((await owner.get('/search?q=body')).html, /Other mail/)
    const elsewhere = await owner.get(`/search?q=body&source=${connection_id}&since=2020-01-01`)
    assert.match(elsewhere.html, /Nothing was found/)
    const bad = await owner.get('/search?q=treaty&since=yesterdayish')
    assert.equal(bad.status, 400)
    assertInert((await owner.get(`/search?q=${encodeURIComponent(HOSTILE)}`)).html)
    assert.deepEqual(world.failures, [])
  },
)
