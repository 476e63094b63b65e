import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleOf, publisherNote } from '../src/authorization-server/consent/consent-parts.ts'
import {
  type Declaration,
  OWN_PUBLISHER,
  type StreamDeclaration,
} from '../src/model/declaration/declaration.ts'
import { TimeZone } from '../src/model/time.ts'
import { Times } from '../src/pages/times.ts'
import {
  Asking,
  AuthorizationWorld,
  asking,
  csrfIn,
  DETAIL,
  type PageVisit,
  shareAll,
  type Visitor,
} from './authorization-world.ts'
import { CHAT, line } from './chat.ts'
import { onEitherEngine } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'

async function requestOf(world: AuthorizationWorld): Promise<Asking> {
  const { body } = await world.register({ client_name: 'Reading app' })
  return new Asking(world, body.client_id)
}

const SUMMARY = { ...DETAIL, purpose_description: 'Weekly summary' }

function details(...streams: Record<string, unknown>[]): { authorization_details: string } {
  return asking({ ...SUMMARY, streams })
}

/** The different choices that are selected, of all streams of a form. */
function chosenSets({ html }: PageVisit): string[] {
  const radios = html.matchAll(/<input type="radio" name="share:[^>]*value="([^"]*)" checked/g)
  return [...new Set([...radios].map(([, set = '']) => set))]
}

/** The code that the client gets, or the page if there is none. */
async function approve(owner: Visitor, review: PageVisit): Promise<string> {
  const done = await owner.submit(review, { action: 'approve' })
  return new URL(done.url).searchParams.get('code') ?? done.html
}

onEitherEngine('consent: nothing is chosen at first, and choosing nothing shares nothing', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const page = await request.open(owner)
  assert.match(page.html, /Reading app wants to read your data/)
  assert.doesNotMatch(page.html, /<nav/, 'nothing leads away from the decision')
  assert.match(page.html, /not verified/)
  assert.match(page.html, /this computer \(127\.0\.0\.1:33333\)/)
  assert.match(page.html, /3 records/)
  const policy = page.headers.get('Content-Security-Policy') ?? ''
  assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:33333;/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.equal(page.headers.get('X-Frame-Options'), 'DENY')
  assert.deepEqual(chosenSets(page), ['none'])
  assert.doesNotMatch(page.html, /value="secret"\s+checked/)
  const review = await owner.submit(page, { action: 'review' })
  assert.match(review.html, /Nothing is chosen yet/)
  const forced = await owner.submit(page, { action: 'approve', shown: 'x' })
  assert.ok(!forced.url.includes('code='))
  assert.deepEqual(await world.grants(), [])
})

onEitherEngine(
  'consent: the review shows exactly what the client will read, and the grant allows only that',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const work = await world.mailbox('Work mail', ['m1', 'm2'])
    await world.mailbox('Private mail')
    const old = message('old', { received_at: '2019-01-01T00:00:00Z', body: 'Long ago' })
    await world.ingest('messages', work, [old])
    const owner = await world.signedIn()
    const request = await requestOf(world)
    const page = await request.open(owner)
    const key = `${work}:messages`
    const review = await owner.post(page.url, [
      ['csrf', csrfIn(page)],
      [`share:${key}`, 'custom'],
      [`field:${key}`, 'id'],
      [`field:${key}`, 'subject'],
      [`field:${key}`, 'no_such_field'],
      ['share:cin_nobody:messages', 'all'],
      ['range', '12m'],
      ['lifetime', '7d'],
      ['action', 'review'],
    ])
    assert.match(review.html, /<strong>2 records<\/strong>/)
    assert.match(review.html, /\(Work mail\), also what is added to them later, and nothing else/)
    const decision = review.html.slice(review.html.indexOf('class="dock'))
    assert.match(
      decision,
      /^[\s\S]*<strong>2 records of Work mail, until \d+ \w+ \d{4}\.<\/strong>[\s\S]*>Allow</,
    )
    assert.match(decision, /may send what it reads to the company behind it/)
    assert.doesNotMatch(review.html, /<summary>All \d+ fields/, 'a choice of fields is not collapsed')
    assert.match(review.html, /Subject m[12]/)
    assert.doesNotMatch(review.html, /Body of|hush|ada@example/)
    const code = await approve(owner, review)
    const { body: tokens } = await request.redeem(code)
    const [grant, ...more] = await world.grants()
    assert.deepEqual(more, [])
    assert.equal(grant.grant.purpose_code, 'https://pdpp.dev/purpose/agent_context')
    assert.deepEqual(grant.grant.streams[0].fields, ['id', 'subject'])
    assert.match(grant.grant.streams[0].time_constraint.since, /^20\d\d-\d\d-\d\dT00:00:00Z$/)
    assert.equal(Date.parse(grant.expires_at) - Date.parse(grant.created_at), 7 * 86_400_000)
    const read = await world.call('/v1/streams/messages/records?count=exact', tokens.access_token)
    assert.equal(read.body.meta.count, 2)
    for (const { data } of read.body.data) assert.deepEqual(Object.keys(data), ['subject', 'id'])
    const { streams } = tokens.authorization_details[0]
    assert.deepEqual(
      [streams.length, streams[0].instance_ids, streams[0].fields],
      [1, [work], ['id', 'subject']],
    )
    assert.equal(
      (await world.call('/v1/owner/disclosures')).body.data.length,
      1,
      'the preview is no disclosure',
    )
  },
)

onEitherEngine('PC-43: a request is shown as sent, and can be narrowed but never widened', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const work = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const wanted = details({
    name: 'messages',
    fields: ['id', 'subject', 'body'],
    time_range: { since: '2020-01-01' },
  })
  const page = await request.open(owner, wanted)
  assert.match(page.html, /Let Reading app read this\?/)
  assert.match(page.html, /Weekly summary/)
  assert.match(page.html, /Those whose “Received at” is on or after 1 January 2020, including new ones/)
  assert.match(page.html, /Body of m/)
  assert.doesNotMatch(page.html, /hush|ada@example/)
  const key = `0:${work}:messages`
  const widened = await owner.post(page.url, [
    ['csrf', csrfIn(page)],
    [`share:${key}`, 'custom'],
    [`field:${key}`, 'subject'],
    [`field:${key}`, 'secret'],
    [`share:${work}:notes`, 'all'],
    ['range', 'custom'],
    ['since', '2001-01-01'],
    ['lifetime', 'forever'],
    ['action', 'review'],
  ])
  const code = await approve(owner, widened)
  assert.equal((await request.redeem(code)).status, 200)
  const [grant, ...more] = await world.grants()
  assert.deepEqual(more, [])
  assert.deepEqual(
    grant.grant.streams.map(({ name, fields, time_constraint }: Record<string, unknown>) => [
      name,
      fields,
      time_constraint,
    ]),
    [['messages', ['id', 'subject'], { field: 'received_at', since: '2020-01-01T00:00:00Z' }]],
  )
})

onEitherEngine('consent: no preset leaves out old records, and long examples are cut', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const work = await world.mailbox('Work mail', [])
  const lines = ['1997-01-01T00:00:00Z', '1998-01-01T00:00:00Z'].map((received_at, n) =>
    message(`old${n}`, { received_at, body: 'x'.repeat(500) }),
  )
  await world.ingest('messages', work, lines)
  const owner = await world.signedIn()
  const page = await (await requestOf(world)).open(owner)
  assert.match(page.html, /name="range" value="all" checked/)
  assert.match(page.html, /x{239}…/, 'long texts of the example are cut, and say so')
  await world.receive(work, ['new'])
  const later = await (await requestOf(world)).open(owner)
  assert.match(later.html, /name="range" value="all" checked/)
})

onEitherEngine('consent: sensitive fields that are requested are not selected in advance', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const page = await (await requestOf(world)).open(owner, details({ name: 'messages' }))
  assert.match(page.html, /wants to read your data/)
  const at = (part: string) => page.html.indexOf(part)
  assert.ok(at('data-class="policy"') < at('name="share:'), 'why comes before what')
  assert.match(page.html, /Sensitive: Secret/)
  assert.deepEqual(chosenSets(page), ['none'])
})

onEitherEngine('consent: malformed requests are refused to the client with a typed error', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const streams = [{ name: 'messages' }]
  const bad = [
    'not json',
    JSON.stringify([{ type: 'https://other.example' }]),
    JSON.stringify([{ type: DETAIL.type }]),
    JSON.stringify([{ ...SUMMARY, streams: [{ name: 'messages', everything: true }] }]),
    JSON.stringify([{ ...SUMMARY, actions: ['write'], streams }]),
    JSON.stringify([{ ...SUMMARY, source: { id: 'https://sources.example/never-seen' }, streams }]),
    JSON.stringify([{ ...SUMMARY, streams: [{ name: 'no_such_stream' }] }]),
    JSON.stringify([{ ...SUMMARY, streams: [{ name: 'messages', time_range: { since: 'yesterday' } }] }]),
    JSON.stringify([
      { ...SUMMARY, streams },
      { ...SUMMARY, streams },
    ]),
  ]
  for (const authorization_details of bad) {
    const { url } = await request.open(owner, { authorization_details })
    assert.equal(
      new URL(url).searchParams.get('error'),
      'invalid_authorization_details',
      authorization_details,
    )
  }
  const display = await request.open(owner, { client_display: '{"name":"x","logo":"y"}' })
  assert.equal(new URL(display.url).searchParams.get('error'), 'invalid_request')
  const elsewhere = details({ name: 'messages', instance_ids: ['cin_nobody'] })
  const nothing = await request.open(owner, elsewhere)
  assert.match(nothing.html, /data that you do not have here/)
})

onEitherEngine(
  'consent: the review collapses all fields of a kind, but never sensitive ones',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const work = await world.mailbox('Work mail')
    const chat = await world.addSource(CHAT, 'Chat')
    await world.ingest('chat', chat, [line('a', 1)])
    const owner = await world.signedIn()
    const page = await (await requestOf(world)).open(owner)
    const everything = { [`share:${work}:messages`]: 'all', [`share:${chat}:chat`]: 'all' }
    const review = await owner.submit(page, { ...everything, action: 'review' })
    assert.equal(review.html.split('<details>').length - 1, 1)
    assert.match(review.html, /<summary>All 7 fields<\/summary><p>Text, Who/)
    assert.match(review.html, /<p>Subject,[\s\S]*Secret <span class="badge warn">sensitive<\/span>/)
  },
)

onEitherEngine('PC-41: only what was shown can be approved; a change asks the owner again', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const work = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const page = await request.open(owner)
  const choices = { [`share:${work}:messages`]: 'all', action: 'review' }
  const review = await owner.submit(page, choices)
  await world.receive(work, ['m4'])
  const changed = await owner.submit(review, { action: 'approve' })
  assert.equal(changed.status, 409)
  assert.match(changed.html, /has changed\. Nothing was shared/)
  assert.match(changed.html, /<strong>4 records<\/strong>/)
  assert.deepEqual(await world.grants(), [])

  const [messages, notes] = MAILBOX.streams
  const properties = { ...messages?.schema.properties, mood: { type: 'string' } }
  await world.own('POST', '/v1/owner/declarations', {
    ...MAILBOX,
    declaration_version: '1.1.0',
    streams: [{ ...messages, schema: { ...messages?.schema, properties } }, notes],
  })
  const redeclared = await owner.submit(changed, { action: 'approve' })
  assert.equal(redeclared.status, 409)
  assert.match(redeclared.html, /Mood/)
  assert.deepEqual(await world.grants(), [])

  const forged = await owner.submit(redeclared, { action: 'approve', lifetime: 'forever' })
  assert.equal(forged.status, 409, 'a longer life than was shown')
  const code = await approve(owner, redeclared)
  assert.equal((await request.redeem(code)).status, 200)
})

onEitherEngine('consent: a decision is made once, in its own browser, with its own form', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const work = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const page = await request.open(owner)
  const review = await owner.submit(page, { [`share:${work}:messages`]: 'all', action: 'review' })

  const elsewhere = await world.signedIn()
  const foreign = await elsewhere.get(page.url)
  assert.equal(foreign.status, 410)
  assert.match(foreign.html, /request_expired/)
  const stranger = await elsewhere.submit(review, { action: 'approve' })
  assert.equal(stranger.status, 410)
  const csrf = await owner.submit(review, { action: 'approve', csrf: 'forged' })
  assert.equal(csrf.status, 403)
  assert.deepEqual(await world.grants(), [])

  const [one, other] = await Promise.all([
    owner.submit(review, { action: 'approve' }),
    owner.submit(review, { action: 'approve' }),
  ])
  const codes = [one, other].filter(({ url }) => url.includes('code='))
  assert.ok(codes.length <= 1)
  const replay = await owner.submit(review, { action: 'approve' })
  assert.ok([409, 410].includes(replay.status), String(replay.status))
  assert.equal((await world.grants()).length, 1)
})

onEitherEngine(
  'PC-51 PC-52 PC-53: a single-use grant is consumed by its first token, which lasts an hour and cannot be refreshed',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const request = await requestOf(world)
    const once = { ...SUMMARY, access_mode: 'single_use', streams: [{ name: 'messages', fields: ['id'] }] }
    const page = await request.open(owner, asking(once))
    assert.match(page.html, /It can do this once/)
    const code = await approve(owner, page)
    const { body: tokens } = await request.redeem(code)
    assert.equal(tokens.refresh_token, undefined)
    assert.equal(tokens.expires_in, 3_600)
    assert.equal((await request.redeem(code)).status, 400)
    const [{ consumed_at, grant_id }] = await world.grants()
    assert.notEqual(consumed_at, null)
    const trail = await world.call(`/v1/owner/audit?grant_id=${grant_id}`)
    assert.ok(trail.body.data.some(({ event }: { event: string }) => event === 'grant_consumed'))
  },
)

onEitherEngine('PC-13 PC-14 PC-16: with several accounts none is selected in advance', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const work = await world.mailbox('Work mail')
  const home = await world.mailbox('Private mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const page = await request.open(owner, details({ name: 'messages', fields: ['id', 'subject'] }))
  assert.match(page.html, /Several of your accounts fit this request/)
  assert.deepEqual(chosenSets(page), ['none'])
  const review = await owner.submit(page, { [`share:0:${home}:messages`]: 'all', action: 'review' })
  const { body: tokens } = await request.redeem(await approve(owner, review))
  const [detail, ...others] = tokens.authorization_details
  assert.deepEqual(others, [])
  assert.deepEqual(detail.streams[0].instance_ids, [home])
  const read = await world.call(`/v1/streams/messages/records?connection_id=${work}`, tokens.access_token)
  assert.equal(read.status, 404)
})

onEitherEngine(
  'PC-16: of many accounts that fit, each is shared with what was asked for by one button',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const [first] = [await world.mailbox('One'), await world.mailbox('Two'), await world.mailbox('Three')]
    const owner = await world.signedIn()
    const request = await requestOf(world)
    const page = await request.open(owner, details({ name: 'messages', fields: ['id', 'subject'] }))
    assert.match(page.html, /aria-label="Share what it asks for of Two"/)
    const shared = await owner.submit(page, { action: `everything:${first}` })
    assert.match(shared.html, /<strong>One<\/strong> <span class="soft small">all it asks for · /)
    const review = await owner.submit(shared, { action: 'review' })
    assert.match(review.html, /Only 2 of \d+ fields:/)
    assert.match(review.html, /from\s+<strong>1 source<\/strong> \(One\)/)
  },
)

onEitherEngine('PC-19: training AI models needs a separate checkbox', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const training = {
    ...SUMMARY,
    purpose_code: 'https://pdpp.dev/purpose/ai_training',
    purpose_description: 'To serve you better.',
    streams: [{ name: 'messages', fields: ['id'] }],
  }
  const page = await request.open(owner, asking(training))
  assert.match(page.html, /<dd>to train AI models: “To serve you better\.”<\/dd>/)
  assert.ok(page.html.indexOf('name="training"') < page.html.indexOf('data-class="enforced"'))
  assert.match(page.html, /<input type="checkbox" name="training" value="0" >/)
  const refused = await owner.submit(page, { action: 'approve' })
  assert.match(refused.html, /Tick that you agree/)
  assert.deepEqual(await world.grants(), [])
  const code = await approve(owner, {
    ...refused,
    html: refused.html.replace('value="0" >', 'value="0" checked>'),
  })
  assert.equal((await request.redeem(code)).status, 200)
})

test('the descriptions of our own importers are signed with our name, others with the id of their publisher', async () => {
  const stream = { ...MAILBOX.streams[0], description: 'Mail.' } as unknown as StreamDeclaration
  const noteBy = async (id: string) =>
    String(await publisherNote({ publisher: { id } } as Declaration, stream))
  assert.match(await noteBy(OWN_PUBLISHER), /\(description by Footnote\)/)
  assert.match(await noteBy('https://sources.example/'), /\(description by https:\/\/sources\.example\/\)/)
})

test('the example of a record is written for people: without brackets, and what is empty is only named', async () => {
  const stream = MAILBOX.streams[0] as unknown as StreamDeclaration
  const values = {
    id: 'm1',
    received_at: '2026-07-31T22:30:00Z',
    written_on: '2026-07-30',
    tags: [],
    labels: ['inbox', 'work'],
    phones: [
      { value: '+49 1234', label: 'cell' },
      { value: '+49 9876', label: null },
    ],
    size: 12,
    is_read: false,
    note: 'x'.repeat(300),
  }
  const shown = String(
    await exampleOf(stream, values, 'The newest', new Times(new TimeZone('Europe/Berlin'), new Date())),
  )
  const texts = [...shown.matchAll(/<dd dir="auto">([^<]*)<\/dd>/g)].map(([, text]) => text)
  assert.deepEqual(texts, [
    ...['1 August 2026, 00:30 CEST', '30 July 2026'],
    ...['inbox, work', 'Value: +49 1234, Label: cell\nValue: +49 9876, Label: –', '12', 'no'],
    `${'x'.repeat(239)}…`,
    'm1',
  ])
  assert.match(shown, /<dt>Read<\/dt>/, 'a flag is named after what it says')
  assert.match(shown, /<dt>Without a value<\/dt><dd class="soft">Tags<\/dd>/)
})

test('a review of many kinds of records collapses their examples, so that the decision stays in sight', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const review = async (isAsked = (_key: string) => true) => {
    const request = await requestOf(world)
    const page = await request.open(owner)
    const shares = Object.entries(shareAll(page)).filter(([key]) => isAsked(key))
    const fields = { ...Object.fromEntries(shares), range: 'all', action: 'review' }
    return (await owner.submit(page, fields)).html
  }
  await world.mailbox('Mail 1')
  assert.doesNotMatch(await review(), /<summary>See the newest/)
  for (const name of ['Mail 2', 'Mail 3', 'Mail 4']) await world.mailbox(name)
  const html = await review()
  assert.equal(html.split('<summary>See the newest one as the app will see it</summary>').length, 5)
  assert.equal(html.match(/<details open/g), null)
  const line = /<details><summary><strong>Mail \d<\/strong> <span[^>]*>everything · 0 records</g
  assert.equal(html.match(line), null, 'sensitive fields are in sight')
  assert.equal((await review(key => key.endsWith('notes'))).match(line)?.length, 4)

  const secret = { type: 'string', x_pdpp_sensitive: true }
  const streams = [stream('salaries', { secret }), ...['a', 'b', 'c', 'd'].map(name => stream(name, {}))]
  const salaries = { ...source('tables'), streams }
  await world.addSource(salaries, 'Tables')
  const tables = (await review()).split('aria-label="Tables"')[1] ?? ''
  assert.match(tables, /^[\s\S]*Salaries[\s\S]*>sensitive<[\s\S]*<strong>4 other kinds<\/strong>/)
})

onEitherEngine(
  'consent: an owner with more sources than requests may wait at once can choose, review and allow',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    for (let no = 1; no <= 40; no++) await world.mailbox(`Mail ${no}`, ['m1'])
    const owner = await world.signedIn()
    const request = await requestOf(world)
    const page = await request.open(owner)
    assert.equal(page.status, 200)
    assert.match(page.html, /Mail 40/)
    const code = await request.approve(owner, page)
    assert.equal((await request.redeem(code)).status, 200)
    assert.equal((await world.grants()).length, 40)
  },
)

test('an app that asks before anything was imported waits while the owner imports', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const request = await requestOf(world)
  const page = await request.open(owner)
  assert.match(page.html, /There is nothing to share yet[\s\S]*<a [^>]*href="\/import" target="_blank">/)
  assert.doesNotMatch(page.html, /value="review"/)
  await world.mailbox('Work mail')
  assert.match(await request.approve(owner, await owner.get(new URL(page.url).pathname)), /^[\w-]{20,}$/)
})
