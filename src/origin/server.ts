import type { OriginRoute } from '../api/route.ts'
import type { AuthorizationSettings } from '../authorization-server/environment.ts'
import { consolePart } from '../console/console.ts'
import type { FileImports } from '../console/environment.ts'
import type { Declaration } from '../model/declaration/declaration.ts'
import { type Json, sameJson } from '../model/json.ts'
import type { TimeZone } from '../model/time.ts'
import { type ResourceSettings, systemClock } from '../resource-server/request/context.ts'
import type { Location } from '../store/engine/database.ts'
import { keepHeapSmall } from '../store/engine/heap.ts'
import { listDeclarations } from '../store/records/catalog.ts'
import { Store } from '../store/store.ts'
import { hostAndPort, originFor, reachable } from './address.ts'
import { TrustedProxies } from './caller.ts'
import { type Answered, type Dispatch, requestIdOf } from './dispatcher.ts'
import { answerRequests, close, httpServer, listen } from './http-server.ts'
import { Meaning, type MeaningOptions } from './meaning.ts'
import { Meter, metricsPart } from './metrics.ts'
import { type KeptSettings, notedSettings } from './noted-settings.ts'
import {
  createOrigin,
  type InsideDoor,
  newOwnerKey,
  type Origin,
  type OriginOptions,
  resourceEnvironment,
} from './origin.ts'
import { packageVersion } from './package-version.ts'
import { Door, type Rate, RateLimit, type Share } from './rate-limit.ts'
import { noteServer } from './running-server.ts'
import { forgetExpired, tidy, verifyDaily } from './tidy.ts'

const HOUR_MS = 60 * 60_000

export interface ServerOptions extends OriginOptions, AuthorizationSettings {
  host: string
  port: number
  /** The origin that clients use; null if that is where the server listens. */
  publicUrl: string | null
  /** Limit for each client. */
  rateLimit: Rate | null
  /** Requests per second without a token, for each address; null means no limit. */
  addressLimit?: number | null
  /** Addresses of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: readonly string[]
  /** The token for /metrics; null disables it. */
  metricsToken?: string | null
}

export interface RunningServer extends InsideDoor, AsyncDisposable {
  /** The address that it actually listens on. */
  address: string
  store: Store
  routes: readonly OriginRoute[]
}

export interface Surroundings {
  /** Accepted at startup, so that a refusal never reveals which of these sources the owner has. */
  sources?: readonly Declaration[]
  report: (error: unknown, request_id: string) => void
  /** Called after every response. */
  answered?: (answer: Answered) => void
  /** Imports files that the owner uploads in the browser, while the server runs. */
  imports?: (door: InsideDoor) => FileImports
  /** The settings that the owner can change in the browser. */
  settings?: (live: LiveSettings) => KeptSettings
  /**
   * A text with its `footnote` commands as the owner has to type them, for pages. A page that anyone can open must not
   * say where the data is.
   */
  spelled?: (text: string, reader?: 'anyone') => string
  /** The last copy of the data that `footnote backup` made; absent if another program makes backups. */
  lastBackup?: () => { at: string; directory: string } | null
  clock?: () => Date
  /** Options of meaning for tests. */
  meaning?: Pick<MeaningOptions, 'script' | 'patienceMs' | 'lookMs'>
  /** Fetches the documents of clients. */
  fetch?: typeof globalThis.fetch
  /** The cost of a passphrase attempt, for tests. */
  passphraseCost?: number
}

/** Settings of the running server; changes apply immediately. */
export interface LiveSettings {
  readonly publicUrl: string
  readonly timeZone: TimeZone
  readonly settings: ResourceSettings
}

/** Opens the store and serves it; both are closed when this is disposed of. */
export async function startServer(options: ServerOptions, around: Surroundings): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack()
  opened.use(keepHeapSmall())
  const store = opened.use(await Store.open(options.location))
  await tidy(store, options.cursorTtlSeconds)
  const { sources = [] } = around
  await acceptSources(store, sources)
  // Loaded here because it takes a while, and commands need not wait for it.
  const { createAuthorizationServer } = await import('../authorization-server/server.ts')
  const server = httpServer()
  const address = await listen(server, options)
  opened.defer(() => close(server))
  const port = Number(address.split(':').at(-1))
  const publicUrl = originFor({ ...options, port })
  const { clock = systemClock, spelled = text => text, report, fetch, passphraseCost } = around
  const { addressLimit } = options
  const share = options.location.engine === 'postgres' ? shareIn(store) : null
  const rateLimit = options.rateLimit && new RateLimit('client', options.rateLimit, share)
  const ownerKey = newOwnerKey()
  const meter = new Meter()
  const { directory } = options.location
  const meaning = opened.use(
    new Meaning({ store, directory, ...around.meaning, report: error => report(error, 'meaning') }),
  )
  const rest = { publicUrl, rateLimit, clock, report, ownerKey, meaning, sources, searched: meter.searched }
  const env = resourceEnvironment(store, options, rest)
  const { timeZone } = env
  const kept = around.settings?.(env)
  const settings = kept && notedSettings(kept, store, clock)
  const about = {
    version: packageVersion(),
    data: dataPlace(options.location),
    ...(around.lastBackup && { lastBackup: around.lastBackup }),
  }
  const dispatch: Dispatch = (request, entrance) => origin.dispatch(request, entrance)
  const inside = { publicUrl, timeZone, ownerKey, dispatch }
  const imports = around.imports?.(inside)
  const shared = { publicUrl, clock, timeZone, spelled }
  const origin: Origin = createOrigin(
    env,
    (read, send) => {
      const authorization = createAuthorizationServer({
        ...shared,
        store,
        settings: options,
        report,
        requestIdOf,
        preview: read,
        about,
        passphraseCost,
        ...(fetch && { fetch }),
      })
      const asOwner = { kind: 'owner', owner_id: store.owner_id } as const
      const asPreview = { kind: 'client', owner_id: store.owner_id, client_id: 'preview' } as const
      return [
        ...authorization.parts,
        consolePart({
          ...authorization.owner,
          ...shared,
          ...(imports && { imports }),
          ...(settings && { settings }),
          send: (request, request_id, grants) =>
            send(grants ? { ...asPreview, grants: [...grants] } : asOwner, request, request_id),
        }),
        metricsPart({ store, publicUrl }, meter, options.metricsToken ?? null),
      ]
    },
    {
      door: addressLimit ? new Door(addressLimit, share, clock) : null,
      answered: [meter.answered, ...(around.answered ? [around.answered] : [])],
    },
  )
  opened.defer(origin.close)
  store.reportTo(report)
  store.refreshIndexes().catch(error => report(error, 'index'))
  store.ledger.addBlocks(store.owner_id, clock()).catch(error => report(error, 'ledger'))
  const tidying = setInterval(
    () =>
      forgetExpired(store, options.cursorTtlSeconds)
        .then(() => verifyDaily(store, clock()))
        .then(() => store.ledger.addBlocks(store.owner_id, clock()))
        .catch(error => report(error, 'tidy')),
    HOUR_MS,
  )
  opened.defer(() => clearInterval(tidying))
  const proxies = new TrustedProxies(options.trustedProxies ?? [])
  answerRequests(server, { publicUrl, address, proxies, dispatch: origin.dispatch })
  // Again, because the last requests are answered before the parts that answer them are closed.
  opened.defer(() => close(server))
  opened.use(
    noteServer(directory, {
      address: `http://${hostAndPort(reachable(options.host), port)}`,
      public_url: publicUrl,
    }),
  )
  const running = opened.move()
  return {
    ...inside,
    address: `http://${address}`,
    store,
    routes: origin.routes,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Where the data is stored, without secrets. */
function dataPlace(location: Location): string {
  if (location.engine === 'sqlite') return `${location.directory} (SQLite)`
  const { host, pathname } = new URL(location.url)
  return `PostgreSQL at ${host}${pathname}; the key of the ledger is in ${location.directory}`
}

/** Several servers may serve one database. */
function shareIn({ writer, owner_id }: Store): Share {
  return (spent, now, most) => writer.call('spendLimits', { owner_id, spent, now, most })
}

async function acceptSources(store: Store, sources: readonly Declaration[]): Promise<void> {
  const { writer, owner_id, database } = store
  const now = new Date().toISOString()
  const known = await listDeclarations(database, owner_id)
  const isKnown = (source: Declaration) =>
    known.some(each => sameJson(each as unknown as Json, source as unknown as Json))
  for (const source of sources.filter(each => !isKnown(each)))
    await writer.call('registerDeclaration', { owner_id, content: JSON.stringify(source), now })
}
