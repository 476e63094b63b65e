import type { Handle, OriginPart } from '../api/origin-route.ts'
import type { McpEndpoint } from '../mcp/protocol/http.ts'
import type { Authorizer } from '../resource-server/request/authorizer.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Dispatch } from './dispatcher.ts'
import { packageVersion } from './package-version.ts'

export interface McpPart extends OriginPart {
  load(): Promise<McpEndpoint>
  close(): Promise<void>
}

/** `/mcp`. The adapter is loaded at the first call, or before when a server starts: most commands never need it. */
export function mcpPart(env: Environment, authorizer: Authorizer, dispatch: Dispatch): McpPart {
  let opened: Promise<McpEndpoint> | null = null
  const load = () => {
    opened ??= openEndpoint(env, authorizer, dispatch)
    return opened
  }
  const handle: Handle = async (request, { request_id }) => (await load()).fetch(request, request_id)
  return {
    routes: [{ method: 'POST', path: '/mcp', access: 'client or owner', handle }],
    otherMethods: handle,
    refuse: async (error, _, { request_id }) => (await load()).refuse(error, request_id),
    load,
    close: async () => (await opened)?.close(),
  }
}

/**
 * The MCP adapter as a client of this process's resource server. What a call reads is served under the id and the
 * authorization of the call itself, so its token is read once.
 */
async function openEndpoint(
  { publicUrl, cursors, report, timeZone }: Environment,
  authorizer: Authorizer,
  dispatch: Dispatch,
): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import('../mcp/protocol/http.ts')
  const { PROVIDER_TIMEOUT_MS } = await import('../mcp/reading/resource-server-client.ts')
  const provider = {
    url: publicUrl,
    cursors,
    timeoutMs: PROVIDER_TIMEOUT_MS,
    send: dispatch,
    ...(timeZone && { timeZone }),
  }
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
