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

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const

/** Lists tools with a page only for clients that show pages, so the list depends on the client. */
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

/** The capabilities in a request of version 2026-07-28. */
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

/** The part of a tool that only hosts read. */
export function metaOf({ hint, isFirst, page }: Tool & Partial<AppTool>, alwaysLoad: boolean): JsonObject {
  return {
    'anthropic/searchHint': hint,
    ...(isFirst && alwaysLoad ? { 'anthropic/alwaysLoad': true } : {}),
    ...(page === undefined ? {} : { ui: { resourceUri: page, visibility: ['model'] } }),
  }
}
