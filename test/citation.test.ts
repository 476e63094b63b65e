import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AuthorizationWorld } from './authorization-world.ts'
import { isInSight, newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'
import { message } from './mailbox.ts'

const HOSTILE =
  '<script>document.title="owned"</script><img src=x onerror="document.title=1"><a href="javascript:1">x</a>'

async function cited(world: AuthorizationWorld, body: string): Promise<{ url: string; connection: string }> {
  const connection = await world.mailbox('Work mail', [])
  const line = message('o/1 ?#', { subject: `Minutes ${HOSTILE}`, body })
  await world.ingest('messages', connection, [line])
  const found = await world.call('/v1/search?q=quetzalcoatlus%20treaty')
  return { url: found.body.data[0].url, connection }
}

onEitherEngine(
  'a citation link opens the record with the passage marked, and only for its owner',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const filler = `${HOSTILE} filler é😀 `.repeat(900)
    const { url, connection } = await cited(world, `${filler}the quetzalcoatlus treaty was signed. ${filler}`)
    assert.ok(url.startsWith(`${world.url}/r/${connection}/messages/o%2F1%20%3F%23?f=body&at=`), url)
    await using profile = await newProfile({ viewport: { width: 1280, height: 800 } })
    const page = await profile.newPage()
    const dialogs: string[] = []
    page.on('request', request => dialogs.push(request.url()))
    await page.goto(url)
    assert.equal(new URL(page.url()).pathname, '/sign-in')
    await signInOn(page, world)
    await page.goto(url)
    const mark = page.locator('mark')
    assert.equal(await mark.textContent(), 'quetzalcoatlus treaty')
    assert.ok(await isInSight(mark), 'the passage is in sight')
    assert.match((await page.locator('h1').textContent()) ?? '', /^Minutes <script>/)
    assert.match(await page.title(), /^Minutes/)
    assert.equal(await page.locator('main script, main img').count(), 0)
    const links = await page
      .locator('main a')
      .evaluateAll(all => all.map(each => String((each as { href?: string }).href)))
    assert.ok(
      links.every(address => address.startsWith(world.url)),
      links.join(' '),
    )
    assert.ok(dialogs.every(address => address.startsWith(world.url)))
    if (process.env.FOOTNOTE_SHOTS) {
      const folder = join(tmpdir(), 'footnote-shots')
      await mkdir(folder, { recursive: true })
      await page.screenshot({ path: join(folder, 'citation-1280.png') })
      await page.setViewportSize({ width: 390, height: 800 })
      await page.goto(url)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.screenshot({ path: join(folder, 'citation-390-dark.png') })
    }
    const line = message('o/1 ?#', { body: `${filler}the text is another one now` })
    await world.ingest('messages', connection, [line])
    await page.goto(url)
    const warning = page.getByText('This text has changed since it was cited')
    await warning.waitFor()
    assert.ok(await isInSight(warning), 'the warning comes before the passage')
    assert.deepEqual(world.failures, [])
  },
)

test('record pages need a signed-in owner, run nothing, and say when a record does not exist', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const { url, connection } = await cited(world, `${HOSTILE} quetzalcoatlus treaty`)
  const anonymous = await fetch(url, { redirect: 'manual' })
  assert.equal(anonymous.status, 303)
  assert.match(anonymous.headers.get('Location') ?? '', /^\/sign-in\?return_to=/)
  const bearer = await fetch(url, {
    redirect: 'manual',
    headers: { Authorization: `Bearer ${world.ownerToken}` },
  })
  assert.equal(bearer.status, 303)
  const owner = await world.signedIn()
  const page = await owner.get(new URL(url).pathname + new URL(url).search)
  assert.equal(page.status, 200)
  assert.match(
    page.headers.get('Content-Security-Policy') ?? '',
    /default-src 'none'.*script-src 'none'.*frame-ancestors 'none'/,
  )
  const text = page.html
  assert.ok(!text.includes('<script') && !text.includes('<img') && text.includes('&lt;script'))
  assert.equal((await owner.get(`/r/${connection}/messages/none`)).status, 404)
  assert.equal((await owner.get('/r/cin_none/messages/none')).status, 404)
  assert.equal((await owner.get(`/r/${connection}/none/x`)).status, 404)
  assert.equal((await owner.get(`/r/${connection}/messages/%E0%A4%A`)).status, 404)
  assert.equal((await owner.get(`${new URL(url).pathname}?f=body&at=9-1`)).status, 200)
  const { pathname, search } = new URL(url)
  for (const damaged of [
    '?f=nothing&at=1-9',
    '?f=body',
    '?f=body&at=9-1',
    '?at=1-2',
    '?d=12345678',
    '?f=size&at=0-1',
  ]) {
    const shown = await owner.get(pathname + damaged)
    assert.equal(shown.status, 200, damaged)
    assert.match(shown.html, /The link does not name a passage of this record/, damaged)
    assert.ok(!shown.html.includes('<mark'), damaged)
  }
  const altered = await owner.get(`${pathname}${search.replace(/at=\d+-\d+/, 'at=1-90000')}`)
  assert.match(altered.html, /names a place after the end of this text/)
  const unchecked = await owner.get(pathname + search.replace(/&d=\w+/, ''))
  assert.match(unchecked.html, /cannot tell whether the text has changed/)
  assert.match(unchecked.html, /<mark[^>]*>quetzalcoatlus treaty</)
  const both = await owner.get(`${pathname}?f=body&at=1-90000`)
  assert.match(both.html, /names a place after the end of this text/, 'also without a checksum')
})

onEitherEngine(
  'AN-20 the link that a model forms from an id, a field and a range opens the passage',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection = await world.mailbox('Work mail', [])
    const body = 'Before. Then the quetzalcoatlus treaty was signed by all. After.'
    await world.ingest('messages', connection, [message('a:b.1', { body })])
    const owner = await world.signedIn()
    const formed = await owner.get(`/r/${connection}/messages:a:b.1?f=body&at=17-39`)
    assert.equal(formed.status, 200)
    assert.match(formed.html, /<mark[^>]*>quetzalcoatlus treaty </)
    assert.equal((await owner.get(`/r/${connection}/messages`)).status, 400)
    const path = `/v1/streams/messages/records/a:b.1/field-window?field=body&q=QUETZALCOATLUS`
    const { url } = (await world.call(path)).body
    const quoted = await owner.get(new URL(url).pathname + new URL(url).search)
    assert.match(quoted.html, /<mark[^>]*>Then the quetzalcoatlus treaty was signed by all\.</)
    assert.ok(!/notice warn/.test(quoted.html))
  },
)
