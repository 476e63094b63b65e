import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Import } from '../src/api/owner/imports.ts'
import type { MatchWindow, SearchHit } from '../src/api/search.ts'
import { CLIENT_KINDS, CLIENTS_BY_HAND } from '../src/clients/client-kinds.ts'
import { pathTo } from '../src/console/search/hit-card.ts'
import { passagesOf } from '../src/model/access/shown.ts'
import { packageVersion } from '../src/origin/package-version.ts'
import { markdown } from '../src/pages/markdown.ts'
import { AuthorizationWorld, csrfIn, Visitor } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { processorTime } from './processor-time.ts'

const HOUR_MS = 3_600_000

function begin(world: AuthorizationWorld, connection_id: string, source: string): Promise<Import> {
  return world.own('POST', '/v1/owner/imports', {
    source_id: MAILBOX.source.id,
    format: 'mbox',
    fingerprint: source,
    stamp: 's',
    default_name: 'Mail',
    source,
    connection_id,
  })
}

async function interruptedImport(
  world: AuthorizationWorld,
  connection_id: string,
  source = 'old.mbox',
): Promise<void> {
  const begun = await begin(world, connection_id, source)
  await world.own('PATCH', `/v1/owner/imports/${begun.import_id}`, {
    counts: { seen: 7, added: 5, rejected: 2 },
    rejections: [
      { no: 0, place: 'line 12', code: 'invalid_date', message: 'The <b>date</b> is not a time.' },
      { no: 1, place: 'line 90', code: 'invalid_date', message: 'The date is empty.' },
    ],
  })
}

onEitherEngine('Home shows what is stored, what apps read and what needs attention', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  const empty = (await owner.get('/')).html
  assert.match(empty, /Import your data<[\s\S]*Connect an app<[\s\S]*See what it reads</, 'the first steps')
  assert.match(empty, /no app can read it yet/)
  assert.match(
    (await owner.get('/apps')).html,
    /You choose what each of them sees[\s\S]*<a class="button primary" href="\/connect">Connect an app/,
  )
  for (const page of [empty, (await owner.get('/sources')).html])
    assert.match(page, /<a class="button primary" href="\/import">/, 'what to do next')
  const search = (await owner.get('/search?q=treaty')).html
  assert.match(search, /There is nothing to search yet\. <a href="\/import">/)
  const connection = await world.mailbox('Work <b>mail')
  await world.mailbox('Old mail', [])
  assert.match((await owner.get('/')).html, /No app can read any of it\. <a href="\/connect">Connect an app</)
  const app = await world.connect(owner)
  await world.own('POST', '/v1/owner/grants', { client_name: 'Narrow', connections: [connection] })
  await world.call('/v1/streams/messages/records?limit=2', app.access_token)
  await world.mailbox('Home mail', ['h1'])
  await interruptedImport(world, connection)
  world.wait(HOUR_MS)
  const { html } = await owner.get('/')
  assert.doesNotMatch(html, /sample data/)
  assert.match(html, /4 records from 3 sources/)
  assert.match(html, /<a href="\/apps">2 apps can read some of it</)
  assert.doesNotMatch(html, /Narrow cannot see/, 'it could not read everything before either')
  assert.match(html, /<strong>Test app<\/strong><\/a> saw 2 records of Work &lt;b&gt;mail\./)
  const added = html.split('aria-label="Added later"')[1] ?? ''
  assert.match(
    added,
    /^[\s\S]*?Test app cannot see Home mail, which you added later\.\s+<a href="\/apps\/cli_/,
  )
  assert.match(html, /The last import into Work &lt;b&gt;mail was interrupted after 7 items\./)
  assert.match(html, /2 items rejected/)
  assert.match(html, /No passphrase is set/)
  assert.match(html, /<rect [^>]+><title>[^<]+: 4 records<\/title>/)
  assert.match(html, /aria-current="page">Home</)
  const source = (await owner.get(`/sources/${connection}`)).html
  assert.match(source, /<p class="soft small">interrupted · 7 items/)
  const run = (await owner.get(/href="(\/sources\/\w+\/imports\/\w+)">Details/.exec(source)?.[1] ?? '')).html
  assert.match(
    run,
    /It was interrupted on \d[\s\S]*Import the same file again and it resumes\. <a href="\/import">/,
  )
  assert.doesNotMatch(run, /http-equiv="refresh"/)
  const sources = (await owner.get('/sources')).html
  assert.match(sources, /Work &lt;b&gt;mail<[\s\S]*?<bdi>Test app and Narrow can read it<[\s\S]*?<\/li>/)
  assert.match(sources, /Home mail<[\s\S]*?<bdi>no app can read it<[\s\S]*?<\/li>/)
  await world.own('POST', '/v1/owner/grants', { client_name: 'Third', connections: [connection] })
  assert.match(
    (await owner.get('/sources')).html,
    /<bdi>3 apps can read it</,
    'their names would fill every row',
  )
  assert.deepEqual(world.failures, [])
})

onEitherEngine('Home says that sample data is not yours, and leads to its removal', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  const sample = await world.mailbox('Home mail')
  await interruptedImport(world, sample, 'sample: Home mail')
  await world.connect(owner)
  const { html } = await owner.get('/')
  assert.match(
    html,
    /This is sample data[^<]+<a href="\/import">Import your own<[\s\S]*<a href="\/sources\/samples">Remove the samples</,
  )
  await world.mailbox('Mine')
  assert.match((await owner.get('/')).html, /1 of your 2 sources is sample data/)
  // Something of the owner was imported into it, so it is not removed with the samples.
  const mixed = await world.mailbox('Mixed')
  await interruptedImport(world, mixed, 'sample: Mixed')
  await interruptedImport(world, mixed, 'own.mbox')
  assert.match((await owner.get(`/sources/${sample}`)).html, /href="\/sources\/samples">Remove all samples</)
  const asked = await owner.get('/sources/samples')
  assert.match(asked.html, /<li>Home mail: 3 records<\/li><\/ul>/)
  assert.match(asked.html, /1 app will lose access<[\s\S]*Test app<[\s\S]*It can read 1 of these 1 source\.</)
  const gone = await owner.submit(asked, {})
  assert.equal(new URL(gone.url).pathname, '/sources')
  assert.match(gone.html, /The samples were removed\./)
  const left = (await world.call('/v1/owner/connections')).body.data
  assert.deepEqual(left.map((each: { display_name: string }) => each.display_name).sort(), ['Mine', 'Mixed'])
  assert.equal(new URL((await owner.get('/sources/samples')).url).pathname, '/sources')
  assert.deepEqual(world.failures, [])
})

test('Sources says when each source was imported, however many imports there are', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  await interruptedImport(world, await world.mailbox('First'))
  const later = await world.mailbox('Later')
  await Promise.all(Array.from({ length: 100 }, (_, number) => begin(world, later, `${number}.mbox`)))
  const { html } = await owner.get('/sources')
  assert.match(html, /First<[\s\S]*?imported [\s\S]*?Later</)
})

test('a browser that opens an address where nothing is gets a page, a program gets JSON', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  for (const path of ['/nonsense', '/v1/nonsense']) {
    const open = (Accept: string) => fetch(world.url + path, { headers: { Accept } })
    const [page, json] = [await open('text/html,application/xhtml+xml,*/*;q=0.8'), await open('*/*')]
    assert.deepEqual([page.status, json.status], [404, 404])
    assert.match(await page.text(), /<h1[^>]*>Nothing is here<\/h1>.*There is nothing at this address\./s)
    assert.match(page.headers.get('Content-Security-Policy') ?? '', /default-src 'none'/)
    assert.match(await json.text(), /"code":"not_found"/)
  }
})

onEitherEngine('a page about something missing says what may have happened, and leads on', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection = await world.mailbox('Work mail')
  const owner = await world.signedIn()
  for (const [path, message] of [
    [`/r/${connection}/messages/nothing`, 'There is no such record.'],
    ['/sources/cin_nothing', 'There is no such source.'],
    [`/files/${'0'.repeat(64)}`, 'There is no such file.'],
    ['/nonsense', 'There is nothing at this address.'],
  ] as const) {
    const page = await owner.get(path, { Accept: 'text/html' })
    assert.equal(page.status, 404, path)
    assert.ok(page.html.includes(`<p>${message} It may have been removed`), `${path} ${page.html}`)
    assert.match(page.html, /<nav aria-label="Footnote">/)
    assert.match(page.html, /<main[\s\S]*href="\/search"[\s\S]*href="\/sources"[\s\S]*<\/main>/)
  }
  const stranger = await new Visitor(world.url).get('/nonsense', { Accept: 'text/html' })
  assert.doesNotMatch(stranger.html, /<nav|href="\/search"/)
  assert.deepEqual(world.failures, [])
})

const HOSTILE =
  '<script>document.title="owned"</script><img src=x onerror="document.title=1"><a href="javascript:1">x</a> \u202Egnp.exe'

async function hostileMailbox(world: AuthorizationWorld): Promise<string> {
  const connection_id = await world.mailbox(`Mail ${HOSTILE}`, [])
  const lines = [1, 2, 3].map(n =>
    message(`m${n}`, { subject: `Minutes ${n} ${HOSTILE}`, body: `${HOSTILE} treaty `.repeat(n) }),
  )
  await world.ingest('messages', connection_id, lines)
  return connection_id
}

/** No element or URL from a record became active. */
function assertInert(html: string): void {
  assert.doesNotMatch(html, /<script|<img src=x|<\w+(?:\s+[\w-]+="[^"]*")*\s+onerror|href="javascript:/i)
}

onEitherEngine(
  'Search shows the hits in the order of the API, with a link to each of their passages',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await hostileMailbox(world)
    await world.mailbox('Other mail', ['o1'])
    const owner = await world.signedIn()
    const { data } = (await world.call('/v1/search?q=treaty')).body
    const { html } = await owner.get('/search?q=treaty')
    assertInert(html)
    const found = html.matchAll(/<(?:a class="evidence"[^>]+|h2 dir="auto"><a )href="([^"]+)"/g)
    const links = [...new Set([...found].map(([, link = '']) => link.replaceAll('&amp;', '&')))]
    const windows = data.flatMap((hit: SearchHit) => hit.match_windows.map(window => ({ hit, window })))
    assert.ok(windows.length > 3)
    assert.deepEqual(
      links,
      windows.map(({ hit, window }: { hit: SearchHit; window: MatchWindow }) => pathTo(hit, window)),
    )
    assert.match(html, /<mark>treaty<\/mark>/)
    assert.match(html, /3 records contain this word\./)
    const opened = await owner.get(links[0] ?? '')
    assert.match(opened.html, /<mark[^>]*>treaty<\/mark>/)
    assertInert(opened.html)
    assert.match((await owner.get('/search?q=body')).html, /Other mail/)
    const elsewhere = await owner.get(`/search?q=body&source=${connection_id}&since=2020-01-01`)
    assert.match(elsewhere.html, /Nothing was found/)
    const newest = (await world.call('/v1/search?q=treaty&sort=newest')).body.data
    const titles = [...(await owner.get('/search?q=treaty&sort=newest')).html.matchAll(/>Minutes (\d)/g)]
    assert.deepEqual(
      titles.map(([, number]) => `m${number}`),
      newest.map(({ record_key }: SearchHit) => record_key),
    )
    assert.match((await owner.get('/search?q=treaty&person=Nobody')).html, /Nothing was found/)
    const bad = await owner.get('/search?q=treaty&since=yesterdayish')
    assert.equal(bad.status, 400)
    assertInert((await owner.get(`/search?q=${encodeURIComponent(HOSTILE)}`)).html)
    assert.deepEqual(world.failures, [])
  },
)

test('a link between notes leads to the search for the title of the other note', async () => {
  const made = String(
    await markdown('See [[Boats/The "Wagtail"#Engine|her engine]], [[Winter]] and [[#Below]].'),
  )
  assert.deepEqual(
    [...made.matchAll(/href="([^"]*)">([^<]*)</g)].map(([, address, label]) => [address, label]),
    [
      ['/search?q=%22The++Wagtail+%22', 'her engine'],
      ['/search?q=%22Winter%22', 'Winter'],
    ],
  )
})

test('Markdown is rendered without HTML, scripts, images from other servers or unsafe links', async () => {
  const text = [
    '# Title <script>alert(1)</script>',
    `Some **bold**, *soft* and \`<b>code</b>\` ${HOSTILE}`,
    '![pixel](https://tracker.example/p.gif) [site](https://example.org/a"onclick="x) [bad](javascript:alert(1)) [data](data:text/html,x)',
    '- [x] done <img src=x onerror=1>',
    '  - deeper',
    '1. first',
    '> quoted <iframe src=x>',
    '| a | b |',
    '|---|---|',
    '| <svg onload=x> | 2 |',
    '```html',
    '<script>alert(2)</script>',
    '```',
    'unclosed ** and [ and ` and __',
  ].join('\n')
  const made = String(await markdown(text))
  assertInert(made)
  assert.doesNotMatch(made, /<(?:img|iframe|svg|b|script)\b/)
  assert.deepEqual(
    [...made.matchAll(/href="([^"]*)"/g)].map(([, address]) => address),
    ['https://example.org/a%22onclick=%22x'],
  )
  for (const part of [
    '<h2>Title &lt;script',
    '<strong>bold</strong>',
    '<em>soft</em>',
    '<code>&lt;b&gt;code',
    '<th scope="col">a</th>',
    'class="depth-1"',
    '<blockquote>',
    '☑',
    '[picture: pixel]',
    '(example.org)',
    'unclosed ** and [ and',
  ])
    assert.ok(made.includes(part), part)
  assert.match(
    String(await markdown('# Ends with hashes ## \n# ##')),
    /<h2>Ends with hashes<\/h2>.*<h2><\/h2>/,
  )
})

test('a Markdown link shows the host that it leads to, unless its label is that host or an address there', async () => {
  for (const [label, address, isTold] of [
    ['https://www.paypal.com/signin', 'https://pal.com/', true],
    ['my.bank.example', 'https://bank.example/', true],
    ['\u202Egro.elpmaxe', 'https://evil.example/', true],
    ['bank.example', 'https://bank.example/in', false],
    ['https://bank.example/a', 'https://bank.example/b', false],
  ] as const) {
    const made = String(await markdown(`[${label}](${address})`))
    assert.match(made, /<a dir="auto" href=/)
    assert.equal(made.includes(`(${new URL(address).host})`), isTold, made)
  }
})

test('no Markdown takes long to render', async () => {
  const spent = processorTime()
  for (const mark of ['[', '*', '_', '`', '![', '> ', '- ', '|', '**a', '#', '[](a', '[a](b c', '[['])
    await markdown(mark.repeat(8_000 / mark.length))
  for (const mark of [' ', '#']) await markdown(`# a${mark.repeat(8_000)}b`)
  assert.ok(spent() < 1_000, `${spent()} ms`)
})

onEitherEngine(
  'a record shows who, when and where, its text in pages, and finds words in it',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await world.mailbox('Mail', [])
    const body = `${`${HOSTILE} filler 😀 `.repeat(300)}the treaty was signed`
    const line = message('m1', { subject: `Minutes ${HOSTILE}`, body })
    await world.ingest('messages', connection_id, [line])
    const owner = await world.signedIn()
    const path = `/r/${connection_id}/messages/m1`
    const first = await owner.get(path)
    assertInert(first.html)
    const pages = Math.ceil(Array.from(body).length / 8_000)
    assert.ok(pages > 1)
    assert.match(first.html, new RegExp(`Page 1 of ${pages}`))
    assert.doesNotMatch(first.html, /treaty was signed/)
    assert.match((await owner.get(`${path}?field=body&page=${pages}`)).html, /the treaty was signed/)
    assert.match((await owner.get(`${path}?field=body&page=99`)).html, /This text has no such page/)
    const found = await owner.get(`${path}?find=treaty`)
    assert.match(found.html, /1 place</)
    const link = /<a class="evidence"[^>]+href="([^"]+)"/.exec(found.html)?.[1] ?? ''
    assert.match((await owner.get(link.replaceAll('&amp;', '&'))).html, /<mark[^>]*>treaty<\/mark>/)
    assert.match((await owner.get(`${path}?find=nowhere`)).html, /These words are not in this record/)
    assert.equal((await owner.get(`/files/sha256-${'0'.repeat(64)}`)).status, 404)
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'Apps says in words what each app may read, and asks before it removes anything',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const { access_token } = await world.own('POST', '/v1/owner/grants', {
      client_name: 'Reader <i>',
      connections: [connection_id],
      streams: ['messages'],
      fields: ['id', 'subject'],
      since: '2026-01-01',
    })
    const apps = await owner.get('/apps')
    assert.match(apps.html, /<h2><a [^>]+>Reader &lt;i&gt;<\/a><\/h2>/)
    assert.match(apps.html, /only [^<]*Subject[^<]*, from 1 January 2026</)
    assert.match(
      apps.html,
      /<p class="hint">It has read nothing yet\. It reads with a token that you made\. Since [^,]+, without an end\.<\/p>/,
    )
    await world.call('/v1/streams/messages/records', access_token)
    assert.match((await owner.get('/apps')).html, /Last used just now\./)
    const link = /href="(\/apps\/remove[^"]+)"/.exec(apps.html)?.[1] ?? ''
    const asked = await owner.get(link)
    assert.match(asked.html, /Reader &lt;i&gt; can read 1 source now: Work mail\./)
    assert.equal((await world.call('/v1/streams/messages/records', access_token)).status, 200)
    const form = [...asked.html.matchAll(/name="(csrf|grant)" value="([^"]+)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    )
    const sent = await owner.post('/apps', form)
    assert.match(sent.html, /Reader &lt;i&gt; can no longer read Work mail\./)
    assert.match(sent.html, /Ended access \(1 app\)/)
    assert.equal((await world.call('/v1/streams/messages/records', access_token)).status, 403)
    for (const again of [await owner.get(link), await owner.post('/apps', form)])
      assert.match(again.html, /<h1>Apps<\/h1>[\s\S]*That access was already removed\./, 'as after a reload')
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'Activity shows by week and app what was read, each request, and its passages marked',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await hostileMailbox(world)
    const owner = await world.signedIn()
    assert.match(
      (await owner.get('/activity')).html,
      /No app has asked for anything yet\. <a href="\/connect">Connect an app</,
    )
    const { access_token, client_id } = await world.connect(owner)
    const { body } = await world.call('/v1/search?q=treaty&limit=1', access_token)
    await world.call('/v1/streams/nothing/records', access_token)
    const weeks = await owner.get('/activity')
    assert.match(
      weeks.html,
      /<strong>Test app<\/strong><\/a><svg class="spark"[\s\S]*Asked 2 times · saw 1 record · \d+ characters of text · 1 refused</,
    )
    assertInert(weeks.html)
    const link = /href="(\/activity\/[^"]+)"/.exec(weeks.html)?.[1] ?? ''
    const requests = await owner.get(link)
    assert.match(requests.html, />Asked for a list of records, and was refused</)
    const searched =
      /href="([^"]+)">Searched, and saw 1 subject and \d+ passages?</.exec(requests.html)?.[1] ?? ''
    const request = await owner.get(searched.replaceAll('&amp;', '&'))
    assertInert(request.html)
    const [window] = body.data[0].match_windows
    const places = [...request.html.matchAll(/class="evidence"[^>]+href="([^"]+)"/g)].map(
      ([, each = '']) => each,
    )
    const [line] = (await world.call('/v1/owner/disclosures?limit=2')).body.data.filter(
      ({ status }: { status: number }) => status === 200,
    )
    const { ranges } = line.shown[0]
    assert.ok(
      ranges[window.field_path].some(
        ([start, end]: [number, number]) =>
          start === window.text_start_chars && end === window.text_end_chars,
      ),
    )
    const bounds = places.map(each => /at=(\d+-\d+)/.exec(each)?.[1])
    const passages = passagesOf(line.shown[0]).map(({ start, end }) => `${start}-${end}`)
    assert.deepEqual(bounds, passages)
    const opened = await owner.get((places[0] ?? '').replaceAll('&amp;', '&'))
    assert.match(opened.html, /<mark id="p"/)
    assert.doesNotMatch(opened.html, /has no checksum/)
    const csrf = csrfIn(weeks)
    assert.match(
      (await owner.post('/activity', { csrf })).html,
      /2 entries verified just now: nothing was changed/,
    )
    assert.equal((await owner.get(`/activity/${client_id}/none?at=2026-01-01T00:00:00Z`)).status, 404)
    assert.equal((await owner.get('/activity/nobody')).status, 404)
    assert.deepEqual(world.failures, [])
  },
)

test('Connect has what each known client needs, with the address of this server', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const { port } = new URL(world.url)
  for (const { key, label } of [...CLIENT_KINDS, ...CLIENTS_BY_HAND]) {
    const { html, status } = await owner.get(`/connect?client=${key}`)
    assert.equal(status, 200)
    assert.match(html, new RegExp(`aria-current="true">${label}<`))
    assert.ok(html.includes(`:${port}`), key)
  }
  assert.match(
    (await owner.get('/connect')).html,
    /claude mcp add --transport http --scope user footnote http/,
  )
  assert.match((await owner.get('/connect?client=codex')).html, />footnote connect codex --write</)
})

onEitherEngine(
  'Sources can be renamed, show what imports rejected, and are removed after a confirmation',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await world.mailbox('Work mail')
    const { import_id } = await begin(world, connection_id, 'old.mbox')
    const ended = { state: 'finished', counts: { seen: 7, rejected: 2 } }
    await world.own('PATCH', `/v1/owner/imports/${import_id}`, ended)
    await interruptedImport(world, connection_id)
    const owner = await world.signedIn()
    await world.connect(owner)
    const sources = (await owner.get('/sources')).html
    assert.match(sources, new RegExp(`href="/sources/${connection_id}"><strong>Work mail`))
    assert.match(sources, />2 items rejected</, 'an item of a file that is imported again counts once')
    const page = await owner.get(`/sources/${connection_id}`)
    assert.match(
      page.html,
      new RegExp(
        `action="/search"[^>]*><div hidden><input type="hidden" name="source" value="${connection_id}"`,
      ),
    )
    assert.match(page.html, /3 records, /)
    assert.match(page.html, />2 items rejected</)
    const link = /href="([^"]+)">Details</.exec(page.html)?.[1] ?? ''
    const rejected = await owner.get(link)
    assert.match(rejected.html, /The &lt;b&gt;date&lt;\/b&gt; is not a time\./)
    assert.match(rejected.html, /The date is empty\. <code class="soft small">invalid_date<\/code>/)
    assert.match(rejected.html, /<li class="path">line 90<\/li>/)
    const renamed = await owner.submit(page, { name: `Old ${HOSTILE}` })
    assertInert(renamed.html)
    assert.match(
      renamed.html,
      /<h1 dir="auto">Old &lt;script[\s\S]*role="status">The source has its new name\./,
    )
    assert.doesNotMatch((await owner.get(`/sources/${connection_id}?done=constructor`)).html, /role="status"/)
    assert.equal((await owner.submit(page, { name: ' ' })).status, 400)
    const asked = await owner.get(`/sources/${connection_id}/remove`)
    assert.match(asked.html, /3 records will be deleted/)
    assert.match(
      asked.html,
      /1 app will lose access<[\s\S]*Test app<[\s\S]*Your e-mail[^:<]*: <span class="soft">/,
    )
    const gone = await owner.post(`/sources/${connection_id}`, { csrf: csrfIn(asked), action: 'remove' })
    assert.equal(new URL(gone.url).pathname, '/sources')
    assert.match(gone.html, /The source and its records were removed\./)
    assert.deepEqual((await world.call('/v1/owner/connections')).body.data, [])
    assert.equal((await owner.get(`/sources/${connection_id}`)).status, 404)
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'Settings names the browsers that are signed in, the version and where the data is',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const owner = await world.signedIn()
    await world.signedIn()
    const { html } = await owner.get('/settings')
    assert.equal(html.match(/<li class="head"><span>A browser/g)?.length, 2)
    assert.equal(html.match(/A browser <span class="badge good">here/g)?.length, 1)
    assert.equal(html.match(/name="session"/g)?.length, 1, 'the other one can be signed out')
    assert.ok(html.includes(packageVersion()))
    await world.mailbox('Mail')
    await world.connect(owner)
    const changes = await owner.get('/settings/changes')
    assert.match(changes.html, /You gave Test app access to Mail</)
    assert.match(changes.html, /You signed in with a sign-in link</)
    const everything = await owner.get('/settings/footnote.ndjson')
    assert.match(everything.headers.get('Content-Disposition') ?? '', /footnote\.ndjson/)
    assert.match(everything.html.trimEnd().split('\n').at(-1) ?? '', /^\{"object":"end"/)
    assert.match(html, engine === 'sqlite' ? /\(SQLite\)/ : /PostgreSQL at [^@<]+; the key of the ledger/)
  },
)
