import { MCP_PATH, RESEARCH_PATH } from '../api/discovery.ts'
import type { Handle, OriginPart } from '../api/route.ts'
import type { HttpOptions, McpEndpoint } from '../mcp/protocol/http.ts'
import type { Adapter } from '../mcp/protocol/server.ts'
import { CodedError } from '../model/errors.ts'
import { originAsked } from '../model/loopback.ts'
import { OpenedOnce } from '../model/opened-once.ts'
import type { Authorizer } from '../resource-server/request/authorizer.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Dispatch } from './dispatcher.ts'
import { packageVersion } from './package-version.ts'

/** The settings that the MCP adapter follows. */
export type McpSettings = Pick<Adapter, 'alwaysLoad'> & Pick<HttpOptions, 'allowedOrigins'>

type McpEnvironment = Environment & { settings: McpSettings }

export interface McpPart extends OriginPart {
  close(): Promise<void>
}

const START_PATH = '/'

/** The adapter with all its tools, and the one with the two tools that hosts use for research. */
interface Endpoints {
  all: McpEndpoint
  research: McpEndpoint
}

/**
 * Both MCP endpoints. The adapter is loaded at the first call: most commands never need it, and a server starts sooner
 * without it.
 */
export function mcpPart(env: McpEnvironment, authorizer: Authorizer, dispatch: Dispatch): McpPart {
  const adapter = new OpenedOnce(() => openEndpoints(env, authorizer, dispatch))
  const handle: Handle = async (request, { request_id }) => {
    const { pathname } = new URL(request.url)
    if (pathname === START_PATH) throw wrongAddress(originAsked(env.publicUrl, request))
    const endpoints = await adapter.get()
    const isResearch = pathname.startsWith(RESEARCH_PATH)
    return (isResearch ? endpoints.research : endpoints.all).fetch(request, request_id)
  }
  // A trailing slash makes no difference: people type it, and some clients add it.
  const paths = [MCP_PATH, RESEARCH_PATH].flatMap(path => [path, `${path}/`])
  return {
    routes: [
      ...paths.map(path => ({ method: 'POST', path, access: 'client or owner', handle }) as const),
      { method: 'POST', path: START_PATH, access: 'public', handle },
    ],
    otherMethods: handle,
    refuse: async (error, _, { request_id }) => (await adapter.get()).all.refuse(error, request_id),
    async close() {
      const endpoints = await adapter.opened
      await Promise.all([endpoints?.all.close(), endpoints?.research.close()])
    },
  }
}

/** For a client that was given the address of the pages. */
function wrongAddress(origin: string): CodedError {
  return new CodedError(
    'not_found',
    `MCP is not served here. Give the client this address: ${origin}${MCP_PATH}`,
  )
}

/**
 * The MCP adapter as a client of this process's resource server. Reads during a call use the id and the authorization
 * of the call, so its token is looked up once.
 */
async function openEndpoints(
  { publicUrl, cursors, report, timeZone, settings }: McpEnvironment,
  authorizer: Authorizer,
  dispatch: Dispatch,
): Promise<Endpoints> {
  const { createMcpEndpoint, createResearchEndpoint } = await import('../mcp/protocol/http.ts')
  const { PROVIDER_TIMEOUT_MS } = await import('../mcp/reading/resource-server-client.ts')
  const provider = {
    url: publicUrl,
    cursors,
    timeoutMs: PROVIDER_TIMEOUT_MS,
    send: (request: Request, signal: AbortSignal) => dispatch(request, { signal }),
    ...(timeZone && { timeZone }),
  }
  const { alwaysLoad = true, allowedOrigins = [] } = settings
  const adapter = { provider, version: packageVersion(), report, alwaysLoad }
  const options: HttpOptions = {
    publicUrl,
    allowedOrigins,
    identify(request, request_id) {
      const authorization = authorizer.begin(request)
      return (
        authorization && {
          token: authorization.token,
          known: authorization.known !== undefined,
          kind: authorization.kind(),
          memory: () => authorization.memory(),
          send(inner, signal) {
            authorizer.vouch(inner, authorization)
            return dispatch(inner, { request_id, signal })
          },
        }
      )
    },
  }
  return { all: createMcpEndpoint(adapter, options), research: createResearchEndpoint(adapter, options) }
}
