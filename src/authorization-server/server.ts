import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { NodeExchange, OriginContext, OriginPart, OriginRoute } from '../api/route.ts'
import { CodedError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { OpenedOnce } from '../model/opened-once.ts'
import { inDemo, obscured, obscuredAnswer } from '../pages/demo.ts'
import { errorHeaders, errorPage } from '../pages/error-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { readPassphrase } from '../store/sign-in/sign-in.ts'
import type { AuthorizationEnvironment, PageRequest } from './environment.ts'
import { PATHS } from './oauth/paths.ts'
import { type OwnerForm, readOwnerForm } from './owner/owner-form.ts'
import { assertCsrf, type OwnerSession, ownerSession, requireOwner } from './owner/owner-session.ts'
import { OAUTH_ROUTES, OPEN_TO_ORIGINS, PAGES } from './routes.ts'

interface AuthorizationServer {
  parts: readonly OriginPart[]
  /** What pages of other parts need to know about the owner. */
  owner: {
    /** The signed-in owner, or a redirect to sign-in and back. */
    requireOwner(request: Request): Promise<OwnerSession | Response>
    /** The checked form of that owner, or the same redirect. */
    readOwnerForm(request: Request): Promise<OwnerForm | Response>
    assertOwnForm(request: Request, session: { csrf: string }, csrf: string): void
    hasPassphrase(): Promise<boolean>
  }
}

export function createAuthorizationServer(
  given: Omit<AuthorizationEnvironment, 'shown'>,
): AuthorizationServer {
  const env: AuthorizationEnvironment = { ...given, shown: text => text }
  const oauth = new OpenedOnce(async () => (await import('./oauth/provider.ts')).createProvider(env))
  const provider = () => oauth.get()
  return {
    parts: [pagesPart(env, provider), oauthPart(env, provider)],
    owner: {
      requireOwner: request => requireOwner(env, request),
      readOwnerForm: request => readOwnerForm(env, request),
      assertOwnForm: (request, session, csrf) => assertCsrf(env, request, session, csrf),
      hasPassphrase: async () => (await readPassphrase(env.store.database, env.store.owner_id)) !== null,
    },
  }
}

function pagesPart(env: AuthorizationEnvironment, provider: PageRequest['provider']): OriginPart {
  return {
    routes: PAGES.map(({ serve, ...route }) => ({
      ...route,
      async handle(request, context) {
        const { path, request_id } = context
        const node = nodeOf(context)
        allowOrigins(node.outgoing, route.path)
        const preview: typeof env.preview = (access, asked) => env.preview(access, asked, request_id)
        const page = { env: { ...env, preview }, provider, request, node, path }
        const isDemo = route.access === 'session' && new URL(request.url).searchParams.has('demo')
        return isDemo ? inDemo(await serve(scrambled(page))) : serve(page)
      },
    })),
    refusesBrowsers: true,
    async refuse(error, request, { request_id }) {
      const isMissing = error instanceof CodedError && error.code === 'not_found'
      const signedIn = isMissing && (await ownerSession(env, request)) !== null
      return errorPage(error, { titles: { 404: 'Nothing is here' }, signedIn, request_id })
    },
  }
}

/** The same page request, but with the owner's data scrambled. */
function scrambled(page: PageRequest): PageRequest {
  const { preview } = page.env
  const env: AuthorizationEnvironment = {
    ...page.env,
    shown: obscured,
    preview: async (access, asked) => obscuredAnswer((await preview(access, asked)) as Json),
  }
  return { ...page, env }
}

/** The routes that oidc-provider serves, with Node's own request and response. */
function oauthPart(env: AuthorizationEnvironment, provider: PageRequest['provider']): OriginPart {
  let callback: ReturnType<Provider['callback']> | null = null
  const { host, protocol } = new URL(env.publicUrl)
  const handle: OriginRoute['handle'] = async (request, context) => {
    const { incoming, outgoing, caller } = nodeOf(context)
    const { pathname } = new URL(request.url)
    allowOrigins(outgoing, pathname)
    pinOrigin(incoming, { host, protocol, caller })
    setSecurityHeaders(outgoing, pathname)
    callback ??= (await provider()).callback()
    await callback(incoming, outgoing)
    return new Response(null)
  }
  return {
    routes: [
      ...OAUTH_ROUTES.map(route => ({ ...route, access: 'provider' as const, handle })),
      ...OPEN_TO_ORIGINS.map(path => ({
        method: 'OPTIONS' as const,
        path,
        access: 'public' as const,
        handle: preflight,
      })),
    ],
    refuse: oauthError,
  }
}

function nodeOf({ node }: OriginContext): NodeExchange {
  if (node) return node
  throw new Error('This is served over HTTP only.')
}

/** An error in OAuth's format, if oidc-provider did not respond. */
function oauthError(error: unknown): Response {
  const headers = { 'Cache-Control': 'no-store' }
  if (!(error instanceof CodedError))
    return Response.json({ error: 'server_error' }, { status: 500, headers })
  const isTemporary = error.details.retry_after !== undefined
  return Response.json(
    { error: isTemporary ? 'temporarily_unavailable' : error.code, error_description: error.message },
    { status: error.status, headers: { ...headers, ...errorHeaders(error) } },
  )
}

/** oidc-provider builds URLs from the request, so the request is changed to contain the configured origin. */
function pinOrigin(
  request: IncomingMessage,
  { host, protocol, caller }: { host: string; protocol: string; caller: string },
): void {
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith('x-forwarded-') || name === 'forwarded') delete request.headers[name]
  }
  request.headers.host = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-for'] = caller
}

/** For responses of oidc-provider without a page of ours. A form response is posted to the app, wherever that is. */
function setSecurityHeaders(response: ServerResponse, path: string): void {
  const {
    'Cache-Control': _,
    'Cross-Origin-Resource-Policy': __,
    ...headers
  } = pageHeaders(path.startsWith(PATHS.authorization) ? null : [])
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Lets pages of any origin read the responses of the paths that they may call. */
function allowOrigins(response: ServerResponse, path: string): void {
  if (!OPEN_TO_ORIGINS.includes(path)) return
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate')
}

/** The response to a browser's preflight request for a page of another origin. */
function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'WWW-Authenticate',
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version, PDPP-Version',
      'Access-Control-Max-Age': '3600',
    },
  })
}
