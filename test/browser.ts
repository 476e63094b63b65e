import { after } from 'node:test'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import type { AuthorizationWorld } from './authorization-world.ts'

let running: Promise<Browser> | null = null

after(async () => {
  const browser = await running?.catch(() => null)
  running = null
  await browser?.close()
})

/**
 * A new browser profile. The browser comes from an npm package and is started once; CHROMIUM_PATH selects another.
 */
export async function newProfile(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext & AsyncDisposable> {
  running ??= launch()
  const context = await (await running).newContext(options)
  return Object.assign(context, { [Symbol.asyncDispose]: () => context.close() })
}

/** Also loads the automation library, which is slow and not needed by most test processes. */
async function launch(): Promise<Browser> {
  const { default: chromium } = await import('@sparticuz/chromium')
  const { chromium: playwright } = await import('playwright-core')
  const executablePath = process.env.CHROMIUM_PATH || (await chromium.executablePath())
  // Not the package's own arguments: they put everything into one process and switch web security off.
  return playwright.launch({ executablePath, args: ['--no-sandbox', '--headless=shell'], headless: true })
}

/** Signs the owner in with a one-time link, and returns to the page that required the sign-in. */
export async function signInOn(page: Page, world: AuthorizationWorld): Promise<void> {
  const asked = new URL(page.url()).searchParams.get('return_to')
  const back = asked === null ? {} : { return_to: asked }
  const query = new URLSearchParams({ link: await world.signInLink(), ...back })
  await page.goto(`${world.url}/sign-in?${query}`)
  await page.getByRole('button', { name: 'Sign in on this browser' }).click()
}

/** Whether an element is visible without scrolling. */
export function isInSight(element: Locator): Promise<boolean> {
  const height = element.page().viewportSize()?.height ?? 0
  return element.evaluate((shown, most) => {
    const { top, bottom } = shown.getBoundingClientRect()
    return top >= 0 && bottom <= most
  }, height)
}
