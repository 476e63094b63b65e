import {
  CLIENT_CAPABILITIES_META_KEY,
  type Tool as ListedTool,
  type McpServer,
} from '@modelcontextprotocol/server'
import type { JsonObject } from '../../model/json.ts'
import type { AppTool } from '../apps.ts'
import { listedSchema } from '../listed-schema.ts'
import type { Tool } from '../tool.ts'
import { showsApps } from './declared-apps.ts'

export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** Tools with a page are listed only where pages are shown. That list is not the same for everybody. */
export function listByClient(
  { server }: McpServer,
  { tools, apps }: { tools: readonly Tool[]; apps: readonly AppTool[] },
  known: { alwaysLoad: boolean; showsApps: boolean; ttlMs: number },
): void {
  const { alwaysLoad, ttlMs } = known
  const listed = (each: readonly Tool[]) => each.map(tool => definitionOf(tool, alwaysLoad))
  server.setRequestHandler('tools/list', (_, { mcpReq }) => {
    const declared = declaredIn(mcpReq.envelope) ?? server.getClientCapabilities()
    if (!known.showsApps && !showsApps(declared)) return { tools: listed(tools) }
    return { tools: listed([...tools, ...apps]), ttlMs, cacheScope: 'private' }
  })
}

/** The capabilities that a request of revision 2026-07-28 carries. */
function declaredIn(envelope: object | undefined): unknown {
  return (envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
}

function definitionOf(tool: Tool, alwaysLoad: boolean): ListedTool {
  const { name, title, description, input, output } = tool
  return {
    name,
    title,
    description,
    inputSchema: input as ListedTool['inputSchema'],
    annotations: READ_ONLY,
    _meta: metaOf(tool, alwaysLoad),
    outputSchema: listedSchema(output) as ListedTool['inputSchema'],
  }
}

/** What only hosts read of a tool. */
export function metaOf({ hint, isFirst, page }: Tool & Partial<AppTool>, alwaysLoad: boolean): JsonObject {
  return {
    'anthropic/searchHint': hint,
    ...(isFirst && alwaysLoad ? { 'anthropic/alwaysLoad': true } : {}),
    ...(page === undefined ? {} : { ui: { resourceUri: page, visibility: ['model'] } }),
  }
}
