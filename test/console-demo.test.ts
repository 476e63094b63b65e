import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importSamples } from '../src/cli/import/import-samples.ts'
import { ownServer } from '../src/cli/own-server.ts'
import { obscured } from '../src/pages/demo.ts'
import { Asking, AuthorizationWorld, csrfIn, shareAll, type Visitor } from './authorization-world.ts'
import { count } from './engines.ts'

test('scrambled texts keep their length, and different words stay different', () => {
  const text = 'Tilda Brennick <tilda@example.org>, 4,180 crowns – Ärger 😀'
  const made = obscured(text)
  assert.equal(Array.from(made).length, Array.from(text).length)
  assert.doesNotMatch(made, /tilda|brennick|example|4,180|rger/i)
  assert.match(
    made,
    /^[A-Z][a-z]{4} [A-Z][a-z]{7} <[a-z]{5}@[a-z]{7}\.[a-z]{3}>, \d,\d{3} [a-z]{6} – [A-Z][a-z]{4} 😀$/,
  )
  assert.equal(obscured('Tilda'), made.slice(0, 5))
})

test('with ?demo no page shows a name or a text of the sample data, and every link stays in the demo', async () => {
  await using world = await AuthorizationWorld.start('sqlite', { showQueries: true })
  await importSamples(ownServer(world.server), new AbortController().signal, () => {})
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  await world.own('POST', '/v1/owner/searches', { name: "Hedda's boat", query: 'q=hedda+boat' })
  const [hit] = (await world.call('/v1/search?q=engine')).body.data
  await world.call('/v1/search?q=hedda%20engine', access_token)
  await world.call(
    `/v1/streams/${hit.stream}/records/${hit.record_key}?connection_id=${hit.connection_id}`,
    access_token,
  )
  const owner = await world.signedIn()
  await setAlerts(owner)
  const secrets = await secretsOf(world)
  assert.ok(secrets.size > 200, `${secrets.size} names and texts`)
  const record = new URL(hit.url).pathname
  const consent = new URL((await new Asking(world, (await world.register()).body.client_id).open(owner)).url)
  const choice = await owner.get(`${consent.pathname}?demo`)
  const review = await owner.submit(choice, { ...shareAll(choice), range: 'all', action: 'review' })
  assert.match(review.html, /value="approve"/)
  const leaks = [choice, review].flatMap(page => leaksOf(page.url, page.html, secrets))

  const csrf = csrfIn(choice)
  const mail =
    'From hedda@ruusk.example Thu Jan  1 10:00:00 2026\nFrom: hedda@ruusk.example\nSubject: Hedda\n\nHedda.\n'
  const form = new FormData()
  form.append('csrf', csrf)
  form.append('file', new File([mail], 'hedda.mbox'))
  const sent = new Request(`${world.url}/import?demo`, { method: 'POST', body: form })
  const preview = await owner.send('/import?demo', await sent.text(), sent.headers.get('Content-Type') ?? '')
  const run = await owner.submit(preview, { action: 'import' })
  assert.match(run.url, /\/imports\/.*\?demo/)
  leaks.push(...[preview, run].flatMap(page => leaksOf(page.url, page.html, secrets)))

  const waiting = [
    ...['/?demo', '/search?q=engine&demo', `/search?q=engine&as=${client_id}&demo`, `${record}?demo`],
    ...[`${hit.url.replace(world.url, '')}&demo`, `${record}?find=engine&demo`, '/people?q=hedda&demo'],
    ...['/settings?demo', '/settings/passkeys?demo', `/apps/${client_id}/wants?demo`],
  ]
  const seen = new Set(waiting)
  const kinds = new Map<string, number>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { html, status, headers } = await owner.get(path)
    assert.ok(status === 200 || path.includes('/wants'), `${path}: ${status}`)
    if (status !== 200 || !headers.get('Content-Type')?.startsWith('text/html')) continue
    leaks.push(...leaksOf(path, html, secrets))
    for (const [, kindOfLink, link = ''] of html.matchAll(/ (href|action)="([/?][^"]*)"/g)) {
      if (!/[?;&]demo/.test(link)) leaks.push(`${path} leads to ${link}`)
      if (kindOfLink === 'action') continue
      const { pathname, search } = new URL(link.replaceAll('&amp;', '&'), new URL(path, world.url))
      const kind = pathname.split('/').slice(0, 2).join('/')
      const number = (kinds.get(kind) ?? 0) + 1
      if (seen.has(pathname + search) || number > MOST_OF_A_KIND || pathname.includes('.')) continue
      kinds.set(kind, number)
      seen.add(pathname + search)
      waiting.push(pathname + search)
    }
  }
  for (const kind of [
    '/r',
    '/search',
    '/sources',
    '/apps',
    '/activity',
    '/people',
    '/connect',
    '/settings',
    '/import',
  ])
    assert.ok(kinds.has(kind), kind)
  assert.deepEqual(leaks, [])
  const plain = await owner.get(record)
  assert.match(plain.html, /tilda|hedda/i)
  assert.doesNotMatch(plain.html, /scrambled/)
  assert.deepEqual(world.failures, [])
})

const MOST_OF_A_KIND = count(4, 60)

async function setAlerts(owner: Visitor): Promise<void> {
  const csrf = csrfIn(await owner.get('/activity'))
  await owner.post('/activity/alerts', { csrf, new_app: 'yes', first_read: 'yes', records_per_hour: '1' })
}

/** Names of sources and people, titles, and the beginnings of texts. */
async function secretsOf(world: AuthorizationWorld): Promise<Set<string>> {
  const found = new Set(['hedda', 'tilda', 'brennick', 'ruusk', world.directory.toLowerCase()])
  const keep = (text: string) => {
    const start = text.trim().slice(0, 40).toLowerCase()
    // A single short word may also occur in the page itself.
    if (start.length > 6 && /\S\s\S|@/.test(start)) found.add(start)
  }
  const gather = (value: unknown): void => {
    if (typeof value === 'string') keep(value)
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(gather)
  }
  const { data: connections } = (await world.call('/v1/owner/connections')).body
  for (const { display_name } of connections) keep(display_name)
  for (const order of ['desc', 'asc']) {
    const { data } = (await world.call(`/v1/records?limit=100&order=${order}&max_field_chars=500`)).body
    for (const each of data) gather([each.title, each.author, each.data])
  }
  return found
}

function leaksOf(path: string, html: string, secrets: ReadonlySet<string>): string[] {
  const seen = html
    .slice(html.indexOf('</style>'))
    .replace(/ (?:href|action|content)="[^"]*"/g, '')
    // Removes values that are not shown, and the search text.
    .replace(/<(?!input type="text")([^>]*) value="[^"]*"/g, '<$1')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .toLowerCase()
  const around = (at: number) => seen.slice(Math.max(0, at - 60), at + 60)
  return [
    ...(seen.includes('names and texts are scrambled') ? [] : [`${path} is not in the demo`]),
    ...[...secrets].flatMap(secret => {
      const at = seen.indexOf(secret)
      return at === -1 ? [] : [`${path} shows "${secret}": …${around(at)}…`]
    }),
  ]
}
