import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { newProfile, signInOn } from './browser.ts'
import { passkeyWorld } from './passkey-world.ts'

/** A virtual authenticator of the browser that verifies its owner immediately. */
async function addDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function violations(page: Page): Promise<string[]> {
  const { source } = (await import('axe-core')).default
  await page.evaluate(source)
  const found = await page.evaluate<{ violations: { id: string }[]; passes: unknown[] }>('axe.run()')
  assert.ok(found.passes.length > 5, page.url())
  return found.violations.map(({ id }) => `${page.url()}: ${id}`)
}

test('the owner adds a passkey in a browser, signs in with it, and removes it', async () => {
  await using world = await passkeyWorld('sqlite')
  await using profile = await newProfile({ viewport: { width: 390, height: 844 } })
  const page = await profile.newPage()
  const [elsewhere, problems]: [string[], string[]] = [[], []]
  page.on('request', request => {
    if (!request.url().startsWith(world.url)) elsewhere.push(request.url())
  })
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await addDevice(page)
  await page.goto(world.url)
  await signInOn(page, world)
  await page.goto(`${world.url}/settings`)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Test device')
  const found = await violations(page)
  await page.getByLabel('Name').press('Enter')
  await page.getByText('The passkey was added').waitFor()
  await page.getByText('not used yet').waitFor()
  found.push(...(await violations(page)))
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('This device already has a passkey').waitFor()

  await page.goto(`${world.url}/settings`)
  found.push(...(await violations(page)))
  await page.getByRole('button', { name: 'Sign out here' }).click()
  await page.goto(`${world.url}/apps`)
  found.push(...(await violations(page)))
  await page.getByRole('link', { name: 'Sign in with a passkey' }).click()
  found.push(...(await violations(page)))
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('No app can read anything').waitFor()
  assert.equal(new URL(page.url()).pathname, '/apps')

  await page.goto(`${world.url}/settings/passkeys`)
  await page.getByText('last used just now').waitFor()
  await page.getByRole('button', { name: 'Remove the passkey Test device' }).click()
  await page.getByText('There are none yet').waitFor()
  assert.deepEqual([found, elsewhere, problems, world.failures], [[], [], [], []])
})

test('without scripts the passkey pages say what to do instead', async () => {
  await using world = await passkeyWorld('sqlite')
  await using profile = await newProfile({ javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/sign-in/passkey?return_to=%2Fapps`)
  assert.equal(await page.getByRole('button').count(), 0)
  await page.getByRole('link', { name: 'Sign in another way' }).click()
  await signInOn(page, world)
  await page.getByText('No app can read anything').waitFor()
  await page.goto(`${world.url}/settings/passkeys`)
  await page.getByText('Adding a passkey needs a browser').waitFor()
  assert.equal(await page.getByRole('button').count(), 0)
})
