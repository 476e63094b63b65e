import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { AuthorizationWorld } from '../../test/authorization-world.ts'
import { message } from '../../test/mailbox.ts'
import type { Setting } from './session.ts'

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts')
const FILLER = 'the quick brown fox jumps over it '
const BODY = `${FILLER.repeat(2_000)}the quetzalcoatlus treaty was signed at noon ${FILLER.repeat(2_000)}`
const HOUR_MS = 3_600_000
/** Longer than an OAuth token is valid. */
export const EXPIRED_MS = 8.1 * HOUR_MS
/** Longer than a cursor is valid. */
export const DAY_MS = 25 * HOUR_MS

/** A long message of a thread. */
function long(body: string) {
  return message('long', { subject: 'Treaty', body, size: 7, received_at: '2026-01-02T10:00:00Z' })
}

/**
 * A server with a thread of three messages, one of them long. It fetches no client documents, because there may be no
 * network access.
 */
export async function startWorld(): Promise<AuthorizationWorld> {
  const world = await AuthorizationWorld.start('sqlite', { clientDocuments: false })
  await world.ingest('messages', await world.mailbox('Work mail', []), [
    message('m1', { subject: 'Treaty', body: 'Shall we meet?', received_at: '2026-01-01T10:00:00Z' }),
    long(BODY),
    message('m3', { subject: 'Treaty', body: 'Agreed.', received_at: '2026-01-03T10:00:00Z' }),
    message('lone', { subject: null, body: 'Nobody answered.' }),
  ])
  await world.ingest('messages', await world.mailbox('Home mail', []), [message('m1', { body: 'Milk.' })])
  return world
}

/** The long message changes. */
export function rewrite(world: AuthorizationWorld, connection: string): Promise<void> {
  return world.ingest('messages', connection, [long(`${BODY} and sealed`)])
}

/** The owner removes one field of the messages from every grant. */
export async function narrow(world: AuthorizationWorld): Promise<void> {
  const fields = ['id', 'subject', 'body', 'from', 'size', 'parts', 'received_at']
  const streams = [{ name: 'messages', fields }]
  for (const grant_id of await activeGrants(world))
    await world.own('POST', `/v1/owner/grants/${grant_id}/replace`, { streams })
}

/** The owner removes every access. */
export async function removeAccess(world: AuthorizationWorld): Promise<void> {
  for (const grant_id of await activeGrants(world))
    await world.call(`/v1/owner/grants/${grant_id}`, undefined, { method: 'DELETE' })
}

async function activeGrants(world: AuthorizationWorld): Promise<string[]> {
  const { body } = await world.call('/v1/owner/grants')
  const grants = body.data as { grant_id: string; active: boolean }[]
  return grants.filter(({ active }) => active).map(({ grant_id }) => grant_id)
}

/** A token for everything, and the command of the adapter with it. */
export async function tokenFor(
  world: AuthorizationWorld,
): Promise<Pick<Setting, 'token' | 'url' | 'headers' | 'adapter'>> {
  const { access_token: token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Matrix' })
  return {
    token,
    url: `${world.url}/mcp`,
    headers: { Authorization: `Bearer ${token}` },
    adapter: {
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', MAIN, 'mcp', '--provider-url', world.url],
      env: { PDPP_ACCESS_TOKEN: token },
    },
  }
}

/** The owner in a real browser: signs in, shares everything, allows it. */
export class Owner implements AsyncDisposable {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Owner> {
    const executablePath = process.env.CHROMIUM_PATH || (await chromium.executablePath())
    return new Owner(
      await playwright.launch({ executablePath, args: ['--no-sandbox', '--headless=shell'], headless: true }),
    )
  }

  async decide(world: AuthorizationWorld, asked: URL): Promise<URL> {
    const context = await this.#browser.newContext()
    const page = await context.newPage()
    await page.goto(asked.href)
    if (new URL(page.url()).pathname === '/sign-in') {
      await page.goto(`${world.url}/sign-in?link=${await world.signInLink()}`)
      await page.getByRole('button', { name: 'Sign in on this browser' }).click()
    }
    for (const name of ['Work mail', 'Home mail']) {
      const mail = page.getByRole('region', { name }).getByRole('group', { name: 'Your e-mail' })
      await mail.getByText('Everything').click()
    }
    await page.getByRole('button', { name: 'Review' }).click()
    const [left] = await Promise.all([
      page.waitForRequest(request => !request.url().startsWith(`${world.url}/`)),
      page.getByRole('button', { name: 'Allow', exact: true }).click(),
    ])
    const back = new URL(left.url())
    await page.waitForLoadState().catch(() => {})
    await context.close()
    return back
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
  }
}
