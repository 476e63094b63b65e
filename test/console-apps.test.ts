import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Asking, AuthorizationWorld, csrfIn, REDIRECT } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'

onEitherEngine('an app is reduced to what it used, and its grants are changed one by one', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  await world.mailbox('Home mail', ['h1'])
  const owner = await world.signedIn()
  const { access_token, client_id } = await world.connect(owner)
  const path = `/apps/${client_id}`
  const before = await owner.get(path)
  assert.match(before.html, /Test app used 0 of \d+ kinds of records in 30 days/)
  assert.doesNotMatch(before.html, /Reduce to what it used/)
  const [work] = (await world.call('/v1/owner/connections')).body.data
  await world.call(`/v1/streams/messages/records?connection_id=${work.connection_id}`, access_token)
  const used = await owner.get(path)
  const [, open = ''] = /used 1 of (\d+) kinds of records in 30 days/.exec(used.html) ?? []
  assert.ok(Number(open) > 1, used.html)
  assert.match(used.html, /<li>Home mail: all of it<\/li>/)
  await owner.submit(used, { action: 'reduce' })
  const reduced = await owner.get(path)
  assert.match(reduced.html, /used 1 of 1 kind of records in 30 days/)
  assert.match(reduced.html, /It needs everything that it has/)
  assert.match(reduced.html, /<h2>Ended access<\/h2>/)
  const streams = (await world.call('/v1/streams', access_token)).body.data
  assert.deepEqual(
    streams.map(({ name, connections }: { name: string; connections: unknown[] }) => [
      name,
      connections.length,
    ]),
    [['messages', 1]],
  )

  const change = /href="(\/apps\/[^"/]+\/grt_[^"/]+)"/.exec(reduced.html)?.[1] ?? ''
  const form = await owner.get(change)
  assert.match(form.html, /name="field:messages" value="secret" checked/)
  const fields = [...form.html.matchAll(/name="(csrf|stream|field:messages)" value="([^"]+)"/g)]
  const sent = fields
    .map(([, name = '', value = '']): [string, string] => [name, value])
    .filter(([, value]) => value !== 'secret')
  await owner.post(change, [...sent, ['ends', '90']])
  const { data } = (await world.call('/v1/streams/messages/records', access_token)).body
  assert.equal(data.length, 3)
  assert.equal(data[0].data.secret, undefined)
  const changed = await owner.get(path)
  assert.match(changed.html, /until \d+ \w+ \d{4}/)
  assert.equal((await owner.get(change)).status, 404)
  const none = await owner.post(/href="(\/apps\/[^"/]+\/grt_[^"/]+)"/.exec(changed.html)?.[1] ?? '', {
    csrf: csrfIn(form),
  })
  assert.equal(none.status, 400)
  assert.match(none.html, /Remove the access instead/)

  const receipt = /href="([^"]+\/receipt)"/.exec(changed.html)?.[1] ?? ''
  const text = await owner.get(receipt)
  assert.match(text.headers.get('Content-Type') ?? '', /^text\/plain/)
  assert.match(text.html, /^App {9}Test app \(/m)
  assert.match(text.html, /^State {7}in force$/m)
  assert.match(text.html, /^Since .*\. Purpose: as context for your AI assistant\.$/m)
  assert.match(text.html, /fields: (?!.*secret).*subject/)
  assert.equal((await owner.get(receipt.replace(client_id, 'cli_other'))).status, 404)
  assert.equal((await owner.get('/apps/cli_nobody')).status, 404)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('an app gets access to one more source and reads it with its existing token', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { access_token, client_id } = await world.connect(owner)
  await world.mailbox('Home mail', ['h1'])
  const page = await owner.get(`/apps/${client_id}`)
  assert.match(
    page.html,
    /What it cannot see<\/h2><p class="soft">[^<]*<\/p><ul class="rows card"><li class="head"><span>Home mail</,
  )
  const form =
    /<form method="post"[^>]*>(?:(?!<\/form>)[\s\S])*value="add"[\s\S]*?<\/form>/.exec(page.html)?.[0] ?? ''
  const fields = [...form.matchAll(/name="([^"]+)" value="([^"]+)"/g)]
  const after = await owner.post(
    `/apps/${client_id}`,
    fields.map(([, name = '', value = '']): [string, string] => [name, value]),
  )
  assert.doesNotMatch(after.html, /What it cannot see/)
  const { data } = (await world.call('/v1/streams/messages/records', access_token)).body
  assert.equal(data.length, 4)
  assert.deepEqual(world.failures, [])
})

test('the page of a grant shows since when it gives access, and saving it changes nothing about that', async () => {
  await using world = await AuthorizationWorld.start('sqlite', { timeZone: 'America/New_York' })
  const connection_id = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { client_id, grants } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Reader',
    connections: [connection_id],
    streams: ['messages'],
    since: '2026-01-01T12:00:00Z',
  })
  const page = await owner.get(`/apps/${client_id}/${grants[0].grant_id}`)
  assert.match(page.html, /name="since" value="2026-01-01"/)
  assert.equal((await owner.submit(page, { since: '2026-01-01' })).status, 200)
  const { data } = (await world.call('/v1/owner/grants')).body
  const { grant_id } = data.find(({ active }: { active: boolean }) => active)
  assert.notEqual(grant_id, grants[0].grant_id)
  const { grant } = (await world.call(`/v1/owner/grants/${grant_id}`)).body
  assert.equal(grant.streams[0].time_constraint.since, '2026-01-01T12:00:00Z')
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a refused change of a grant keeps what was chosen and says what to do', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { client_id, grants } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Reader',
    connections: [connection_id],
    streams: ['messages'],
  })
  const page = await owner.get(`/apps/${client_id}/${grants[0].grant_id}`)
  const chosen = { since: '2026-02-03', ends: '90' }
  const nothing = await owner.submit(page, { ...chosen, stream: '', 'field:messages': 'subject' })
  assert.equal(nothing.status, 400)
  assert.match(nothing.html, /Nothing would be left/)
  assert.match(nothing.html, /name="since" value="2026-02-03"/)
  assert.match(nothing.html, /value="90" selected/)
  assert.doesNotMatch(nothing.html, /name="stream" value="messages" checked/)
  assert.match(nothing.html, /name="field:messages" value="subject" checked/)
  assert.doesNotMatch(nothing.html, /name="field:messages" value="body" checked/)
  const bare = await owner.submit(page, { 'field:messages': '' })
  assert.equal(bare.status, 400)
  assert.match(
    bare.html,
    /<p class="notice danger" role="alert">Keep at least one field of “Your e-mail”, or take it out\./,
  )
  assert.equal((await world.call('/v1/owner/grants')).body.data.length, 1)
  assert.deepEqual(world.failures, [])
})

test('an app that asked for a single use is told to ask again', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const connection_id = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const { client_id, grants } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Once',
    connections: [connection_id],
    single_use: true,
  })
  const { html } = await owner.get(`/apps/${client_id}`)
  assert.match(html, /Since [^,]+, for a single use of at most an hour\.<\/p>/)
  const page = await owner.get(`/apps/${client_id}/${grants[0].grant_id}`)
  const refused = await owner.submit(page, { ends: 'never' })
  assert.equal(refused.status, 409)
  assert.match(refused.html, /let the app ask again/)
})

test('in a browser without scripts the owner reduces an app with one button', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Work mail')
  await world.mailbox('Home mail', ['h1'])
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Claude Code' })
  const [work] = (await world.call('/v1/owner/connections')).body.data
  await world.call(`/v1/streams/messages/records?connection_id=${work.connection_id}`, access_token)
  await using profile = await newProfile({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/apps`)
  await signInOn(page, world)
  await page.getByRole('link', { name: 'Claude Code', exact: true }).click()
  await page.getByText(/Claude Code used 1 of \d+ kinds of records in 30 days/).waitFor()
  await page.getByText('What it would lose').click()
  await page.getByRole('button', { name: 'Reduce to what it used' }).click()
  await page.getByText('It needs everything that it has.').waitFor()
  const { data } = (await world.call('/v1/owner/grants')).body
  assert.equal(data.filter(({ active }: { active: boolean }) => active).length, 1)
  await page.getByRole('link', { name: 'Change Work mail' }).click()
  await page.getByLabel('Until when may it read?').selectOption({ label: 'One year from now' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Claude Code' }).waitFor()
  const after = (await world.call('/v1/owner/grants')).body.data.filter(
    ({ active }: { active: boolean }) => active,
  )
  assert.ok(Date.parse(after[0].expires_at) > Date.now() + 364 * 86_400_000)
})

onEitherEngine('sources and kinds that two grants of an app cover are counted once', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  for (const name of ['A', 'B', 'C', 'D', 'E']) await world.mailbox(`Mail ${name}`)
  const made = () => world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  const { client_id, access_token } = await made()
  const owner = await world.signedIn()
  const told = async () => {
    const { html } = await owner.get(`/apps/${client_id}`)
    return [/Everything in \d+ sources/, /used \d+ of \d+ kinds/, /Mail A, [^<]*/].map(
      each => each.exec(html)?.[0],
    )
  }
  await world.call('/v1/streams/messages/records', access_token)
  const once = await told()
  assert.equal(once[0], 'Everything in 5 sources')
  assert.equal((await made()).client_id, client_id)
  assert.deepEqual(await told(), once)
})

onEitherEngine('the sources of an app are listed by their names', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const names = ['Dora', 'Anna', 'Carl', 'Ben', 'Emil', 'Fritz']
  for (const name of names) await world.mailbox(name, ['m1'])
  const owner = await world.signedIn()
  const { client_id } = await world.connect(owner)
  for (const path of ['/apps', `/apps/${client_id}`]) {
    const { html } = await owner.get(path)
    const listed = [...html.matchAll(/<h3>(\w+)<\/h3>/g)].map(([, name]) => name)
    assert.deepEqual(listed, names.toSorted(), path)
  }
  assert.deepEqual(world.failures, [])
})

onEitherEngine(
  'what an app may read of many sources is said once, and only what differs is listed',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const names = ['Archive', 'Club mail', 'Home mail', 'List mail', 'School mail', 'Work mail']
    const ids = await Promise.all(names.map(name => world.mailbox(name, [`${name[0]}1`])))
    const owner = await world.signedIn()
    const all = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
    const narrow = await world.own('POST', '/v1/owner/grants', {
      client_name: 'Counter',
      connections: ids.slice(0, 1),
      fields: ['id', 'subject', 'received_at'],
      streams: ['messages'],
    })
    await world.own('POST', '/v1/owner/grants', {
      client_name: 'Recent',
      since: '2026-01-01T00:00:00Z',
    })
    const said = 'Everything in 6 sources, all fields, all time'
    const cards = new Map<string | undefined, string>()
    for (const [card] of (await owner.get('/apps')).html.matchAll(
      /<section class="card"[\s\S]*?<\/section>/g,
    ))
      cards.set(/aria-label="(\w+)"/.exec(card)?.[1], card)
    const reader = cards.get('Reader') ?? ''
    for (const html of [reader, (await owner.get(`/apps/${all.client_id}`)).html]) {
      assert.ok(html.includes(`<h3>${said}</h3>`), html)
      assert.equal(html.split('all fields').length, 2, 'said once')
      assert.match(html, /Archive, Club mail, Home mail and 3 more/)
      const [folded = ''] = /<details><summary>Each source<\/summary>[\s\S]*?<\/details>/.exec(html) ?? []
      for (const name of names) assert.ok(folded.includes(`aria-label="Remove ${name}"`), name)
      assert.match(folded, /<p>Your e-mail and notes<\/p>/)
    }
    assert.match(cards.get('Counter') ?? '', /Your e-mail: <span class="soft">only ID, Subject, Received at</)
    assert.doesNotMatch(cards.get('Counter') ?? '', /<details>|Everything/)
    assert.match(cards.get('Recent') ?? '', /Everything in 6 sources, all fields, from 1 January 2026</)

    const other = await owner.get(`/apps/${narrow.client_id}`)
    assert.match(
      other.html,
      /What it cannot see<\/h2><p class="soft">[^<]*<\/p><details><summary>5 sources<\/summary>/,
    )

    const { grant_id } = all.grants[0]
    await world.own('POST', `/v1/owner/grants/${grant_id}/replace`, { streams: [{ name: 'messages' }] })
    const changed = (await owner.get(`/apps/${all.client_id}`)).html
    assert.match(changed, /<h3>Everything in 5 sources, all fields, all time<\/h3>/)
    assert.match(
      changed,
      /<h3>\w+(?: mail)?<\/h3>\s*<ul class="plain"><li>Your e-mail: <span class="soft">all fields</,
    )
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'before a source of an app is removed, the page says what the app can still read',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    await world.mailbox('Home mail', ['h1'])
    const owner = await world.signedIn()
    const { client_id } = await world.connect(owner)
    const { html } = await owner.get(`/apps/${client_id}`)
    const link = /href="([^"]+)" aria-label="Remove Work mail"/.exec(html)?.[1] ?? ''
    const one = (await owner.get(link)).html
    assert.match(one, /Test app can read Work mail now\. After this, it can only read Home mail\./)
    assert.match(one, />Remove access to 1 source</)
    const all = (await owner.get(`/apps/remove?client=${client_id}`)).html
    assert.match(
      all,
      /can read 2 sources now: Home mail and Work mail\. After this, its next request is refused/,
    )
  },
)

onEitherEngine('apps with the same name are told apart by where their answers go', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const connect = async (redirect_uri: string) => {
    const { body } = await world.register({ client_name: 'Claude', redirect_uris: [redirect_uri] })
    const asking = new Asking(world, body.client_id)
    await asking.approve(owner, await asking.open(owner, { redirect_uri }))
  }
  await connect('https://claude.example/callback')
  const alone = await owner.get('/apps')
  assert.match(alone.html, /aria-label="Claude">/)
  assert.match(
    alone.html,
    /<p class="hint">It has read nothing yet\. Its answers go to claude\.example\. Since [^,]+, /,
  )
  await connect(REDIRECT)
  await world.own('POST', '/v1/owner/grants', { client_name: 'Claude' })
  const names = ['Claude (claude.example)', 'Claude (this computer, 127.0.0.1:33333)', 'Claude (your token)']
  for (const path of ['/apps', '/search'])
    for (const name of names) assert.ok((await owner.get(path)).html.includes(name), `${path}: ${name}`)
  await connect(REDIRECT)
  const { data } = (await world.call('/v1/owner/clients')).body
  const shown = [...(await owner.get('/apps')).html.matchAll(/aria-label="(Claude[^"]*)">\n<div/g)]
  assert.equal(new Set(shown.map(([, name]) => name)).size, data.length)
})

test('the pages about apps make as many requests for six grants as for one', async () => {
  const paths: string[] = []
  const log = { failure() {}, event() {}, request: ({ path }: { path: string }) => void paths.push(path) }
  await using world = await AuthorizationWorld.start('sqlite', { log })
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const grantOne = () => world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  const { client_id } = await grantOne()
  const asked = async () => {
    const counts: number[] = []
    for (const page of ['/', '/apps', `/apps/${client_id}`, '/settings/changes']) {
      paths.length = 0
      assert.equal((await owner.get(page)).status, 200, page)
      counts.push(paths.length)
    }
    return counts
  }
  const one = await asked()
  for (let more = 0; more < 5; more++) await grantOne()
  assert.deepEqual(await asked(), one)
})
