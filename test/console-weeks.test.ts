import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passagesOf } from '../src/model/access/shown.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'

const MINUTE_MS = 60_000
const WEEK_MS = 7 * 86_400_000

test('overlapping passages are merged, and no character is counted twice', () => {
  const shown = { connection_id: 'c', stream: 's', record_ids: ['r'], fields: ['text'] }
  const ranges: Record<string, [number, number][]> = {
    text: [
      [0, 160],
      [0, 200],
      [300, 310],
    ],
    'a.b': [[5, 9]],
  }
  assert.deepEqual(passagesOf({ ...shown, ranges }), [
    { path: 'text', start: 0, end: 200 },
    { path: 'text', start: 300, end: 310 },
    { path: 'a.b', start: 5, end: 9 },
  ])
  assert.deepEqual(passagesOf(shown), [])
})

onEitherEngine('activity is counted by client and part of the time', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail')
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  const other = await world.own('POST', '/v1/owner/grants', { client_name: 'Other' })
  const since = new Date().toISOString()
  for (const path of ['/v1/search?q=body', '/v1/search?q=nothing', '/v1/streams/none/records', '/v1/schema'])
    await world.call(path, access_token)
  world.wait(2.5 * WEEK_MS)
  await world.call('/v1/streams/messages/records?limit=2', access_token)
  await world.call('/v1/search?q=m1', other.access_token)
  const until = new Date(Date.now() + 3 * WEEK_MS).toISOString()
  const path = `/v1/owner/activity?since=${since}&until=${until}`
  const { data } = (await world.call(`${path}&parts=3`)).body
  const [reader, second] = data
  const { characters, ...figures } = reader
  assert.deepEqual(figures, {
    object: 'activity',
    client_id,
    requests: 5,
    by_part: [4, 0, 1],
    examined: 5,
    calls: 5,
    refused: 1,
    empty_searches: 1,
    records: 3,
    passages: 3,
    shown: [{ connection_id, stream: 'messages', records: 3 }],
  })
  assert.equal(characters, 3 * 'Body of m1'.length)
  assert.deepEqual([second.client_id, second.requests, second.by_part], [other.client_id, 1, [0, 0, 1]])
  const one = (await world.call(`${path}&client_id=${other.client_id}`)).body.data
  assert.deepEqual(
    one.map((each: { client_id: string; by_part: number[] }) => [each.client_id, each.by_part]),
    [[other.client_id, [1]]],
  )
  assert.deepEqual((await world.call(`${path}&client_id=cli_none`)).body.data, [])
  assert.equal((await world.call('/v1/owner/activity')).status, 400)
  assert.equal((await world.call(path, access_token)).status, 403)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a day with very many requests is not counted to the end', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Mail')
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  await world.call('/v1/search?q=body', access_token)
  const digits = Array.from({ length: 10 }, (_, digit) => `SELECT '${digit}' AS c`).join(' UNION ALL ')
  await world.server.store.ledger.database.run(
    `WITH d AS (${digits})
     INSERT INTO disclosures (owner_id, disclosure_id, at, request_id, client_id, grant_ids, route, shown, status, decided)
     SELECT l.owner_id, l.disclosure_id || v.c || w.c || x.c || y.c, l.at, l.request_id, l.client_id, l.grant_ids, l.route, l.shown, l.status, l.decided
     FROM disclosures AS l, d AS v, d AS w, d AS x, d AS y`,
  )
  const page = (await (await world.signedIn()).get('/activity')).html
  assert.match(page, /Asked at least \d+ times? · saw /)
  assert.match(page, /aria-label="Requests by day: \w+ 2,000 or more"/)
})

onEitherEngine('Activity shows weeks and sittings, with what was refused or found nothing', async engine => {
  await using world = await AuthorizationWorld.start(engine, { showQueries: true })
  await world.mailbox('Mail')
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  const ask = (path: string) => world.call(path, access_token)
  await ask('/v1/search?q=body%20%3Cb%3E')
  await ask('/v1/search?q=nothing')
  await ask('/v1/streams/none/records')
  world.wait(30 * MINUTE_MS)
  await ask('/v1/streams/messages/records?limit=2')
  world.wait(5 * WEEK_MS)
  await ask('/v1/search?q=m1')
  const owner = await world.signedIn()
  const page = await owner.get('/activity')
  assert.equal(page.html.match(/<h2>This week, from/g)?.length, 1)
  assert.match(page.html, /<svg class="spark"[^>]* aria-label="Requests by day: \w+ 1"/)
  const before = /href="(\/activity\?before=[^"]+)"/.exec(page.html)?.[1] ?? ''
  const earlier = (await owner.get(before)).html
  assert.match(
    earlier,
    /Asked 4 times · saw \d records · \d+ characters of text · 1 refused · 1 search without a result/,
  )
  assert.doesNotMatch(earlier, /Earlier weeks/)
  assert.match(earlier, /<h2>Week of \d/)
  const app = (await owner.get(`/activity/${client_id}`)).html
  const done = [...app.matchAll(/<h2 class="done">(.*?)<\/h2>/gs)].map(([, words = '']) =>
    words.replace(/<\/?a[^>]*>/g, ''),
  )
  assert.deepEqual(done, [
    'Searched <em dir="auto">m1</em>, and saw 1 subject and 2 passages',
    'Listed records, and saw 2 records',
    'Searched <em dir="auto">body &lt;b&gt;</em>, <em dir="auto">nothing</em>',
  ])
  assert.match(app, /Saw 3 records\. \d+ passages with \d+ characters of text\./)
  assert.match(app, new RegExp(`href="/apps/${client_id}">What it may read<`))
  assert.match(app, /1 request was refused\. 1 search found nothing\./)
  assert.match(app, /Asked for a list of records, and was refused/)
  assert.match(app, /Searched <em dir="auto">nothing<\/em>, and found nothing/)
  assert.deepEqual(world.failures, [])
})

test('each request that opened a record names it', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Mail')
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  for (const id of ['m1', 'm2']) await world.call(`/v1/streams/messages/records/${id}`, access_token)
  await world.call('/v1/streams/messages/records', access_token)
  const { html } = await (await world.signedIn()).get(`/activity/${client_id}`)
  const told = [...html.matchAll(/>(Opened|Listed)[^<]*<\/a>([^<]*)<\/span>/g)].map(([, , title]) => title)
  assert.deepEqual(told, ['', ': Subject m2', ': Subject m1'])
})

test('requests that belong together stay on one page, and none is left out between pages', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Mail')
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  for (const many of [3, 60, 60]) {
    for (let n = 0; n < many; n++) await world.call('/v1/streams', access_token)
    world.wait(30 * MINUTE_MS)
  }
  const owner = await world.signedIn()
  const found: string[][] = []
  for (let path: string | undefined = `/activity/${client_id}`; path !== undefined; ) {
    const { html }: { html: string } = await owner.get(path)
    found.push([...html.matchAll(/<summary>(\d+) requests/g)].map(([, n = '']) => n))
    const next: string | undefined = /href="(\?[^"]+)">Earlier requests/.exec(html)?.[1]
    path = next === undefined ? undefined : `/activity/${client_id}${next.replaceAll('&amp;', '&')}`
    if (path === undefined) assert.equal(html.match(/Asked what it may read<\/a>/g)?.length, 63)
  }
  assert.deepEqual(found, [['60'], ['60']])
})

onEitherEngine(
  'Activity names kinds in a sentence, and an app’s week the records it was shown most',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await world.mailbox('Mail', ['m1', 'm2', 'm3', 'm4'])
    await world.ingest('notes', connection_id, [{ data: { id: 'n1', text: 'Buy <b>seed</b>' } }])
    const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
    const ask = (path: string) => world.call(path, access_token)
    await ask('/v1/streams/notes/records/n1')
    world.wait(30 * MINUTE_MS)
    await ask('/v1/streams/messages/records')
    for (const id of ['m3', 'm2', 'm3']) await ask(`/v1/streams/messages/records/${id}`)
    world.wait(30 * MINUTE_MS)
    await ask('/v1/streams')
    const owner = await world.signedIn()
    const page = (await owner.get('/activity')).html
    assert.match(
      page,
      /<p class="soft small">(?:Your e-mail and notes|Notes and your e-mail), from Mail<\/p>/,
    )
    const { html } = await owner.get(`/activity/${client_id}`)
    const lists = [...html.matchAll(/<ul class="plain small">(.*?)<\/ul>/gs)].map(([, list = '']) =>
      [...list.matchAll(/<a href="\/r\/[^"]+">(.*?)<\/a>/gs)].map(([, title]) => title),
    )
    assert.equal(lists.length, 2, 'nothing is named where no record was shown')
    assert.deepEqual(lists[0]?.slice(0, 2), ['Subject m3', 'Subject m2'])
    assert.equal(lists[0]?.length, 3)
    assert.deepEqual(lists[1], ['Buy &lt;b&gt;seed&lt;/b&gt;'])
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine('a call of a tool counts once, whatever number of requests it takes', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail')
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  const args = { id: `${connection_id}/messages:unknown` }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fetch', arguments: args } }
  const answer = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${access_token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(call),
  })
  await answer.text()
  const lines = (await world.call('/v1/owner/disclosures')).body.data
  assert.ok(lines.length > 1)
  assert.match((await (await world.signedIn()).get('/activity')).html, />Asked 1 time · saw no records/)
})
