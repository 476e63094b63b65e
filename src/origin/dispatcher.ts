import { randomFillSync } from 'node:crypto'
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import { METHOD_NAME_ALL, type Params } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath, tryDecodeURIComponent } from 'hono/utils/url'
import type { Handle, NodeExchange, OriginContext, OriginPart, OriginRoute } from '../api/route.ts'
import { CodedError, type ErrorCode } from '../model/errors.ts'
import type { Door } from './rate-limit.ts'

// What every exchange over HTTP names: the id of its request, and the version of the protocol.

/** Twelve random bytes in base64url. */
const ID_CHARS = 16
const drawn = Buffer.alloc(12 * 256)
let ids = ''
let used = 0

/** Random bytes are drawn and written as text for many ids at once. */
export function requestId(): string {
  if (used === ids.length) {
    ids = randomFillSync(drawn).toString('base64url')
    used = 0
  }
  used += ID_CHARS
  return `req_${ids.slice(used - ID_CHARS, used)}`
}

const REQUEST_ID = 'Request-Id'

const VERSION_HEADER = 'PDPP-Version'
/** The only version of the protocol's HTTP interface. */
const PROTOCOL_VERSION = '2026-04-06'

/** Refuses a request for another version, for any part of the server. */
function assertVersion({ headers }: Request): void {
  const version = headers.get(VERSION_HEADER)
  if (version === null || version === PROTOCOL_VERSION) return
  const message = `This server speaks ${VERSION_HEADER} ${PROTOCOL_VERSION}. Send that version, or leave the header out.`
  throw new CodedError('unsupported_version', message, { param: VERSION_HEADER })
}

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * A response over HTTP. Its head always has the id of its request and the protocol version, whichever part responds,
 * and whichever headers that part has set or removed.
 */
export class IdentifiedResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  readonly request_id = requestId()

  override writeHead(status: number, reason?: string | Head, more?: Head): this {
    const [message, given = {}] = typeof reason === 'string' ? [reason, more] : [undefined, reason ?? more]
    if (message !== undefined) this.statusMessage = message
    const own = { [REQUEST_ID]: this.request_id, [VERSION_HEADER]: PROTOCOL_VERSION }
    if (Array.isArray(given)) return super.writeHead(status, [...given, ...Object.entries(own).flat()])
    const headers: OutgoingHttpHeaders = { ...given, ...own }
    // A part may pass on what another request of this process was answered with.
    if ('request-id' in headers) delete headers['request-id']
    if ('pdpp-version' in headers) delete headers['pdpp-version']
    return super.writeHead(status, headers)
  }
}

/** The request id of a response over HTTP. */
export function requestIdOf(response: ServerResponse): string {
  return response instanceof IdentifiedResponse ? response.request_id : ''
}

/** Where a request comes from: the network, or another part of this process that passes on its request id. */
export interface Entrance {
  request_id?: string
  signal?: AbortSignal
  node?: NodeExchange
}

/** The outcome of a request, described only by its route. */
export interface Answered {
  request_id: string
  method: string
  /** As in the route table; `none` if no route matches. */
  path: string
  status: number
  code?: ErrorCode
  /** Until the response begins. */
  seconds: number
  isFromNetwork: boolean
}

/** What surrounds the routes of a server. */
export interface Network {
  /** Refuses requests from the network before their routes see them; null admits all. */
  door: Door | null
  /** Called after every response. */
  answered: readonly ((answer: Answered) => void)[]
}

export type Dispatch = (request: Request, entrance?: Entrance) => Promise<Response>

/** Anyone may send requests that no route matches. */
const UNROUTED = { access: 'public', method: 'other', path: 'none' } as const

/** What serves a request, and the part that refuses it if that fails. */
interface Target extends Pick<OriginRoute, 'access' | 'keeps' | 'path' | 'handle'> {
  method: string
  part: OriginPart
}

type Match = [Target, Params]

/** The only router. What no route matches is refused by the first part, or with a page if a browser asked. */
export function createDispatcher(
  parts: readonly [OriginPart, ...OriginPart[]],
  report: (error: unknown, request_id: string) => void,
  { door, answered }: Network,
): Dispatch {
  const router = routerOf(parts)
  const missing = { ...UNROUTED, handle: refuseUnknown }
  const toPrograms: Target = { ...missing, part: parts[0] }
  const toBrowsers: Target = { ...missing, part: parts.find(part => part.refusesBrowsers) ?? parts[0] }

  const served = async (target: Target, request: Request, context: OriginContext): Promise<Response> => {
    const began = performance.now()
    const { request_id, node } = context
    let response: Response
    let code: ErrorCode | undefined
    try {
      assertVersion(request)
      if (node) door?.admit(target, node)
      response = await target.handle(request, context)
    } catch (error) {
      if (!(error instanceof CodedError)) report(error, request_id)
      else if (error.cause !== undefined) report(error.cause, request_id)
      code = error instanceof CodedError ? error.code : 'api_error'
      response = await target.part.refuse(error, request, context)
    }
    const { method, path } = target
    const status = node?.outgoing.headersSent ? node.outgoing.statusCode : response.status
    const seconds = (performance.now() - began) / 1_000
    const isFromNetwork = node !== undefined
    const answer = { request_id, method, path, status, ...(code && { code }), seconds, isFromNetwork }
    for (const tell of answered) tell(answer)
    return response
  }

  return async (request, { request_id = requestId(), ...from } = {}) => {
    const isHead = request.method === 'HEAD'
    const [[found]] = router.match(isHead ? 'GET' : request.method, getPath(request)) as [Match[]]
    const [target, params] = found ?? [wantsPage(request) ? toBrowsers : toPrograms, {}]
    const path = decoded(params)
    const answer = await served(target, request, { request_id, path, ...from })
    const response = isHead ? new Response(null, answer) : answer
    if (from.node) return response
    response.headers.set(REQUEST_ID, request_id)
    response.headers.set(VERSION_HEADER, PROTOCOL_VERSION)
    return response
  }
}

/** Hono's router without its app, which would make a context and a chain of handlers for each request. */
function routerOf(parts: readonly OriginPart[]): TrieRouter<Target> {
  const router = new TrieRouter<Target>()
  for (const part of parts)
    for (const route of part.routes) router.add(route.method, route.path, { ...route, part })
  const methods = methodsByPath(parts)
  for (const part of parts) {
    for (const path of new Set(part.routes.map(route => route.path))) {
      const allowed = methods.get(path)?.join(', ') ?? ''
      const handle: Handle = part.otherMethods ?? (({ method }) => refuseMethod(method, allowed))
      router.add(METHOD_NAME_ALL, path, { ...UNROUTED, path, handle, part })
    }
  }
  return router
}

/** What each path allows, whichever parts serve it. */
function methodsByPath(parts: readonly OriginPart[]): ReadonlyMap<string, string[]> {
  const routes = Map.groupBy(
    parts.flatMap(part => part.routes),
    route => route.path,
  )
  const allowed = (method: string) => (method === 'GET' ? [method, 'HEAD'] : [method])
  return new Map([...routes].map(([path, all]) => [path, all.flatMap(({ method }) => allowed(method))]))
}

function decoded(params: Params): Params {
  for (const [name, value] of Object.entries(params))
    if (value.includes('%')) params[name] = tryDecodeURIComponent(value)
  return params
}

/** Whether a browser asks for a page. */
export function wantsPage({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('Accept')?.includes('text/html') === true
}

function refuseUnknown(): never {
  throw new CodedError('not_found', 'There is nothing at this address.')
}

function refuseMethod(method: string, allow: string): never {
  throw new CodedError('method_not_allowed', `${method} is not allowed here. Allowed: ${allow}.`, { allow })
}
