import { createMcpEndpoint, type McpEndpoint } from '../mcp/protocol/http.ts'
import { PROVIDER_TIMEOUT_MS } from '../mcp/reading/resource-server-client.ts'
import type { Authorizer } from '../resource-server/request/authorizer.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Dispatch } from './dispatcher.ts'
import { packageVersion } from './package-version.ts'

/**
 * The MCP adapter as a client of this process's resource server. What a call reads is served under the id and the
 * authorization of the call itself, so its token is read once.
 */
export function openMcpEndpoint(env: Environment, authorizer: Authorizer, dispatch: Dispatch): McpEndpoint {
  const { publicUrl, cursors, report } = env
  const provider = { url: publicUrl, cursors, timeoutMs: PROVIDER_TIMEOUT_MS, send: dispatch }
  return createMcpEndpoint(
    { provider, version: packageVersion(), report },
    {
      publicUrl,
      identify(request, request_id) {
        const authorization = authorizer.begin(request)
        return (
          authorization && {
            token: authorization.token,
            known: authorization.known !== undefined,
            kind: authorization.kind(),
            send(inner) {
              authorizer.vouch(inner, authorization)
              return dispatch(inner, { request_id })
            },
          }
        )
      },
    },
  )
}
