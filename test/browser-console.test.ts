import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importSamples } from '../src/cli/import/import-samples.ts'
import { ownServer } from '../src/cli/own-server.ts'
import { EXAMPLE } from '../src/samples/samples.ts'
import { Asking, AuthorizationWorld } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { PROVING } from './engines.ts'

const MOST_BYTES = 150_000

/** The sample data, and an app that has searched it. */
async function sampleWorld(): Promise<{ world: AuthorizationWorld; app: string }> {
  const world = await AuthorizationWorld.start('sqlite')
  await importSamples(ownServer(world.server), new AbortController().signal, () => {})
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Claude Code' })
  await world.call(`/v1/search?q=${encodeURIComponent(EXAMPLE.query)}`, access_token)
  return { world, app: access_token }
}

test('the owner gets from Home through search to the cited passage, and from Activity to what an app saw, then removes the app', async () => {
  const { world, app } = await sampleWorld()
  await using _ = world
  await using profile = await newProfile({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  const elsewhere: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(world.url)) elsewhere.push(request.url())
  })
  await page.goto(world.url)
  await signInOn(page, world)
  await page.getByRole('heading', { name: 'Your data' }).waitFor()

  await page.getByRole('searchbox').fill(EXAMPLE.query)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('.evidence').first().click()
  const mark = page.locator('mark')
  await mark.waitFor()
  const box = await mark.boundingBox()
  assert.ok(box && box.y >= 0 && box.y + box.height <= 844, 'the passage is in sight')
  await page.getByRole('link', { name: 'Read on from here' }).click()
  await page.getByText(/Page \d+ of \d+/).waitFor()

  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('link', { name: 'Claude Code' }).click()
  await page.getByRole('link', { name: 'Searched' }).click()
  await page.locator('.evidence').first().click()
  await page.locator('mark#p').waitFor()

  await page.getByRole('link', { name: 'Apps' }).click()
  await page.getByRole('link', { name: 'Remove all' }).click()
  await page.getByRole('button', { name: 'Remove access to 6 sources' }).click()
  await page.getByText('No app can read anything').waitFor()
  assert.equal((await world.call('/v1/schema', app)).status, 403)
  assert.deepEqual(elsewhere, [])
  assert.deepEqual(world.failures, [])
})

test('every link on every owner page works, and no page is large', async () => {
  const { world } = await sampleWorld()
  await using _ = world
  const owner = await world.signedIn()
  const { data } = (await world.call('/v1/search?q=fold-test%20attached')).body
  const [asked] = (await world.call('/v1/search?q=abeam&streams[]=chatgpt_messages')).body.data
  const withFiles = [...data, asked].map(({ url }: { url: string }) => new URL(url).pathname)
  const waiting = ['/', ...withFiles, `/search?q=${encodeURIComponent(EXAMPLE.query)}`]
  const seen = new Set(waiting)
  const kinds = new Map<string, number>()
  let [conversations, rendered] = [0, 0]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { status, html, headers } = await owner.get(path)
    assert.equal(status, 200, path)
    if (!headers.get('Content-Type')?.startsWith('text/html')) continue
    assert.ok(html.length < MOST_BYTES, `${path} has ${html.length} bytes`)
    if (/<section [^>]*id="around"[\s\S]*class="bubble asked"/.test(html)) conversations++
    if (/id="around"[\s\S]*class="prose"[\s\S]*<strong>/.test(html)) rendered++
    assert.match(headers.get('Content-Security-Policy') ?? '', /default-src 'none'.*script-src 'none'/)
    for (const [, found = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const url = new URL(found.replaceAll('&amp;', '&'), new URL(path, world.url))
      const next = url.pathname + url.search
      if (url.origin !== world.url || seen.has(next)) continue
      // A few of each kind of page are enough.
      const kind = url.pathname.split('/').slice(0, 2).join('/')
      const number = (kinds.get(kind) ?? 0) + 1
      kinds.set(kind, number)
      if (number > MOST_OF_A_KIND) continue
      seen.add(next)
      waiting.push(next)
    }
  }
  for (const kind of ['/r', '/search', '/sources', '/apps', '/activity', '/connect', '/settings', '/files'])
    assert.ok(kinds.has(kind), kind)
  assert.ok(conversations > 3, 'mails and messages have their conversation around them')
  assert.ok(rendered > 0, 'what an assistant wrote in Markdown is rendered around a message')
  assert.deepEqual(world.failures, [])
})

const MOST_OF_A_KIND = 20

test('axe finds no problems on any owner page, in light and dark mode, on phone and desktop', async () => {
  const { world } = await sampleWorld()
  await using _ = world
  await using profile = await newProfile()
  const page = await profile.newPage()
  await page.goto(world.url)
  await signInOn(page, world)
  const { source } = (await import('axe-core')).default
  const { body } = await world.call(`/v1/search?q=${encodeURIComponent(EXAMPLE.query)}`)
  const [hit] = body.data
  const { data: clients } = (await world.call('/v1/owner/clients')).body
  const { data: grants } = (await world.call('/v1/owner/grants')).body
  const record = new URL(hit.url).pathname
  const [line] = (await world.call('/v1/owner/disclosures')).body.data
  const paths = [
    ...['/', '/search', `/search?q=${encodeURIComponent(EXAMPLE.query)}`, '/sources', '/apps', '/activity'],
    ...[
      '/connect',
      '/connect?client=chatgpt',
      '/settings',
      '/settings/passkeys',
      `/sources/${hit.connection_id}`,
    ],
    ...[
      `/sources/${hit.connection_id}/records`,
      `/sources/${hit.connection_id}/remove`,
      `/activity/${clients[0].client_id}`,
    ],
    ...[
      `/apps/remove?client=${clients[0].client_id}`,
      record,
      `${record}?find=engine`,
      `${record}/readers`,
      '/r/cin_x/none/none',
    ],
    hit.url.replace(world.url, ''),
    ...[`/apps/${clients[0].client_id}`, `/apps/${clients[0].client_id}/${grants[0].grant_id}`],
    ...['/people', '/people?q=hedda', '/people/hedda', '/import', '/settings/changes', '/?demo'],
    ...[
      '/settings/server',
      '/sources/kept',
      '/settings?demo',
      `/activity/${clients[0].client_id}/${line.disclosure_id}?at=${line.at}`,
    ],
    new Asking(world, (await world.register()).body.client_id).url(),
    `/search?q=engine&as=${clients[0].client_id}`,
  ]
  const looks = [
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const
  const found: string[] = []
  for (const { width, colorScheme } of PROVING ? looks : looks.slice(1)) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    for (const path of PROVING ? paths : paths.slice(0, 1)) {
      await page.goto(world.url + path)
      await page.evaluate(source)
      const { violations, passes } = await page.evaluate<Findings>('axe.run()')
      assert.ok(passes.length > 10, path)
      for (const { id, nodes } of violations)
        found.push(`${path} ${width} ${colorScheme}: ${id} ${nodes[0]?.html.slice(0, 200)}`)
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
        found.push(`${path} ${width}: wider than the window`)
    }
  }
  assert.deepEqual(found, [])
})

interface Findings {
  violations: { id: string; nodes: { html: string }[] }[]
  passes: unknown[]
}
