import assert from 'node:assert/strict'
import {
  Asking,
  AuthorizationWorld,
  asking,
  csrfIn,
  DETAIL,
  type PageVisit,
  type Visitor,
} from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const DAY_MS = 86_400_000

/** A request for something particular. */
const PARTICULAR = asking({
  ...DETAIL,
  streams: [{ name: 'messages', necessity: 'required', fields: ['id', 'body'] }],
})

/** The choices in a form: the selected value of each stream, and the checked fields. */
function chosen(page: PageVisit) {
  const inputs = [...page.html.matchAll(/<input\b[^>]*\bchecked\b[^>]*>/g)].map(([tag]) => tag)
  const value = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
  const named = (start: string) =>
    inputs
      .filter(tag => value(tag, 'name').startsWith(start))
      .map(tag => [value(tag, 'name').slice(start.length), value(tag, 'value')])
  return {
    sets: Object.fromEntries(named('share:')) as Record<string, string>,
    ticked: (key: string) => named('field:').flatMap(([each, field]) => (each === key ? [field] : [])),
    range: named('range')[0]?.[1],
    since: /id="since"[^>]*value="([^"]*)"/.exec(page.html)?.[1],
    lifetime: /value="([^"]*)" selected/.exec(page.html)?.[1],
  }
}

async function client(world: AuthorizationWorld): Promise<string> {
  return (await world.register({ client_name: 'Reading app' })).body.client_id
}

/** Allows a narrow access: two fields of one stream, of twelve months, for a week. */
async function allowNarrow(
  world: AuthorizationWorld,
  owner: Visitor,
  client_id: string,
  key: string,
  lifetime = '7d',
) {
  const request = new Asking(world, client_id)
  const page = await request.open(owner)
  const review = await owner.post(page.url, [
    ['csrf', csrfIn(page)],
    [`share:${key}`, 'custom'],
    [`field:${key}`, 'id'],
    [`field:${key}`, 'subject'],
    ['range', '12m'],
    ['lifetime', lifetime],
    ['action', 'review'],
  ])
  const done = await owner.submit(review, { action: 'approve' })
  return (await request.redeem(new URL(done.url).searchParams.get('code') ?? '')).body.access_token as string
}

onEitherEngine(
  'AN-70 the consent of a known app starts from what it had, and says what it leaves out',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const first = await world.mailbox('First mail')
    const owner = await world.signedIn()
    const client_id = await client(world)
    const key = `${first}:messages`
    await allowNarrow(world, owner, client_id, key)
    const second = await world.mailbox('Second mail')

    const request = new Asking(world, client_id)
    const page = await request.open(owner)
    assert.match(page.html, /Filled in with what Reading app can read now\./)
    assert.match(page.html, /It cannot read these, so they are not chosen: Second mail\./)
    assert.match(page.html, /The time limit is filled in too\./)
    const form = chosen(page)
    assert.equal(form.sets[key], 'custom')
    assert.deepEqual(form.ticked(key), ['id', 'subject'])
    assert.equal(form.sets[`${second}:messages`], 'none')
    assert.deepEqual([form.range, form.lifetime], ['custom', '7d'])
    assert.equal(form.since, new Date(Date.now() - 365 * DAY_MS).toISOString().slice(0, 10))
    const review = await owner.submit(page, { action: 'review' })
    assert.match(review.html, /<strong>1 source<\/strong>/)
    const changed = await owner.submit(review, { action: 'change' })
    assert.doesNotMatch(changed.html, /Filled in with/)
    await owner.submit(review, { action: 'approve' })
    const [before, after] = (await world.grants()).map(({ grant }) => grant.streams)
    assert.deepEqual(after, before)

    const namesake = await new Asking(world, await client(world)).open(owner)
    assert.doesNotMatch(namesake.html, /Filled in with/)
    assert.deepEqual(new Set(Object.values(chosen(namesake).sets)), new Set(['none']))
    const asks = await new Asking(world, client_id).open(owner, PARTICULAR)
    assert.doesNotMatch(asks.html, /Filled in with/)
  },
)

onEitherEngine('AN-70 expired access is filled in again, but not what the owner removed', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const first = await world.mailbox('First mail')
  const owner = await world.signedIn()
  const [expired, removed] = [await client(world), await client(world)]
  const key = `${first}:messages`
  await allowNarrow(world, owner, expired, key, '1h')
  await allowNarrow(world, owner, removed, key, '1h')
  const { body } = await world.call('/v1/owner/grants')
  const theirs = body.data.find((grant: { client_id: string }) => grant.client_id === removed)
  await world.call(`/v1/owner/grants/${theirs.grant_id}`, world.ownerToken, { method: 'DELETE' })
  world.wait(2 * 3_600_000)
  const again = await new Asking(world, expired).open(owner)
  assert.match(again.html, /Filled in with what Reading app could read before\./)
  assert.equal(chosen(again).sets[key], 'custom')
  const none = await new Asking(world, removed).open(owner)
  assert.doesNotMatch(none.html, /Filled in with/)
  assert.equal(chosen(none).sets[key], 'none')
})

onEitherEngine(
  'AN-70 one press shares everything from a source, or the same from all, and counts follow the time range',
  async engine => {
    await using world = await AuthorizationWorld.start(engine, { timeZone: 'Asia/Tokyo' })
    const first = await world.mailbox('First mail', ['m1'])
    const second = await world.mailbox('Second mail', ['m2', 'm3'])
    const lines = ['2019-01-01T14:59:59Z', '2019-01-01T15:00:00Z'].map((received_at, index) =>
      message(`old${index}`, { received_at }),
    )
    await world.ingest('messages', first, lines)
    const owner = await world.signedIn()
    const page = await new Asking(world, await client(world)).open(owner)
    assert.match(page.html, /<p class="hint">3 records\./)
    assert.match(page.html, /Share everything from this source: First mail/)

    const one = await owner.submit(page, { action: `everything:${first}` })
    const { sets } = chosen(one)
    assert.deepEqual(
      Object.entries(sets)
        .filter(([, set]) => set === 'all')
        .map(([key]) => key)
        .sort(),
      MAILBOX.streams.map(({ name }) => `${first}:${name}`).sort(),
    )
    const all = await owner.submit(one, { action: `same:${first}` })
    assert.deepEqual(new Set(Object.values(chosen(all).sets)), new Set(['all']))
    const nothing = await owner.submit(all, {
      ...Object.fromEntries(MAILBOX.streams.map(({ name }) => [`share:${second}:${name}`, 'none'])),
      action: `same:${second}`,
    })
    assert.deepEqual(new Set(Object.values(chosen(nothing).sets)), new Set(['none']))
    const picked = await owner.submit(page, {
      [`share:${first}:messages`]: 'custom',
      [`field:${first}:messages`]: 'subject',
      action: `same:${first}`,
    })
    assert.equal(chosen(picked).sets[`${second}:messages`], 'custom')
    assert.ok(chosen(picked).ticked(`${second}:messages`).includes('subject'))

    // In Tokyo, 2 January 2019 begins at 15:00 of the day before in London.
    const counted = await owner.submit(all, {
      range: 'custom',
      since: '2019-01-02',
      until: '',
      action: 'count',
    })
    assert.match(counted.html, /<p class="hint">2 of 3 records\./)
    assert.match(counted.html, /<p class="hint">2 records\./)
    assert.equal(chosen(counted).since, '2019-01-02')
    const review = await owner.submit(counted, { action: 'review' })
    assert.match(review.html, /<strong>4 records<\/strong>/)
    assert.match(review.html, /on or after 2 January 2019/)
    const none = await owner.submit(all, { range: 'custom', since: '', until: '2001-01-01', action: 'count' })
    assert.match(none.html, /kinds? without records in this time/)
    const wrong = await owner.submit(all, { range: 'custom', since: '2019-13-01', action: 'count' })
    assert.equal(wrong.status, 400)
  },
)

onEitherEngine(
  'AN-70 one press chooses everything from all sources, or nothing again; until then nothing is chosen',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const first = await world.mailbox('First mail', ['m1'])
    const owner = await world.signedIn()
    const client_id = await client(world)
    assert.doesNotMatch((await new Asking(world, client_id).open(owner)).html, /value="all" formaction/)
    const second = await world.mailbox('Second mail', ['m2', 'm3'])
    const page = await new Asking(world, client_id).open(owner)
    const setsOf = (visit: PageVisit) => [...new Set(Object.values(chosen(visit).sets))]
    assert.match(page.html, /<p>Nothing is chosen yet\./)
    assert.doesNotMatch(page.html, />Share nothing</)
    assert.deepEqual(setsOf(page), ['none'])

    const one = await owner.submit(page, { action: `everything:${first}` })
    assert.match(one.html, /Something from 1 of 2 sources is chosen\./)
    const all = await owner.submit(one, { action: 'all' })
    assert.match(all.html, /Everything from all 2 sources is chosen\./)
    assert.doesNotMatch(all.html, />Share everything from all 2 sources</)
    assert.deepEqual(setsOf(all), ['all'])
    assert.deepEqual(setsOf(await owner.submit(all, { action: 'none' })), ['none'])

    const review = await owner.submit(all, { action: 'review' })
    assert.match(review.html, /<strong>3 records<\/strong> from\s+<strong>2 sources<\/strong>/)
    for (const name of ['First mail', 'Second mail'])
      assert.match(review.html, new RegExp(`data-class="enforced" aria-label="${name}"`))
    await owner.submit(review, { action: 'approve' })
    const ids = (await world.grants()).flatMap(({ grant }) =>
      grant.streams.flatMap(({ instance_ids }: { instance_ids: string[] }) => instance_ids),
    )
    assert.deepEqual(new Set(ids), new Set([first, second]))
  },
)

onEitherEngine(
  'AN-70 one press for all sources never adds to a request for something particular',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('First mail')
    await world.mailbox('Second mail')
    const owner = await world.signedIn()
    const page = await new Asking(world, await client(world)).open(owner, PARTICULAR)
    assert.doesNotMatch(page.html, /value="all" formaction/)
    const before = chosen(page).sets
    assert.deepEqual(chosen(await owner.submit(page, { action: 'all' })).sets, before)
  },
)
