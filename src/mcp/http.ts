import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { CodedError } from '../model/errors.ts'
import { READ_SCOPE } from '../model/scope.ts'
import { type Adapter, createMcpServer } from './server.ts'

/** What a token is worth, or null for one that is unknown, expired or revoked. */
export type Identify = (token: string) => Promise<'client' | 'owner' | null>

export interface HttpOptions {
  /** The origin that clients use; the metadata's address is made of it, never of the Host header. */
  publicUrl: string
  identify: Identify
}

const MOST_REQUEST_BYTES = 256 * 1024
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i

export interface McpEndpoint {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/** `/mcp`. */
export function createMcpEndpoint(adapter: Adapter, options: HttpOptions): McpEndpoint {
  return serveOverHttp(token => createMcpServer(adapter, token), options)
}

/** Streamable HTTP without sessions, in both eras; each request is served by a server of its own. */
export function serveOverHttp(
  createServer: (token: string) => McpServer,
  { publicUrl, identify }: HttpOptions,
): McpEndpoint {
  const hostname = new URL(publicUrl).hostname
  const hosts = [...localhostAllowedHostnames(), hostname]
  const origins = [...localhostAllowedOrigins(), hostname]
  const handler = createMcpHandler(({ authInfo }) => createServer(authInfo?.token ?? ''), {
    maxRequestBodySize: MOST_REQUEST_BYTES,
    onerror: () => {},
  })
  return {
    async fetch(request) {
      const rejected =
        hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins)
      if (rejected) return rejected
      const token = BEARER.exec(request.headers.get('Authorization') ?? '')?.[1]
      const kind = token === undefined ? null : await identify(token)
      if (token === undefined || kind === null) return challenge(publicUrl, token === undefined)
      if (kind === 'owner') return ownerRefused()
      return handler.fetch(request, { authInfo: { token, clientId: '', scopes: [] } })
    },
    close: () => handler.close(),
  }
}

/** How a client without a valid token finds out where to get one (HO-2). */
function challenge(publicUrl: string, missing: boolean): Response {
  const message = missing
    ? 'This needs a token: Authorization: Bearer ….'
    : 'The token is unknown, expired or revoked. Ask for a new one.'
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="${READ_SCOPE}"`
  return refuse(new CodedError('invalid_token', message), {
    'WWW-Authenticate': `Bearer ${missing ? '' : 'error="invalid_token", '}${metadata}`,
  })
}

function ownerRefused(): Response {
  const message =
    'This is an owner token; assistants get a scoped one. Make it with: footnote grant create --client NAME.'
  return refuse(new CodedError('client_token_required', message), {})
}

function refuse(error: CodedError, headers: Record<string, string>): Response {
  const { code, message, type, status } = error
  return Response.json({ error: { type, code, message } }, { status, headers })
}
