import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyDaily } from '../src/origin/tidy.ts'
import { AuthorizationWorld, csrfIn } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'
import { message } from './mailbox.ts'

const DAY_MS = 86_400_000

onEitherEngine('an altered ledger is detected automatically and shown on Home and Activity', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Mail')
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  await world.call('/v1/streams/messages/records', access_token)
  const owner = await world.signedIn()
  const { store } = world.server
  await verifyDaily(store, new Date())
  assert.match((await owner.get('/activity')).html, /1 entry verified just now: nothing was changed/)
  await store.ledger.database.run(`UPDATE disclosures SET route = 'GET /v1/nothing'`, [])
  await verifyDaily(store, new Date())
  assert.doesNotMatch((await owner.get('/')).html, /changed from outside/)
  await verifyDaily(store, new Date(Date.now() + DAY_MS))
  for (const path of ['/', '/activity'])
    assert.match((await owner.get(path)).html, /The ledger was changed from outside: 1 place did not match/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine(
  'the ledger is verified daily again after a clock that was ahead is set back',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const { store } = world.server
    await verifyDaily(store, new Date(Date.now() + 365 * DAY_MS))
    await verifyDaily(store, new Date())
    const last = await store.lastVerified()
    assert.ok(Date.parse(last?.at ?? '') <= Date.now())
  },
)

onEitherEngine('the ledger is exported with its signatures, as lines and as a table', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Mail')
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  await world.call('/v1/streams/messages/records?limit=2', access_token)
  await world.call('/v1/search?q=body', access_token)
  const owner = await world.signedIn()
  const lines = (await owner.get('/activity/ledger.ndjson')).html.trimEnd().split('\n')
  const parsed = lines.map(line => JSON.parse(line))
  assert.equal(parsed.length, 2)
  assert.deepEqual(
    parsed.map(({ link_no }) => link_no),
    [1, 2],
  )
  assert.ok(parsed.every(({ mac, chain_id }) => mac && chain_id === parsed[0].chain_id))
  assert.equal(parsed[0].shown.flatMap(({ record_ids }: { record_ids: string[] }) => record_ids).length, 2)
  assert.ok(parsed.every(line => !('query' in line)))
  const csv = await owner.get('/activity/ledger.csv')
  assert.match(csv.headers.get('Content-Type') ?? '', /^text\/csv/)
  assert.match(csv.headers.get('Content-Disposition') ?? '', /^attachment/)
  const [head = '', first = ''] = csv.html.split('\r\n')
  assert.match(head, /^at,client_id,route,status,records,/)
  assert.match(first, /,GET \/v1\/streams\/:stream\/records,200,2,0,/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a request names its records by title, and says why it was refused', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', ['m1', 'm2'])
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Reader',
    streams: ['messages'],
  })
  await world.call('/v1/streams/messages/records', access_token)
  await world.call('/v1/streams/notes/records', access_token)
  await world.own('DELETE', `/v1/streams/messages/records/m2?connection_id=${connection_id}`, undefined)
  const owner = await world.signedIn()
  const { data } = (await world.call('/v1/owner/disclosures')).body
  const [refused, listed] = await Promise.all(
    data.map(({ disclosure_id, at }: { disclosure_id: string; at: string }) =>
      owner.get(`/activity/${client_id}/${disclosure_id}?at=${at}`),
    ),
  )
  assert.match(
    listed.html,
    /messages\/m1">Subject m1<\/a><\/p><p class="soft small">.*?<bdi>\d+ \w+ \d{4}, /,
    'who and when',
  )
  assert.match(listed.html, /messages\/m2">m2<\/a>/, 'a deleted record has only its id')
  assert.match(refused.html, /<h1>Reader asked for a list of records, and was refused<\/h1>/)
  assert.match(refused.html, /It may not read this\. No record was shown\./)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('the owner is told of a new app, of a first read and of a busy hour, once', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Mail')
  const owner = await world.signedIn()
  const page = await owner.get('/activity')
  const csrf = csrfIn(page)
  const set = { csrf, new_app: 'yes', first_read: 'yes', records_per_hour: '2' }
  assert.equal((await owner.post('/activity/alerts', { ...set, records_per_hour: 'many' })).status, 400)
  assert.match(
    (await owner.post('/activity/alerts', set)).html,
    /Saved. What happens is told on Home and here/,
  )
  assert.doesNotMatch((await owner.get('/')).html, /was connected/)
  world.wait(1_000)
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader <i>' })
  await world.call('/v1/streams/messages/records', access_token)
  for (const path of ['/', '/activity']) {
    const { html } = await owner.get(path)
    assert.match(html, /Reader &lt;i&gt; was connected\./)
    assert.match(html, /Reader &lt;i&gt; read Mail for the first time\./)
    assert.match(html, /Reader &lt;i&gt; was shown 3 records in the hour from/)
  }
  world.wait(1_000)
  const seen = await owner.post('/activity/alerts', { csrf, action: 'seen' })
  assert.doesNotMatch(seen.html, /was connected|read Mail for the first time|in the hour from/)
  assert.match(seen.html, /name="records_per_hour" value="2"/)
  await world.call('/v1/streams/messages/records?limit=1', access_token)
  assert.doesNotMatch((await owner.get('/')).html, /for the first time/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a record shows who has read it, with the exact passages', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', ['m1'])
  const body = `${'filler '.repeat(50)}treaty${' filler'.repeat(50)}`
  await world.ingest('messages', connection_id, [message('m_%', { subject: 'Minutes', body })])
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader <i>' })
  await world.call('/v1/search?q=treaty', access_token)
  await world.call(`/v1/streams/messages/records/m1?connection_id=${connection_id}`, access_token)
  const owner = await world.signedIn()
  const record = `/r/${connection_id}/messages/m_%25`
  const link = /href="([^"]+\/readers)"/.exec((await owner.get(record)).html)?.[1] ?? ''
  const { html } = await owner.get(link)
  assert.equal(html.match(/<strong>Reader &lt;i&gt;<\/strong>/g)?.length, 1)
  const passage = /href="([^"]+)">Body, characters/.exec(html)?.[1] ?? ''
  assert.match((await owner.get(passage.replaceAll('&amp;', '&'))).html, /<mark[^>]*>[^<]*treaty/)
  const request = (/href="(\/activity\/[^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
  const quoted = />… [^<]*<mark>[^<]*treaty[^<]*<\/mark>[^<]* …<\/a>/
  assert.match((await owner.get(request)).html, quoted, 'a passage is marked as cut on both sides')
  const other = await owner.get(`/r/${connection_id}/messages/m1/readers`)
  assert.equal(other.html.match(/<strong>Reader/g)?.length, 1)
  assert.match(
    (await owner.get(`/r/${connection_id}/messages/none/readers`)).html,
    /No app was shown anything/,
  )
  assert.equal((await world.call('/v1/owner/disclosures?record=messages:m1')).status, 400)
  assert.deepEqual(world.failures, [])
})

test('in a browser without scripts: an app reads, Activity shows it, the owner reduces it and removes it', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Work mail')
  await world.mailbox('Home mail', ['h1'])
  const owner = await world.signedIn()
  const { access_token } = await world.connect(owner)
  const [work, home] = (await world.call('/v1/owner/connections')).body.data
  const read = async (id: string) =>
    (await world.call(`/v1/streams/messages/records?connection_id=${id}`, access_token)).status
  assert.equal(await read(work.connection_id), 200)
  await using profile = await newProfile({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/activity`)
  await signInOn(page, world)
  await page.getByRole('link', { name: 'Test app' }).click()
  await page.getByRole('link', { name: 'Listed records, and saw 3 records' }).click()
  for (const id of ['m1', 'm2', 'm3'])
    await page.getByRole('link', { name: `Subject ${id}`, exact: true }).waitFor()
  assert.equal(await page.getByText('Home mail').count(), 0)
  await page.getByRole('link', { name: 'Apps', exact: true }).click()
  await page.getByRole('link', { name: 'Test app', exact: true }).click()
  await page.getByRole('button', { name: 'Reduce to what it used' }).click()
  await page.getByText('It needs everything that it has.').waitFor()
  assert.equal(await read(work.connection_id), 200)
  assert.ok((await read(home.connection_id)) >= 403)
  await page.getByRole('link', { name: 'Remove Work mail' }).click()
  await page.getByRole('button', { name: 'Remove access to 1 source' }).click()
  await page.getByText('No app can read anything').waitFor()
  assert.equal(await read(work.connection_id), 403)
  assert.deepEqual(world.failures, [])
})
