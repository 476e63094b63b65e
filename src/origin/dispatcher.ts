import { METHOD_NAME_ALL, type Params } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath, tryDecodeURIComponent } from 'hono/utils/url'
import type { Handle, NodeExchange, OriginContext, OriginPart, OriginRoute } from '../api/origin-route.ts'
import { CodedError, type ErrorCode } from '../model/errors.ts'
import { assertVersion, PROTOCOL_VERSION, REQUEST_ID, requestId, VERSION_HEADER } from './exchange.ts'

/** Where a request comes from: the network, or another part of this process that passes on its request id. */
export interface Entrance {
  request_id?: string
  node?: NodeExchange
}

/** Refuses a request from the network before its route sees it. */
export type Admit = (route: Pick<OriginRoute, 'access' | 'keeps'>, from: Pick<NodeExchange, 'caller'>) => void

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
  admit: Admit,
  answered: (answer: Answered) => void,
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
      if (node) admit(target, node)
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
    answered({ request_id, method, path, status, ...(code && { code }), seconds, isFromNetwork })
    return response
  }

  return async (request, { request_id = requestId(), node } = {}) => {
    const isHead = request.method === 'HEAD'
    const [[found]] = router.match(isHead ? 'GET' : request.method, getPath(request)) as [Match[]]
    const [target, params] = found ?? [wantsPage(request) ? toBrowsers : toPrograms, {}]
    const path = decoded(params)
    const answer = await served(target, request, { request_id, path, ...(node && { node }) })
    const response = isHead ? new Response(null, answer) : answer
    if (node) return response
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
  for (const part of parts) {
    for (const [path, routes] of Map.groupBy(part.routes, route => route.path)) {
      const allowed = routes.map(route => route.method).join(', ')
      const handle: Handle = part.otherMethods ?? (({ method }) => refuseMethod(method, allowed))
      router.add(METHOD_NAME_ALL, path, { ...UNROUTED, path, handle, part })
    }
  }
  return router
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
