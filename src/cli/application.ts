import type { Console } from '../console/console.ts'
import { createMcpEndpoint } from '../mcp/protocol/http.ts'
import { PROVIDER_TIMEOUT_MS } from '../mcp/reading/resource-server-client.ts'
import { CodedError } from '../model/errors.ts'
import { createResourceServer } from '../resource-server/app.ts'
import { authenticate } from '../resource-server/request/authenticate.ts'
import type { Environment } from '../resource-server/request/context.ts'
import { requestId } from '../resource-server/request/request-id.ts'
import { packageVersion } from './commands/version.ts'

export interface Application {
  /** `request_id` is the one that the response over HTTP has; a caller inside the process leaves it out. */
  fetch(request: Request, request_id?: string): Promise<Response>
  close(): Promise<void>
}

/** Everything that one origin serves. The MCP adapter is a client of the resource server, in the same process. */
export function createApplication(env: Environment, console?: Console): Application {
  const resourceServer = createResourceServer(env)
  const provider = {
    url: env.publicUrl,
    send: async (request: Request) => resourceServer.fetch(request),
    cursors: env.cursors,
    timeoutMs: PROVIDER_TIMEOUT_MS,
  }
  const mcp = createMcpEndpoint(
    { provider, version: packageVersion(), report: env.report },
    {
      publicUrl: env.publicUrl,
      identify: token =>
        authenticate(env, token, env.clock()).then(
          state => state.kind,
          error => {
            if (error instanceof CodedError) return null
            throw error
          },
        ),
    },
  )
  return {
    async fetch(request, request_id = requestId()) {
      const { pathname } = new URL(request.url)
      if (pathname === '/mcp') return mcp.fetch(request, request_id)
      if (console?.matches(pathname)) return console.fetch(request, request_id)
      return resourceServer.fetch(request, { request_id })
    },
    close: mcp.close,
  }
}
