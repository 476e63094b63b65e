import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OriginPart, type OriginRoute, refusalIn } from '../api/route.ts'
import type { Access } from '../model/access/enforce.ts'
import { Cursors } from '../model/reading/cursor.ts'
import { TimeZone } from '../model/time.ts'
import { Authorizer } from '../resource-server/request/authorizer.ts'
import { type Environment, type ResourceSettings, systemClock } from '../resource-server/request/context.ts'
import { resourcePart } from '../resource-server/resource-part.ts'
import type { Location } from '../store/engine/database.ts'
import { Store } from '../store/store.ts'
import { createDispatcher, type Dispatch, type Network } from './dispatcher.ts'
import { type McpSettings, mcpPart } from './mcp.ts'

/** What the resource server and the MCP adapter are built from. */
export interface OriginEnvironment extends Environment {
  settings: ResourceSettings & McpSettings
}

/** Reads with this access, to show the owner what a client would see. */
type Reader = (access: Access, path: string, request_id?: string) => Promise<unknown>

/** Sends a request inside this process with this access in place of a token. */
type Sender = (access: Access, request: Request, request_id?: string) => Promise<Response>

export interface Origin {
  /** Every route, with who may call it. */
  routes: readonly OriginRoute[]
  dispatch: Dispatch
  close(): Promise<void>
}

/** Combines the routes of all parts. A command leaves out the pages. */
export function createOrigin(
  env: OriginEnvironment,
  pages: (read: Reader, send: Sender) => readonly OriginPart[] = () => [],
  network: Network = { door: null, answered: [] },
): Origin {
  const authorizer = new Authorizer(env)
  const dispatch: Dispatch = (request, entrance) => dispatcher(request, entrance)
  const send: Sender = (access, request, request_id) => {
    authorizer.vouch(request, access)
    return dispatch(request, request_id === undefined ? {} : { request_id })
  }
  const read: Reader = async (access, path, request_id) => {
    const response = await send(access, new Request(env.publicUrl + path), request_id)
    const body = await response.json()
    if (!response.ok) throw refusalIn(body)
    return body
  }
  const mcp = mcpPart(env, authorizer, dispatch)
  const parts = [resourcePart(env, authorizer), mcp, ...pages(read, send)] as const
  const dispatcher = createDispatcher(parts, env.report, network)
  return { routes: parts.flatMap(part => part.routes), dispatch: dispatcher, close: mcp.close }
}

/** How long a feed of changes can be resumed; tombstones are kept for the same time. */
export const CHANGES_TTL_DAYS = 90

/** The options of an origin, whether it listens or only serves the command that opened it. */
export interface OriginOptions extends ResourceSettings, McpSettings {
  location: Location
  cursorTtlSeconds: number
  /** The owner's time zone, if set. */
  timeZone?: string | undefined
}

/** Builds what the resource server needs from the options; the settings can change while it runs. */
export function resourceEnvironment(
  store: Store,
  options: OriginOptions,
  rest: Omit<OriginEnvironment, 'settings' | 'store' | 'cursors' | 'changesTtlSeconds' | 'timeZone'>,
): OriginEnvironment & { timeZone: TimeZone } {
  return {
    settings: { ...options },
    store,
    cursors: new Cursors(store.sealingKey, options.cursorTtlSeconds),
    changesTtlSeconds: CHANGES_TTL_DAYS * 86_400,
    timeZone: ownerTimeZone(options.location.directory, options.timeZone, store.isNew),
    ...rest,
  }
}

export { isStarted } from '../store/engine/open-database.ts'

/** Access to an origin of this process as the owner, without a socket. */
export interface InsideDoor {
  publicUrl: string
  /** The owner's time zone. */
  timeZone: TimeZone
  /** Used in place of the owner's token. It is generated for this process only and never stored. */
  ownerKey: string
  dispatch: Dispatch
}

export function newOwnerKey(): string {
  return `inside_${randomBytes(32).toString('base64url')}`
}

export interface OwnOriginOptions extends OriginOptions {
  publicUrl: string
  report: (error: unknown, request_id: string) => void
}

/** The routes and checks of a server inside a command. It can run beside a server on the same data. */
export async function openOwnOrigin(options: OwnOriginOptions): Promise<InsideDoor & AsyncDisposable> {
  const store = await Store.open(options.location, 'command')
  const { publicUrl, report } = options
  const ownerKey = newOwnerKey()
  const rest = { publicUrl, rateLimit: null, clock: systemClock, ownerKey, report }
  const env = resourceEnvironment(store, options, rest)
  const { dispatch, close } = createOrigin(env)
  return {
    publicUrl,
    timeZone: env.timeZone,
    ownerKey,
    dispatch,
    async [Symbol.asyncDispose]() {
      await close()
      await store[Symbol.asyncDispose]()
    },
  }
}

const FILE = 'time-zone'

/**
 * The owner's time zone: as set, or else the one of the first start, which is kept in the data folder. Once there is
 * data, one that is set is only for this start.
 */
export function ownerTimeZone(directory: string, set: string | undefined, isNew: boolean): TimeZone {
  const zone = knownTimeZone(directory, set)
  if (zoneIn(directory) !== null || (set !== undefined && !isNew)) return zone
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, FILE), `${zone.name}\n`)
  return zone
}

/** The owner's time zone for a command that writes nothing: before the first start it is the system's. */
export function knownTimeZone(directory: string, set: string | undefined): TimeZone {
  if (set !== undefined) return new TimeZone(set)
  const system = new Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''
  return zoneIn(directory) ?? zoneNamed(system) ?? new TimeZone('UTC')
}

function zoneIn(directory: string): TimeZone | null {
  return zoneNamed(textOf(join(directory, FILE)))
}

function zoneNamed(name: string): TimeZone | null {
  try {
    return name === '' ? null : new TimeZone(name)
  } catch {
    return null
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
