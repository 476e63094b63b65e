import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { CodedError } from '../model/errors.ts'
import { errorPage } from '../pages/error-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { countIdleClients } from '../store/access/oauth-artifacts.ts'
import type { AuthorizationEnvironment } from './environment.ts'
import { PATHS } from './oauth/paths.ts'
import { createProvider } from './oauth/provider.ts'
import { type OwnerSession, requireOwner } from './owner/owner-session.ts'
import { isProviderPath, isPublicToOrigins, PAGES } from './routes.ts'

export interface AuthorizationServer {
  /** Answers the request when it is for this server; false when it is for another part. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** The signed-in owner, or the response that leads to sign-in and back. For pages of other parts. */
  requireOwner(request: Request): Promise<OwnerSession | Response>
}

export function createAuthorizationServer(env: AuthorizationEnvironment): AuthorizationServer {
  const provider = createProvider(env)
  const oauth = provider.callback()
  const app = new Hono<{ Bindings: HttpBindings }>()
  for (const { method, path, handle } of PAGES) {
    app.on(method, path, context =>
      handle({ env, provider, request: context.req.raw, node: context.env, path: context.req.param() }),
    )
  }
  app.notFound(() => errorPage(new CodedError('method_not_allowed', 'This page does not take that method.')))
  app.onError((error, context) => {
    if (!(error instanceof CodedError)) env.report(error, env.requestIdOf(context.env.outgoing))
    return errorPage(error, { titles: { 500: 'Something went wrong' } })
  })
  const pages = getRequestListener(app.fetch, { hostname: new URL(env.publicUrl).host })
  return {
    handle(request, response) {
      const path = pathOf(request)
      if (isPublicToOrigins(path) && answerCors(request, response)) return true
      if (isProviderPath(path)) {
        pinOrigin(request, env.publicUrl)
        setSecurityHeaders(response, path)
        if (path === PATHS.registration) void register(env, oauth, request, response)
        else void oauth(request, response)
        return true
      }
      if (!PAGES.some(page => page.matches(path))) return false
      void pages(request, response)
      return true
    },
    requireOwner: request => requireOwner(env, request),
  }
}

const MOST_IDLE_CLIENTS = 1_000

/** Anyone may register; so many that nobody has let in are kept, and no more. */
async function register(
  env: AuthorizationEnvironment,
  oauth: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const idle = await countIdleClients(env.store.database, env.store.owner_id)
    if (idle < MOST_IDLE_CLIENTS) return await oauth(request, response)
    const error_description =
      'Too many apps have registered and were never let in. Try again later, or use a client document.'
    const headers = {
      'Content-Type': 'application/json',
      'Retry-After': '86400',
      'Cache-Control': 'no-store',
    }
    request.resume()
    response.writeHead(429, headers)
    response.end(JSON.stringify({ error: 'temporarily_unavailable', error_description }))
  } catch (error) {
    env.report(error, env.requestIdOf(response))
    response.destroy()
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/'
}

/** oidc-provider builds addresses from the request; the request is made to say what the configuration says. */
function pinOrigin(request: IncomingMessage, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl)
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith('x-forwarded-') || name === 'forwarded') delete request.headers[name]
  }
  request.headers.host = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-for'] = request.socket.remoteAddress ?? ''
}

/** For what oidc-provider answers without a page of ours. An answer by form goes to the app, wherever that is. */
function setSecurityHeaders(response: ServerResponse, path: string): void {
  const {
    'Cache-Control': _,
    'Cross-Origin-Resource-Policy': __,
    ...headers
  } = pageHeaders(path.startsWith(PATHS.authorization) ? null : [])
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Lets pages of any origin call; true when that was all they asked. */
function answerCors(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate')
  if (request.method !== 'OPTIONS') return false
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST')
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, MCP-Protocol-Version')
  response.setHeader('Access-Control-Max-Age', '3600')
  response.writeHead(204).end()
  return true
}
