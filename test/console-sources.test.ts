import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordBody } from '../src/api/records.ts'
import { recordRow, recordTitle } from '../src/console/record-row.ts'
import { rejectionList } from '../src/console/sources/import-page.ts'
import type { JsonObject } from '../src/model/json.ts'
import { TimeZone } from '../src/model/time.ts'
import { Times } from '../src/pages/times.ts'
import { AuthorizationWorld, csrfIn } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

onEitherEngine('the owner pages through the records of a source by kind, newest first', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Work <b>mail', [])
  await world.mailbox('Other mail', ['o1'])
  const minutes = Array.from({ length: 55 }, (_, minute) => String(minute + 1).padStart(2, '0'))
  const lines = minutes.map(minute => message(`m${minute}`, { received_at: `2026-01-01T00:${minute}:00Z` }))
  await world.ingest('messages', connection_id, lines)
  await world.ingest('notes', connection_id, [{ data: { id: 'n1', text: 'A note without a time' } }])
  const owner = await world.signedIn()
  const { data } = (await world.call('/v1/owner/connections')).body
  const other = data.find((each: { display_name: string }) => each.display_name === 'Other mail')
  const filled = await owner.get(`/sources/${other.connection_id}/records`)
  assert.match(filled.html, /<h1>Your e-mail<\/h1>/, 'a kind without records does not come first')
  const source = await owner.get(`/sources/${connection_id}`)
  const link = /<a href="([^"]+kind=messages)">Your e-mail<\/a>/.exec(source.html)?.[1] ?? ''
  const first = await owner.get(link)
  const titles = (html: string) => [...html.matchAll(/>Subject m(\d+)</g)].map(([, minute]) => minute)
  assert.deepEqual(titles(first.html), minutes.toReversed().slice(0, 50))
  assert.match(first.html, />55 records</)
  assert.match(first.html, new RegExp(`href="/r/${connection_id}/messages/m55"`))
  assert.match(first.html, /Work &lt;b&gt;mail/)
  const earlier = /href="([^"]+)">Earlier</.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const last = await owner.get(earlier)
  assert.deepEqual(titles(last.html), minutes.toReversed().slice(50))
  assert.doesNotMatch(last.html, />Earlier</)
  assert.doesNotMatch(first.html, />Newest</)
  assert.equal(/href="([^"]+)">Newest</.exec(last.html)?.[1], link)
  const notes = /href="([^"]+kind=notes)"/.exec(first.html)?.[1] ?? ''
  assert.match((await owner.get(notes)).html, /href="[^"]+\/notes\/n1"/)
  assert.equal((await owner.get('/sources/cin_nowhere/records')).status, 404)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('the page of a source shows its newest records and lets an app read it', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  await world.mailbox('Work mail')
  const { client_id, access_token } = await world.connect(owner)
  const connection_id = await world.mailbox('Home mail', ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
  const page = await owner.get(`/sources/${connection_id}`)
  assert.equal(page.html.match(/>Subject h\d</g)?.length, 5)
  assert.match(page.html, /kind=messages">All 6 records<\/a>/)
  assert.doesNotMatch(page.html, /What it contains/, 'a single kind is the source')
  assert.match(page.html, /<bdi>ada@example.org<\/bdi> · <bdi>\d/, 'no name turns the date around')
  assert.match(page.html, />Test app<\/a> <span class="soft">cannot see it</)
  // Who speaks to the browser says what the button shows.
  for (const path of [
    `/sources/${connection_id}`,
    `/apps/${client_id}`,
    `/apps/${client_id}/wants?stream=messages`,
  ])
    assert.match((await owner.get(path)).html, /aria-label="Let it read this: [^"]+">Let it read this</, path)
  const csrf = csrfIn(page)
  await owner.post(`/apps/${client_id}`, { csrf, action: 'add', source: connection_id })
  assert.equal((await world.call('/v1/search?q=h1', access_token)).body.data.length, 1)
  const after = (await owner.get(`/sources/${connection_id}`)).html
  assert.match(after, />Test app<\/a> <span class="soft">can read it</)
  assert.doesNotMatch(after, /Let it read this/)
  assert.deepEqual(world.failures, [])
})

test('what cannot be read is told once for each reason', async () => {
  const rejection = (place: string, message: string) => ({ place, code: 'broken_document', message })
  const broken = Array.from({ length: 6 }, (_, index) => rejection(`${index}.pdf`, 'It is broken.'))
  const shown = String(await rejectionList([...broken, rejection('7.pdf', 'It is empty.')]))
  assert.equal(shown.match(/It is broken\./g)?.length, 1)
  assert.match(shown, /<summary>6 places<\/summary>[\s\S]*5\.pdf[\s\S]*It is empty\.[\s\S]*7\.pdf/)
})

test('a record without a title is listed by its first values, and by its id if it has none', () => {
  const none = { id: 'r1', title: null, author: null }
  const data = {
    note: null,
    row_id: 'r1',
    category: 'Bills',
    date: '06/12/2021',
    paid: true,
    amount: -2055.5,
  }
  assert.equal(recordTitle({ ...none, data }), 'Bills · 06/12/2021 · -2055.5')
  assert.equal(recordTitle({ ...none, title: 'Rent', data }), 'Rent')
  const event = { starts_at: '2025-10-28T09:22:39Z', kind: 'event', time_zone: 'Asia/Tokyo' }
  assert.equal(
    recordTitle({ ...none, data: event }),
    'Event without a title',
    'a list tells the time beside it',
  )
  const said = { role: 'system', kind: 'message', position: 1, attempts: 0 }
  assert.equal(recordTitle({ ...none, author: 'system', data: said }), 'No text')
  assert.equal(recordTitle({ ...none, data: { tags: [], place: {}, row_id: 'r1' } }), 'r1')
  const contact = { name: null, emails: [{ value: 'ann@example.org', label: 'work' }] }
  assert.equal(recordTitle({ ...none, data: contact }), 'ann@example.org')
  assert.equal(recordTitle({ ...none, title: '', data: { text: 'ab'.repeat(40) } }), `${'ab'.repeat(29)}a…`)
})

test('a list also tells the beginning of a text, or the values of a row, but no title twice', () => {
  const gist = (title: string, data: JsonObject) => {
    const record = { connection_id: 'cin_aaaaaa', stream: 's', id: 'r1', title, author: 'Ann', data }
    const row = String(recordRow(record as RecordBody, new Times(new TimeZone('UTC'), new Date())))
    return /<\/div><p[^>]*>(.*)<\/p><\/li>$/s.exec(row)?.[1]
  }
  const text = 'The roof leaks\n\nagain, over the kitchen.'
  assert.equal(gist('Roof', { title: 'Roof', text, files: [] }), 'The roof leaks again, over the kitchen.')
  assert.equal(gist('The roof leaks again…', { text, sender: 'Ann', position: 3, files: [] }), undefined)
  assert.equal(gist('The roof', { text: 'Yes', place: 'a/long/path/to/some.md', files: [] }), undefined)
  const measured = { type: 'Heart rate', value: 72, unit: 'count/min', at: '2024-01-01T10:00:00Z' }
  assert.equal(gist('Heart rate', measured), '72 · count/min')
})

onEitherEngine(
  'more than six kinds of records are collapsed, so that the records are in sight',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const owner = await world.signedIn()
    const [kind] = MAILBOX.streams.filter(({ name }) => name === 'notes')
    const pageOf = async (count: number) => {
      const source = { ...MAILBOX.source, id: `https://sources.example/${count}` }
      const streams = Array.from({ length: count }, (_, at) => ({ ...kind, name: `notes_${at}` }))
      await world.own('POST', '/v1/owner/declarations', { ...MAILBOX, source, streams })
      const made = { source_id: source.id, display_name: 'Notes' }
      const { connection_id } = await world.own('POST', '/v1/owner/connections', made)
      return (await owner.get(`/sources/${connection_id}/records`)).html
    }
    assert.doesNotMatch(await pageOf(6), /<summary>/)
    assert.match(await pageOf(7), /<summary>All 7 kinds of records<\/summary><nav class="tabs"/)
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'Home counts every source by year, also if there are more than may be counted at once',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const owner = await world.signedIn()
    for (let no = 1; no <= 40; no++) await world.mailbox(`Mailbox ${no}`, ['m1'])
    const { html } = await owner.get('/sources')
    assert.equal(html.match(/<p class="soft small"><bdi>\d{4}</g)?.length, 40)
    const year = new Date(Date.now() - 86_400_000).getUTCFullYear()
    assert.match((await owner.get('/')).html, new RegExp(`40 records from 40 sources, ${year}\\.`))
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'Home tells once what several apps cannot see yet, and leads to where all can get it',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const owner = await world.signedIn()
    await world.mailbox('Mail')
    for (const client_name of ['One', 'Two']) await world.own('POST', '/v1/owner/grants', { client_name })
    world.wait(1_000)
    const added = await world.mailbox('New mail')
    const { html } = await owner.get('/')
    const told = `One and Two cannot see New mail, which you added later\\.\\s+<a href="/sources/${added}">Let them read`
    assert.match(html, new RegExp(told))
  },
)

onEitherEngine('Home lists the newest of many sources and leads to all of them', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  const listed = async (path: string) =>
    [...(await owner.get(path)).html.matchAll(/href="\/sources\/(cin_\w+)"/g)].map(([, id]) => id)
  const first = await world.mailbox('Mailbox 1')
  for (let no = 2; no <= 6; no++) await world.mailbox(`Mailbox ${no}`)
  assert.equal((await listed('/')).length, 6)
  assert.doesNotMatch((await owner.get('/')).html, /href="\/sources">All/)
  const last = await world.mailbox('Mailbox 7')
  const shown = await listed('/')
  assert.equal(shown.length, 6)
  assert.ok(shown.includes(last))
  assert.ok(!shown.includes(first))
  assert.match((await owner.get('/')).html, /<a href="\/sources">All 7 sources<\/a>/)
  assert.equal((await listed('/sources')).length, 7)
  assert.match(
    (await owner.get('/sources')).html,
    /<a class="button primary" href="\/import">Import files or a folder<\/a>/,
  )
})
