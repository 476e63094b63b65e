import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningWords } from '../src/console/search/search-page.ts'
import { AuthorizationWorld, csrfIn } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'
import { message } from './mailbox.ts'

async function treatyWorld(world: AuthorizationWorld) {
  const work = await world.mailbox('Work mail', [])
  const home = await world.mailbox('Home mail', [])
  await world.ingest('messages', work, [
    message('open', { subject: 'The treaty', body: 'signed' }),
    message('inside', { subject: 'Minutes', body: 'the treaty was signed' }),
  ])
  await world.ingest('messages', home, [message('hidden', { subject: 'Treaty at home', body: 'no' })])
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', {
    client_name: 'Reader <i>',
    connections: [work],
    streams: ['messages'],
    fields: ['id', 'subject'],
  })
  return { access_token, client_id }
}

/** The headings of hits, without their marks. */
function titlesOn(html: string): string[] {
  const headings = html.matchAll(/<h2 dir="auto"><a [^>]+>(.+?)<\/a><\/h2>/g)
  return [...headings].map(([, heading = '']) => heading.replace(/<\/?mark>/g, ''))
}

onEitherEngine('a search as an app sees it shows what is missing, and is not recorded', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const { access_token, client_id } = await treatyWorld(world)
  const owner = await world.signedIn()
  const { html } = await owner.get(`/search?q=treaty&as=${client_id}`)
  const [found = '', gone = ''] = html.split('What it does not find</h2>')
  const { data } = (await world.call('/v1/search?q=treaty', access_token)).body
  assert.deepEqual(
    titlesOn(found),
    data.map(({ title }: { title: string }) => title),
  )
  assert.deepEqual(titlesOn(found), ['The treaty'])
  assert.deepEqual(titlesOn(gone).sort(), ['Minutes', 'Treaty at home'])
  assert.match(gone, /Reader &lt;i&gt; does not find 2 of your first 3 results/)
  assert.match(gone, />Minutes<[\s\S]*?The words are in fields that it cannot see/)
  assert.match(gone, />Treaty<\/mark> at home<[\s\S]*?Hidden from it/)
  assert.match((await owner.get('/search?q=treaty')).html, /3 records contain this word/)
  const { data: lines } = (await world.call('/v1/owner/disclosures')).body
  assert.equal(lines.length, 1, 'only what the app itself asked')
  assert.match((await owner.get(`/search?q=signed&as=${client_id}`)).html, /Nothing was found/)
  assert.equal((await owner.get('/search?q=treaty&as=cli_nobody')).status, 404)
  assert.deepEqual(world.failures, [])
})

onEitherEngine(
  'the pages of a search as an app sees it show each of its hits once, in its order',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const work = await world.mailbox('Work mail', [])
    const lines = Array.from({ length: 13 }, (_, n) => message(`m${n}`, { subject: `Treaty no ${n}` }))
    await world.ingest('messages', work, lines)
    const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', {
      client_name: 'Reader',
      connections: [work],
      streams: ['messages'],
      fields: ['id', 'subject', 'received_at'],
    })
    const owner = await world.signedIn()
    for (const sort of ['', '&sort=newest']) {
      const titles: string[] = []
      const sizes: number[] = []
      let path: string | undefined = `/search?q=treaty${sort}&as=${client_id}`
      while (path !== undefined) {
        const { html } = await owner.get(path)
        const page = titlesOn(html)
        sizes.push(page.length)
        titles.push(...page)
        path = /class="button" href="(\/search\?[^"]+next=[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      }
      const { data } = (await world.call(`/v1/search?q=treaty${sort}&limit=25`, access_token)).body
      assert.deepEqual(
        titles,
        data.map(({ title }: { title: string }) => title),
      )
      assert.deepEqual(sizes, [10, 3])
    }
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine('a search says what its list contains, and what to do if it is empty', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await treatyWorld(world)
  const owner = await world.signedIn()
  const pageOf = async (query: string) => (await owner.get(`/search?${query}`)).html
  assert.match(await pageOf('q=treaty'), />3 records contain this word\.</)
  const some = />1 record contains all these words\. The others contain some of them\.</
  assert.match(await pageOf('q=treaty+home'), some)
  const none = />No record contains all these words\. These contain some of them\.</
  assert.match(await pageOf('q=treaty+parliament'), none)
  const away = await pageOf('q=treaty&since=2030-01-01')
  assert.match(away, /Nothing was found/)
  assert.match(away, /<a href="\/search\?q=treaty">Search everything/)
  assert.match(await pageOf('q=treaty&since=2026-01-02&until=2026-01-01'), /<p>No day is left: /)
  const [heading, ...others] = (await pageOf('q=home')).match(/<mark>home<\/mark>/g) ?? []
  assert.ok(heading && others.length === 0, 'a passage that begins with the title is not shown twice')
  const unknown = await pageOf('q=parliament')
  assert.match(unknown, />No record contains “parliament”\.</)
  assert.match(unknown, /Try its first letters: <a href="\/search\?q=parl\*">parl\*<\/a>/)
  assert.match(await pageOf('q='), /<code>engine from:ada<\/code>/)
  assert.doesNotMatch(unknown, /Search everything|fewer words/)
  const wordless = await pageOf('q=-treaty')
  assert.match(wordless, /There is no word to search for/)
  assert.doesNotMatch(wordless, /contains no word|Use fewer words/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('searches are saved with their filters, listed and removed', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await treatyWorld(world)
  const owner = await world.signedIn()
  const page = await owner.get('/search?q=%3Cb%3E+treaty&sort=newest')
  const sent = [...page.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const saved = await owner.post(
    '/search',
    sent.map(([, name = '', value = '']): [string, string] => [
      name,
      value.replace('&lt;', '<').replace('&gt;', '>'),
    ]),
  )
  assert.equal(new URL(saved.url).search, '?q=%3Cb%3E+treaty&sort=newest')
  assert.match(saved.html, /Saved\. <a href="\/search">Your saved searches<\/a>/)
  assert.doesNotMatch(saved.html, />Save this search</)
  assert.match((await owner.get('/search?q=treaty')).html, />Save this search</)
  const list = await owner.get('/search')
  assert.match(list.html, /href="\/search\?q=%3Cb%3E\+treaty&amp;sort=newest" dir="auto">&lt;b&gt; treaty</)
  const [search] = (await world.call('/v1/owner/searches')).body.data
  assert.equal(search.query, 'q=%3Cb%3E+treaty&sort=newest')
  for (const lost of ['source=cin_removed', 'kind=removed']) {
    const { html } = await owner.get(`/search?q=treaty&${lost}`)
    assert.match(html, /The source that this search names was removed\./)
    assert.match(html, /href="\/search\?q=treaty">Search every source</)
  }
  const csrf = csrfIn(list)
  const after = await owner.post('/search', { csrf, remove: search.search_id })
  assert.doesNotMatch(after.html, /Saved searches/)
  assert.match(after.html, /role="status">The saved search was removed\./)
  assert.equal((await owner.post('/search', { csrf, remove: search.search_id })).status, 404)
  assert.equal((await owner.post('/search', { csrf })).status, 400)
  assert.deepEqual(world.failures, [])
})

test('in a browser without scripts the owner looks as an app does, and saves a search', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await treatyWorld(world)
  await using profile = await newProfile({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/search`)
  await signInOn(page, world)
  await page.getByText('Narrow it down').click()
  await page.getByLabel('As seen by').selectOption({ label: 'Reader <i>' })
  await page.getByLabel('Words to search for').fill('treaty')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('heading', { name: 'What it does not find' }).waitFor()
  await page.getByRole('button', { name: 'Save this search' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('heading', { name: 'What it does not find' }).waitFor()
  await page.getByRole('link', { name: 'Your saved searches' }).click()
  await page.getByRole('heading', { name: 'Saved searches' }).waitFor()
  await page.getByRole('link', { name: 'treaty' }).click()
  await page.getByRole('heading', { name: 'What it does not find' }).waitFor()
})

test('a search says in the owner’s words which kinds of records it leaves out', () => {
  const words = (param: string, streams: number) =>
    warningWords({
      code: 'streams_left_out',
      message: `${param}: readable streams`,
      param,
      detail: { streams },
    })
  assert.equal(words('order', 1), '1 kind of records has no date and is left out.')
  assert.equal(words('type', 2), '2 kinds of records have no files and are left out.')
  assert.equal(words('person', 4), '4 kinds of records have no people and are left out.')
  assert.equal(words('label', 4), 'label: streams')
})

onEitherEngine("AN-24 dates in a search of the console are days of the owner's calendar", async engine => {
  await using world = await AuthorizationWorld.start(engine, { timeZone: 'America/Chicago' })
  const connection = await world.mailbox('Mail', [])
  const lines = [
    message('before', { subject: 'Treaty before', received_at: '2015-08-01T04:30:00Z' }),
    message('dated', { subject: 'Treaty dated', received_at: '2015-08-01T00:00:00Z' }),
    message('evening', { subject: 'Treaty evening', received_at: '2015-08-02T04:30:00Z' }),
    message('after', { subject: 'Treaty after', received_at: '2015-08-02T00:00:00Z' }),
  ]
  await world.ingest('messages', connection, lines)
  const owner = await world.signedIn()
  const found = async (query: string) => {
    const { html } = await owner.get(`/search?${query}`)
    return [...html.matchAll(/<h2 dir="auto"><a [^>]+>(?:<mark>)?Treaty(?:<\/mark>)? (\w+)/g)]
      .map(([, title]) => title)
      .sort()
  }
  assert.deepEqual(await found('q=treaty&since=2015-08-01&until=2015-08-02'), ['dated', 'evening'])
  assert.deepEqual(await found('q=treaty+on:2015-08-01'), ['dated', 'evening'])
  const elsewhere = await owner.get('/search?q=treaty+on+3+August+2015')
  assert.match(elsewhere.html, /None of these is from 2015-08-03\. <a href="\/search\?q=on%3A2015-08-03">/)
  const { html } = await owner.get('/search?q=treaty&since=soon')
  assert.match(html, /&quot;soon&quot; is not a time|"soon" is not a time/)
})
