import type { Handle, OriginPart } from '../api/origin-route.ts'
import type { McpEndpoint } from '../mcp/protocol/http.ts'

export interface McpPart extends OriginPart {
  load(): Promise<McpEndpoint>
  close(): Promise<void>
}

/** `/mcp`. The adapter is loaded at the first call, or before when a server starts: most commands never need it. */
export function mcpPart(open: () => Promise<McpEndpoint>): McpPart {
  let opened: Promise<McpEndpoint> | null = null
  const load = () => {
    opened ??= open()
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
