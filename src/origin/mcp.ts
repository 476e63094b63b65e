import type { Handle, OriginPart } from '../api/origin-route.ts'
import type { HttpOptions, McpEndpoint } from '../mcp/protocol/http.ts'
import type { Authorizer } from '../resource-server/request/authorizer.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Dispatch } from './dispatcher.ts'
import { packageVersion } from './package-version.ts'

export interface McpPart extends OriginPart {
  load(): Promise<unknown>
  close(): Promise<void>
}

const MCP_PATH = '/mcp'
const RESEARCH_PATH = '/mcp/research'

/** The adapter with all its tools, and with the two that hosts use for research. */
interface Endpoints {
  all: McpEndpoint
  research: McpEndpoint
}

/** Both addresses of MCP. The adapter is loaded at the first call, or before when a server starts: most commands never need it. */
export function mcpPart(env: Environment, authorizer: Authorizer, dispatch: Dispatch): McpPart {
  let opened: Promise<Endpoints> | null = null
  const load = () => {
    opened ??= openEndpoints(env, authorizer, dispatch)
    return opened
  }
  const handle: Handle = async (request, { request_id }) => {
    const endpoints = await load()
    const isResearch = new URL(request.url).pathname === RESEARCH_PATH
    return (isResearch ? endpoints.research : endpoints.all).fetch(request, request_id)
  }
  const routes = [MCP_PATH, RESEARCH_PATH].map(path => ({
    method: 'POST' as const,
    path,
    access: 'client or owner' as const,
    handle,
  }))
  return {
    routes,
    otherMethods: handle,
    refuse: async (error, _, { request_id }) => (await load()).all.refuse(error, request_id),
    load,
    async close() {
      const endpoints = await opened
      await Promise.all([endpoints?.all.close(), endpoints?.research.close()])
    },
  }
}

/**
 * The MCP adapter as a client of this process's resource server. What a call reads is served under the id and the
 * authorization of the call itself, so its token is read once.
 */
async function openEndpoints(
  { publicUrl, cursors, report, timeZone }: Environment,
  authorizer: Authorizer,
  dispatch: Dispatch,
): Promise<Endpoints> {
  const { createMcpEndpoint, createResearchEndpoint } = await import('../mcp/protocol/http.ts')
  const { PROVIDER_TIMEOUT_MS } = await import('../mcp/reading/resource-server-client.ts')
  const provider = {
    url: publicUrl,
    cursors,
    timeoutMs: PROVIDER_TIMEOUT_MS,
    send: dispatch,
    ...(timeZone && { timeZone }),
  }
  const adapter = { provider, version: packageVersion(), report }
  const options: HttpOptions = {
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
  }
  return { all: createMcpEndpoint(adapter, options), research: createResearchEndpoint(adapter, options) }
}
