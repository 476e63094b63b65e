import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { protectedMcp, protectedResearch, READ_SCOPE } from '../../api/discovery.ts'
import { CodedError, internalError } from '../../model/errors.ts'
import { isObject, parseJson } from '../../model/json.ts'
import { originAsked } from '../../model/loopback.ts'
import type { CallerMemory, Provider } from '../reading/resource-server-client.ts'
import { preflight, readableBy } from './browser-clients.ts'
import { inAppsSession, isAppsSession, opensWithApps } from './listed-tools.ts'
import { AcceptedEnvelopes, type PlainCall, plainAnswer, plainCallOf } from './plain-call.ts'
import { type Adapter, callPlainly, createMcpServer, type Offer, RESEARCH, serverInfo } from './server.ts'

/** The caller, identified by its token; what the token allows is looked up in parallel. */
export interface Caller {
  token: string
  /** Whether the token was valid when it was last seen. If so, work starts before `kind` is known. */
  known: boolean
  /** Null for a token that is unknown, expired or revoked. Rejects if that cannot be determined. */
  kind: Promise<'client' | 'owner' | null>
  /** Reads on this caller's behalf; by default the provider's own `send`. */
  send?: Provider['send']
  memory?: CallerMemory
}

export interface HttpOptions {
  /** The origin that clients use; the metadata URL is built from it, never from the Host header. */
  publicUrl: string
  /** Origins whose pages may call, in addition to this computer and the server itself. */
  allowedOrigins?: readonly string[]
  /** Null if the request has no token. */
  identify(request: Request, request_id: string): Caller | null
}

const MOST_REQUEST_BYTES = 256 * 1024

export interface McpEndpoint {
  fetch(request: Request, request_id: string): Promise<Response>
  /** Turns an error into a response if the protocol itself has no way to report it. */
  refuse(error: unknown, request_id: string): Response
  close(): Promise<void>
}

/** The path of an endpoint's metadata, and whether it has tools with pages. */
const MCP_ADDRESS = { metadataPath: protectedMcp.path as string, hasApps: true }
const RESEARCH_ADDRESS = { metadataPath: protectedResearch.path as string, hasApps: false }

/** `/mcp`. */
export function createMcpEndpoint(adapter: Adapter, options: HttpOptions): McpEndpoint {
  return serveOverHttp(servingOf(adapter), options)
}

/** `/mcp/research`: the same records under the same grants, through two tools. */
export function createResearchEndpoint(adapter: Adapter, options: HttpOptions): McpEndpoint {
  return serveOverHttp(servingOf(adapter, RESEARCH), options, RESEARCH_ADDRESS)
}

function servingOf(adapter: Adapter, offer?: Offer): Serving {
  return {
    createServer: (caller, request_id) =>
      createMcpServer(adapter, { ...caller, requestId: () => request_id }, offer),
    call(call, caller, request_id, signal) {
      const served = { ...caller, requestId: () => request_id }
      const result = callPlainly(adapter, served, call, signal, offer)
      return result?.then(made => plainAnswer(call, made, serverInfo(adapter)))
    },
  }
}

type Served = Pick<Caller, 'token' | 'send' | 'memory'>

/** How requests are served: by a server of the library or, for a plain tool call, without one. */
interface Serving {
  createServer(caller: Served & { showsApps: boolean; tool?: string }, request_id: string): McpServer
  /** Undefined if there is no such tool. Without this, every request gets a server. */
  call?(
    call: PlainCall,
    caller: Served,
    request_id: string,
    signal: AbortSignal,
  ): Promise<Response> | undefined
}

/**
 * Streamable HTTP without sessions, in both protocol versions. Each request gets its own server, except for plain calls
 * from clients that the library has accepted before.
 */
export function serveOverHttp(
  { createServer, call: callTool }: Serving,
  { publicUrl, identify, allowedOrigins = [] }: HttpOptions,
  { metadataPath, hasApps } = MCP_ADDRESS,
): McpEndpoint {
  const metadataOf = (request: Request) => originAsked(publicUrl, request) + metadataPath
  const hostname = new URL(publicUrl).hostname
  const hosts = [...localhostAllowedHostnames(), hostname]
  const origins = [...localhostAllowedOrigins(), hostname]
  const mayCall = (page: string) => allowedOrigins.includes(page) || validateOriginHeader(page, origins).ok
  const handler = createMcpHandler(
    ({ era, authInfo, requestInfo }) => {
      const { caller, request_id } = (authInfo?.extra ?? {}) as { caller: Caller; request_id: string }
      const showsApps = requestInfo !== undefined && isAppsSession(requestInfo)
      const tool = era === 'modern' && requestInfo ? calledTool(requestInfo) : null
      return createServer({ ...caller, showsApps, ...(tool !== null && { tool }) }, request_id)
    },
    { maxRequestBodySize: MOST_REQUEST_BYTES, onerror: () => {} },
  )
  const accepted = new AcceptedEnvelopes()
  const answer = async (request: Request, request_id: string, isAllowedPage: boolean) => {
    const rejected =
      hostHeaderValidationResponse(request, hosts) ??
      (isAllowedPage ? undefined : originValidationResponse(request, origins))
    if (rejected) return identified(rejected, request_id)
    const caller = identify(request, request_id)
    if (caller === null) return challenge(metadataOf(request), true, request_id)
    const { token } = caller
    let opening: Promise<boolean> | false = false
    const serve = async () => {
      const { whole, parsedBody, plain = null } = await readOnce(request)
      const direct = plain && accepted.has(plain) && callTool?.(plain, caller, request_id, request.signal)
      if (direct) return direct
      opening = hasApps && opensWithApps(whole, parsedBody)
      const response = await handler.fetch(whole, {
        authInfo: { token, clientId: '', scopes: [], extra: { caller, request_id } },
        ...(parsedBody !== undefined && { parsedBody }),
      })
      if (plain) await accepted.learn(plain, response)
      return response
    }
    const begun = caller.known ? serve() : null
    let kind: Awaited<Caller['kind']> = null
    try {
      kind = await caller.kind
    } finally {
      if (kind !== 'client') abandon(begun)
    }
    if (kind === 'client') {
      const response = await identified(await (begun ?? serve()), request_id)
      return response.ok && (await opening) ? inAppsSession(response) : response
    }
    return kind === 'owner' ? ownerRefused(request_id) : challenge(metadataOf(request), false, request_id)
  }
  return {
    async fetch(request, request_id) {
      const page = request.headers.get('Origin')
      if (page === null || !mayCall(page)) return answer(request, request_id, false)
      if (request.method === 'OPTIONS') return preflight(page)
      return readableBy(page, await answer(request, request_id, true))
    },
    refuse: (error, request_id) => refuse(error instanceof CodedError ? error : internalError(), request_id),
    close: () => handler.close(),
  }
}

/**
 * A request and its body, which is read once if its length is known; the library would read it from a copy. If it is
 * not JSON, the library refuses it.
 */
async function readOnce(
  request: Request,
): Promise<{ whole: Request; parsedBody?: unknown; plain?: PlainCall | null }> {
  const length = Number(request.headers.get('Content-Length') ?? Number.NaN)
  if (request.method !== 'POST' || !(length <= MOST_REQUEST_BYTES)) return { whole: request }
  const text = await request.text().catch(() => null)
  if (text === null) return { whole: request }
  try {
    const parsedBody: unknown = JSON.parse(text)
    return { whole: request, parsedBody, plain: plainCallOf(request, text, parsedBody) }
  } catch {
    const { url, method, headers } = request
    return { whole: new Request(url, { method, headers, body: text }) }
  }
}

/** The tool that a request calls, from its headers, which the library has compared with the body. */
function calledTool({ headers }: Request): string | null {
  return headers.get('Mcp-Method') === 'tools/call' ? headers.get('Mcp-Name') : null
}

/** Cancels a response that is not sent. */
function abandon(begun: Promise<Response> | null): void {
  begun?.then(response => response.body?.cancel()).catch(() => {})
}

/** Tells a client without a valid token where to get one (HO-2). */
function challenge(address: string, missing: boolean, request_id: string): Response {
  const message = missing
    ? 'This needs a token: Authorization: Bearer ….'
    : 'The token is unknown, expired or revoked. Sign in again in the app, or give it a new token.'
  const metadata = `resource_metadata="${address}", scope="${READ_SCOPE}"`
  return refuse(new CodedError('authentication_error', message), request_id, {
    'WWW-Authenticate': `Bearer ${missing ? '' : 'error="invalid_token", '}${metadata}`,
  })
}

function ownerRefused(request_id: string): Response {
  const message =
    'This is an owner token; assistants need a scoped one. Create it with: footnote grant create --client NAME.'
  return refuse(new CodedError('client_token_required', message), request_id)
}

/** The only place where an error before the protocol becomes a response. */
function refuse(error: CodedError, request_id: string, headers: Record<string, string> = {}): Response {
  const { code, message, type, status, details } = error
  const wait: Record<string, string> =
    typeof details.retry_after === 'number' ? { 'Retry-After': String(details.retry_after) } : {}
  const body = { error: { type, code, message, request_id } }
  return Response.json(body, { status, headers: { ...wait, ...headers } })
}

/** A protocol error, with the request id in its data. */
async function identified(response: Response, request_id: string): Promise<Response> {
  if (response.ok || !response.headers.get('Content-Type')?.startsWith('application/json')) return response
  const body = parseJson(await response.clone().text())
  if (!isObject(body) || !isObject(body.error)) return response
  const { data = {} } = body.error
  if (!isObject(data)) return response
  const headers = new Headers(response.headers)
  headers.delete('Content-Length')
  const error = { ...body.error, data: { ...data, request_id } }
  return Response.json({ ...body, error }, { status: response.status, headers })
}
