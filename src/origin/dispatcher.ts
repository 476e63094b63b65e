import { type Context, Hono } from 'hono'
import type { Handle, NodeExchange, OriginContext, OriginPart, OriginRoute } from '../api/origin-route.ts'
import { CodedError, type ErrorCode } from '../model/errors.ts'
import { assertVersion, PROTOCOL_VERSION, VERSION_HEADER } from './protocol-version.ts'
import { REQUEST_ID, requestId } from './request-id.ts'

/** Where a request comes from: the network, or another part of this process that passes on its request id. */
export interface Entrance {
  request_id?: string
  node?: NodeExchange
}

/** Refuses a request from the network before its route sees it. */
export type Admit = (route: Pick<OriginRoute, 'access' | 'keeps'>, caller: string) => void

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

type Routed = Pick<OriginRoute, 'access' | 'keeps' | 'path'> & { method: string }

/** The only router. What no route matches is refused by the first part, or with a page if a browser asked. */
export function createDispatcher(
  parts: readonly [OriginPart, ...OriginPart[]],
  report: (error: unknown, request_id: string) => void,
  admit: Admit,
  answered: (answer: Answered) => void,
): Dispatch {
  const app = new Hono<{ Bindings: Omit<OriginContext, 'path'> }>()
  const served =
    (part: OriginPart, handle: Handle, route: Routed) =>
    async ({ req, env }: Context): Promise<Response> => {
      const context: OriginContext = { ...env, path: req.param() }
      const { method, path } = route
      const { request_id, node } = context
      const began = performance.now()
      const answer = (response: Response, code?: ErrorCode): Response => {
        const status = node?.outgoing.headersSent ? node.outgoing.statusCode : response.status
        const seconds = (performance.now() - began) / 1_000
        const isFromNetwork = node !== undefined
        answered({ request_id, method, path, status, ...(code && { code }), seconds, isFromNetwork })
        return response
      }
      try {
        assertVersion(req.raw)
        if (node) admit(route, node.caller)
        return answer(await handle(req.raw, context))
      } catch (error) {
        if (!(error instanceof CodedError)) report(error, request_id)
        else if (error.cause !== undefined) report(error.cause, request_id)
        const code = error instanceof CodedError ? error.code : 'api_error'
        return answer(await part.refuse(error, req.raw, context), code)
      }
    }
  for (const part of parts) {
    for (const route of part.routes) app.on(route.method, route.path, served(part, route.handle, route))
  }
  for (const part of parts) {
    for (const [path, routes] of Map.groupBy(part.routes, route => route.path)) {
      const allowed = routes.map(route => route.method).join(', ')
      const refuse: Handle = ({ method }) => refuseMethod(method, allowed)
      app.all(path, served(part, part.otherMethods ?? refuse, { ...UNROUTED, path }))
    }
  }
  const missing: Handle = () => {
    throw new CodedError('not_found', 'There is nothing at this address.')
  }
  const toPrograms = served(parts[0], missing, UNROUTED)
  const toBrowsers = served(parts.find(part => part.refusesBrowsers) ?? parts[0], missing, UNROUTED)
  app.notFound(context => (wantsPage(context.req.raw) ? toBrowsers : toPrograms)(context))
  return async (request, { request_id = requestId(), node } = {}) => {
    const response = await app.fetch(request, { request_id, ...(node && { node }) })
    if (node) return response
    response.headers.set(REQUEST_ID, request_id)
    response.headers.set(VERSION_HEADER, PROTOCOL_VERSION)
    return response
  }
}

/** Whether a browser asks for a page. */
export function wantsPage({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('Accept')?.includes('text/html') === true
}

function refuseMethod(method: string, allow: string): never {
  throw new CodedError('method_not_allowed', `${method} is not allowed here. Allowed: ${allow}.`, { allow })
}
