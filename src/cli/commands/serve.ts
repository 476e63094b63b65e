import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { signInUrl } from '../../authorization-server/owner/sign-in.ts'
import { createConsole } from '../../console/console.ts'
import { createReader } from '../../resource-server/reads/read-as.ts'
import { hasSignedIn } from '../../store/access/sign-in.ts'
import { Store } from '../../store/store.ts'
import { createApplication } from '../application.ts'
import type { Command } from '../command.ts'
import { type Config, hostAndPort, originFor } from '../config.ts'
import { IdentifiedResponse, requestIdOf } from '../identified-response.ts'
import { logError } from '../log.ts'
import { CHANGES_TTL_DAYS, resourceEnvironment } from '../resource-environment.ts'
import { untilStopped } from '../terminal/until-stopped.ts'

const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const IDLE_CLIENT_DAYS = 30

export interface RunningServer extends AsyncDisposable {
  url: string
  /** Where it really listens. */
  address: string
  store: Store
}

/** What tests replace. */
export interface Replacements {
  clock?: () => Date
  /** Fetches the documents of clients. */
  fetch?: typeof globalThis.fetch
  report?: (error: unknown, request_id: string) => void
}

/** Opens the store and serves it; closes both when disposed of. */
export async function startServer(config: Config, replace: Replacements = {}): Promise<RunningServer> {
  const store = await Store.open(config.location)
  try {
    await tidy(store)
    const server = createServer({ ServerResponse: IdentifiedResponse })
    const address = await listen(server, config)
    const publicUrl = originFor({ ...config, port: Number(address.split(':').at(-1)) })
    const { clock = () => new Date(), report = logError } = replace
    const { rateLimit } = config
    const environment = resourceEnvironment(store, config, { publicUrl, rateLimit, clock, report })
    const reader = createReader(environment)
    // Loaded here because it takes a while, which the other commands need not wait for.
    const { createAuthorizationServer } = await import('../../authorization-server/server.ts')
    const authorization = createAuthorizationServer({
      store,
      publicUrl,
      clientDocuments: config.clientDocuments,
      clock,
      report,
      preview: reader,
      requestIdOf,
      ...(replace.fetch ? { fetch: replace.fetch } : {}),
    })
    const console = createConsole({
      requireOwner: authorization.requireOwner,
      read: path => reader({ kind: 'owner', owner_id: store.owner_id }, path),
      report,
    })
    const app = createApplication(environment, console)
    store.refreshIndexes().catch(error => report(error, 'index'))
    const tidying = setInterval(
      () => forgetAuthorizations(store).catch(error => report(error, 'tidy')),
      HOUR_MS,
    )
    const serveRest = (request: Request, { outgoing }: HttpBindings | Http2Bindings) =>
      app.fetch(request, requestIdOf(outgoing))
    const listener = getRequestListener(serveRest, { hostname: address })
    server.on('request', (request, response) => {
      if (!authorization.handle(request, response)) void listener(request, response)
    })
    return {
      url: publicUrl,
      address: `http://${address}`,
      store,
      async [Symbol.asyncDispose]() {
        clearInterval(tidying)
        await close(server)
        await app.close()
        await store[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await store[Symbol.asyncDispose]()
    throw error
  }
}

/** The link of the first run: for an owner who has no passphrase and is signed in nowhere. */
export async function firstSignIn({ store }: RunningServer): Promise<string | null> {
  const { owner_id } = store
  const now = new Date().toISOString()
  if (await hasSignedIn(store.database, { owner_id, now })) return null
  return store.writer.call('createSignInLink', { owner_id, now })
}

/** Forgets what no reader can ask for any more. */
async function tidy(store: Store): Promise<void> {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  await store.writer.call('forgetTombstones', { owner_id: store.owner_id, before: daysAgo(CHANGES_TTL_DAYS) })
  await store.writer.call('forgetBrokenUploads', { before: daysAgo(1) })
  await forgetAuthorizations(store)
}

/** Forgets codes, tokens, sessions and links that have expired, and apps that registered and were never let in. */
async function forgetAuthorizations(store: Store): Promise<void> {
  const now = new Date()
  const idle = new Date(now.getTime() - IDLE_CLIENT_DAYS * DAY_MS).toISOString()
  await store.writer.call('forgetArtifacts', { owner_id: store.owner_id, now: now.toISOString(), idle })
}

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo
      resolve(hostAndPort(host, taken))
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 3_000).unref()
  })
}

export const serve: Command = {
  name: 'serve',
  summary: 'Serves the data; never imports anything by itself.',
  usage: 'footnote serve [--port N] [--host ADDRESS] [--public-url URL]',
  examples: ['footnote serve', 'footnote serve --port 8080 --data-dir ./data'],
  options: {},
  serves: true,
  async run({ config, note }) {
    await using server = await startServer(config)
    note(`Footnote serves ${server.url} (${config.location.engine})`)
    const link = await firstSignIn(server)
    if (link) note(`Sign in, once, within half an hour: ${signInUrl(server.url, link)}`)
    await untilStopped(config.startedByNpm)
    note('Stopping.')
  },
}
