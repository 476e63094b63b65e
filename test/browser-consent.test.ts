import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { Asking, AuthorizationWorld } from './authorization-world.ts'
import { isInSight, newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'
import { MAILBOX, source, sourceId } from './mailbox.ts'
import { OAuthApp } from './oauth-app.ts'

const DOCUMENT = 'https://app.footnote.test/client.json'

/** The owner opens the URL from the app, signs in, shares the mail of one source and allows it. */
async function decide(world: AuthorizationWorld, page: Page, asked: URL): Promise<string> {
  await page.goto(asked.href)
  if (new URL(page.url()).pathname === '/sign-in') await signInOn(page, world)
  await page
    .getByRole('region', { name: 'Work mail' })
    .getByRole('group', { name: 'Your e-mail' })
    .getByText('Everything')
    .click()
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('3 records').first().waitFor()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText('You can close this page.').waitFor()
  return page.url()
}

/** 401, metadata, client identification, consent, token, tool call, refresh, removal, 401. */
async function journey(world: AuthorizationWorld, app: OAuthApp, page: Page): Promise<void> {
  const asked = await app.connect()
  assert.ok(asked instanceof URL)
  assert.equal(asked.origin + asked.pathname, `${world.url}/oauth/authorize`)
  await app.finish(await decide(world, page, asked))
  const client = await app.connect()
  assert.ok(client instanceof Client)
  await using _ = { [Symbol.asyncDispose]: () => client.close() }
  const search = async () => {
    const result = await client.callTool({ name: 'search', arguments: { query: 'subject' } })
    return JSON.stringify(result.structuredContent)
  }
  assert.match(await search(), /Subject m1/)
  const before = app.accessToken
  world.wait(8.1 * 3_600_000)
  assert.match(await search(), /Subject m1/, 'the SDK has refreshed by itself')
  assert.notEqual(app.accessToken, before)

  await page.goto(`${world.url}/apps`)
  await page.getByRole('link', { name: 'Remove' }).first().click()
  await page.getByRole('button', { name: 'Remove access' }).click()
  await page.getByText('No app can read anything').waitFor()
  await assert.rejects(search())
  const again = await app.connect()
  assert.ok(again instanceof URL, 'it has to ask again')
  assert.deepEqual(world.failures, [])
}

onEitherEngine(
  'HO-2: an SDK client connects from nothing with dynamic registration, in a real browser',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    await world.mailbox('Work mail')
    await world.mailbox('Private mail')
    await using app = await OAuthApp.start(world.url)
    await using profile = await newProfile()
    await journey(world, app, await profile.newPage())
    assert.match(app.clientId ?? '', /^cli_/)
  },
)

onEitherEngine(
  'an SDK client connects with a client document; the page names the host that published it',
  async engine => {
    let fetched = 0
    let place = ''
    // The document has an https address; its content is served on loopback.
    const documents = (async (url: string) => {
      fetched++
      assert.equal(url, DOCUMENT)
      return fetch(`${place}/client.json`)
    }) as typeof fetch
    await using world = await AuthorizationWorld.start(engine, { fetch: documents })
    await world.mailbox('Work mail')
    await using app = await OAuthApp.start(world.url, DOCUMENT)
    place = new URL(app.redirectUrl).origin
    await using profile = await newProfile({ javaScriptEnabled: false })
    const page = await profile.newPage()
    const asked = await app.connect()
    assert.ok(asked instanceof URL)
    assert.equal(asked.searchParams.get('client_id'), DOCUMENT)
    const owner = await world.signedIn()
    const consent = await owner.get(asked.pathname + asked.search)
    assert.match(consent.html, /Document app/)
    assert.match(consent.html, /published by app\.footnote\.test, but any program/)
    assert.doesNotMatch(consent.html, /not verified/)
    await journey(world, app, page)
    assert.equal(app.clientId, DOCUMENT)
    assert.equal(fetched, 1, 'the document is kept for a while')
  },
)

test('the consent page fits a phone and a desktop, light and dark, without scripts', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Work mail')
  await using app = await OAuthApp.start(world.url)
  const asked = await app.connect()
  assert.ok(asked instanceof URL)
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await using profile = await newProfile({
      viewport: { width, height: 900 },
      colorScheme,
      javaScriptEnabled: false,
    })
    const page = await profile.newPage()
    const complaints: string[] = []
    page.on('console', message => complaints.push(message.text()))
    page.on('request', request => {
      if (!request.url().startsWith(world.url)) complaints.push(request.url())
    })
    await signInOn(page, world)
    await page.goto(asked.href)
    const fits = async () => {
      const scrolls = await page.locator('html').evaluate((html: { scrollWidth: number }) => html.scrollWidth)
      assert.ok(scrolls <= width, `${scrolls} on ${width} pixels`)
    }
    await fits()
    // Every control has an accessible name and can be reached by keyboard.
    for (const control of await page.locator('input:not([type=hidden]), select, button').all()) {
      const named = await control.evaluate(
        (element: { labels?: ArrayLike<{ textContent: string }>; textContent: string }) =>
          (element.labels?.[0]?.textContent ?? element.textContent).trim(),
      )
      assert.notEqual(named, '')
    }
    const region = page.getByRole('region', { name: 'Work mail' })
    const secret = region.getByRole('checkbox', { name: /Secret/ })
    assert.equal(await secret.isVisible(), false)
    await region.getByText('Let me pick the fields').first().click()
    assert.equal(await secret.isVisible(), true)
    assert.equal(await secret.isChecked(), false)
    assert.equal(await region.getByRole('checkbox', { name: 'Subject' }).isChecked(), true)
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('as the app will see it').waitFor()
    await fits()
    assert.equal(await page.getByText('hush').count(), 0)
    assert.deepEqual(complaints, [])
  }
})

test('a consent with 14 sources fits on three phone screens, and one press shares each source, or all', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  for (let n = 1; n <= 14; n++) await world.mailbox(`Mailbox ${n}`, ['a'])
  const { client_id } = (await world.register()).body
  const viewport = { width: 390, height: 844 }
  await using profile = await newProfile({ viewport, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(world.url + new Asking(world, client_id).url())
  await signInOn(page, world)
  const box = await page.locator('body').boundingBox()
  assert.ok(box && box.height <= 3 * viewport.height, `${box?.height} pixels`)
  const top = async (text: string) => (await page.getByText(text).boundingBox())?.y ?? Number.NaN
  assert.ok((await top('What may it read?')) < (await top('How far back?')), 'what comes before how far back')
  await page.getByRole('button', { name: 'Share all of Mailbox 7' }).click()
  const mailbox = page.getByRole('region', { name: 'Mailbox 7' })
  await mailbox.getByText('everything · 1 record').waitFor()
  assert.ok(await isInSight(mailbox), 'the page stays at the source')
  const another = page.getByRole('region', { name: 'Mailbox 12' })
  await another.locator('summary').first().click()
  assert.equal(await page.getByRole('button', { name: 'Share all of Mailbox 12' }).isVisible(), false)
  await another.getByRole('button', { name: 'Share everything from this source' }).click()
  await another.getByText('everything · 1 record').waitFor()
  assert.ok(await isInSight(another.locator('summary').first()), 'the page stays at the source')
  assert.ok(await another.getByRole('group', { name: 'Your e-mail' }).isVisible(), 'the source stays open')
  await another.locator('summary').first().click()
  await page.getByRole('button', { name: 'Share nothing of Mailbox 12' }).click()
  await page.getByText('Something from 1 of 14 sources is chosen.').waitFor()
  await page.getByRole('button', { name: 'Share nothing of Mailbox 7' }).click()
  await page.getByRole('button', { name: 'Review' }).click()
  assert.ok(await isInSight(page.getByRole('alert')), 'the page shows why it is not the review')
  await page.getByRole('button', { name: 'Share all of Mailbox 7' }).click()
  await mailbox.locator('summary').first().click()
  await mailbox.getByRole('group', { name: 'Your e-mail' }).getByText('Don’t share').waitFor()
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('1 source').waitFor()
  await page.getByRole('button', { name: 'Change' }).click()
  assert.ok(!(await page.locator('#since').isVisible()), 'days are only asked for if they are wanted')
  await page.getByText('Pick days').click()
  await page.locator('#since').press('Enter')
  await page.getByText('Something from 1 of 14 sources is chosen.').waitFor()
  await page.getByRole('button', { name: 'Share everything from all 14 sources' }).click()
  const all = page.getByText('Everything from all 14 sources is chosen.')
  await all.waitFor()
  assert.ok(((await all.boundingBox())?.y ?? 0) < viewport.height, 'the page shows what the press did')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText(/^14 records of 14 sources, until /).waitFor()
})

test('with six sources the whole decision is in sight on a desktop, and each source says what is shared of it', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  for (let n = 1; n <= 5; n++) await world.mailbox(`Mailbox ${n}`, ['a'])
  const { streams } = MAILBOX
  await world.own('POST', '/v1/owner/declarations', { ...MAILBOX, ...source('one'), streams: [streams[0]] })
  const one = { source_id: sourceId('one'), display_name: 'Mailbox 6' }
  await world.receive((await world.own('POST', '/v1/owner/connections', one)).connection_id, ['a'])
  const { client_id } = (await world.register()).body
  await using profile = await newProfile({
    viewport: { width: 1280, height: 900 },
    javaScriptEnabled: false,
  })
  const page = await profile.newPage()
  await page.goto(world.url + new Asking(world, client_id).url())
  await signInOn(page, world)
  for (const part of [
    page.getByText('not verified', { exact: true }),
    page.getByText('Any time', { exact: true }),
    page.getByLabel('For how long may it read?'),
    page.getByRole('button', { name: 'Share all of Mailbox 6' }),
    page.getByRole('button', { name: 'Review' }),
  ])
    assert.ok(await isInSight(part), String(part))
  const mailbox = page.getByRole('region', { name: 'Mailbox 6' })
  await mailbox.locator('summary').first().click()
  await mailbox.getByText('No body').click()
  await page.getByRole('button', { name: 'Update the counts' }).click()
  await mailbox.getByText('No body · 1 record').waitFor()
  await mailbox.locator('summary').first().click()
  await mailbox.getByText('Let me pick the fields').click()
  await mailbox.getByRole('checkbox', { name: 'Body' }).check()
  await page.getByRole('button', { name: 'Update the counts' }).click()
  await mailbox.getByText('4 of 8 fields · 1 record').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Share all of Mailbox 6' }).count(), 0)
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Only 4 of 8 fields:').waitFor()
  await page.getByText('description of all fields, by').first().waitFor()
})
