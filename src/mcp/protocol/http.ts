import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { READ_SCOPE } from '../../model/access/oauth-scope.ts'
import { CodedError, internalError } from '../../model/errors.ts'
import { isObject, parseJson } from '../../model/json.ts'
import { type Adapter, createMcpServer } from './server.ts'

/** What a token is worth, or null for one that is unknown, expired or revoked. Throws when that cannot be found out. */
export type Identify = (token: string) => Promise<'client' | 'owner' | null>

export interface HttpOptions {
  /** The origin that clients use; the metadata's address is made of it, never of the Host header. */
  publicUrl: string
  identify: Identify
}

const MOST_REQUEST_BYTES = 256 * 1024
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i

export interface McpEndpoint {
  fetch(request: Request, request_id: string): Promise<Response>
  close(): Promise<void>
}

/** `/mcp`. */
export function createMcpEndpoint(adapter: Adapter, options: HttpOptions): McpEndpoint {
  const endpoint = serveOverHttp(
    (token, request_id) => createMcpServer(adapter, token, () => request_id),
    options,
  )
  const failed = (error: unknown, request_id: string) => {
    adapter.report(error, request_id)
    return refuse(internalError(), request_id)
  }
  return {
    ...endpoint,
    fetch: (request, request_id) =>
      endpoint.fetch(request, request_id).catch(error => failed(error, request_id)),
  }
}

/** Streamable HTTP without sessions, in both eras; each request is served by a server of its own. */
export function serveOverHttp(
  createServer: (token: string, request_id: string) => McpServer,
  { publicUrl, identify }: HttpOptions,
): McpEndpoint {
  const hostname = new URL(publicUrl).hostname
  const hosts = [...localhostAllowedHostnames(), hostname]
  const origins = [...localhostAllowedOrigins(), hostname]
  const handler = createMcpHandler(
    ({ authInfo }) => createServer(authInfo?.token ?? '', String(authInfo?.extra?.request_id)),
    { maxRequestBodySize: MOST_REQUEST_BYTES, onerror: () => {} },
  )
  const known = new KnownTokens()
  return {
    async fetch(request, request_id) {
      const rejected =
        hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins)
      if (rejected) return identified(rejected, request_id)
      const token = BEARER.exec(request.headers.get('Authorization') ?? '')?.[1]
      if (token === undefined) return challenge(publicUrl, true, request_id)
      const serve = () =>
        handler.fetch(request, { authInfo: { token, clientId: '', scopes: [], extra: { request_id } } })
      const identifying = identify(token)
      // What a token asks for that was good before begins meanwhile; the answer leaves only when it still is.
      const begun = known.has(token) ? serve() : null
      let kind: Awaited<ReturnType<Identify>> = null
      try {
        kind = await identifying
      } finally {
        known.note(token, kind === 'client')
        if (kind !== 'client') abandon(begun)
      }
      if (kind === 'client') return identified(await (begun ?? serve()), request_id)
      return kind === 'owner' ? ownerRefused(request_id) : challenge(publicUrl, false, request_id)
    },
    close: () => handler.close(),
  }
}

const MOST_KNOWN = 1_000

/** Tokens of clients that were good when they were last seen. */
class KnownTokens {
  readonly #tokens = new Set<string>()

  has(token: string): boolean {
    return this.#tokens.has(token)
  }

  note(token: string, good: boolean): void {
    if (!good) this.#tokens.delete(token)
    else if (!this.#tokens.has(token)) {
      // Most are of the past by then: tokens that apps renew are new ones each time.
      if (this.#tokens.size >= MOST_KNOWN) this.#tokens.clear()
      this.#tokens.add(token)
    }
  }
}

/** Ends an answer that nobody will get. */
function abandon(begun: Promise<Response> | null): void {
  begun?.then(response => response.body?.cancel()).catch(() => {})
}

/** How a client without a valid token finds out where to get one (HO-2). */
function challenge(publicUrl: string, missing: boolean, request_id: string): Response {
  const message = missing
    ? 'This needs a token: Authorization: Bearer ….'
    : 'The token is unknown, expired or revoked. Ask for a new one.'
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="${READ_SCOPE}"`
  return refuse(new CodedError('invalid_token', message), request_id, {
    'WWW-Authenticate': `Bearer ${missing ? '' : 'error="invalid_token", '}${metadata}`,
  })
}

function ownerRefused(request_id: string): Response {
  const message =
    'This is an owner token; assistants get a scoped one. Make it with: footnote grant create --client NAME.'
  return refuse(new CodedError('client_token_required', message), request_id)
}

function refuse(error: CodedError, request_id: string, headers: Record<string, string> = {}): Response {
  const { code, message, type, status } = error
  return Response.json({ error: { type, code, message, request_id } }, { status, headers })
}

/** A refusal of the protocol's own, with the request's id among the data of its error. */
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
