import { randomUUID } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Tool as ListedTool,
  type McpServer,
} from '@modelcontextprotocol/server'
import { isObject, type JsonObject, parseJson } from '../../model/json.ts'
import { APP_TYPE, APPS_EXTENSION, type AppTool } from '../apps.ts'
import { listedSchema } from '../listed-schema.ts'
import type { Tool } from '../tool.ts'

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
    const declared =
      (mcpReq.envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
      server.getClientCapabilities()
    if (!known.showsApps && !showsApps(declared)) return { tools: listed(tools) }
    return { tools: listed([...tools, ...apps]), ttlMs, cacheScope: 'private' }
  })
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

/** Whether a client shows a server's pages. */
function showsApps(capabilities: unknown): boolean {
  const { extensions } = (isObject(capabilities) ? capabilities : {}) as ClientCapabilities
  const declared = isObject(extensions) ? extensions[APPS_EXTENSION] : undefined
  if (!isObject(declared)) return false
  const { mimeTypes } = declared
  return mimeTypes === undefined || (Array.isArray(mimeTypes) && mimeTypes.includes(APP_TYPE))
}

const SESSION = 'Mcp-Session-Id'
const MARK = 'apps-'
const MOST_OPENING_BYTES = 16 * 1024

/**
 * Whether this request opens a connection for a client that shows pages, in a protocol version in which only the first
 * request says so. A body that has not been read is read from a copy, up to a limit.
 */
export async function opensWithApps(request: Request, read: unknown): Promise<boolean> {
  const names = ['Mcp-Method', SESSION]
  if (request.method !== 'POST' || names.some(name => request.headers.has(name))) return false
  try {
    const body = read === undefined ? parseJson(await shortText(request.clone())) : read
    if (!isObject(body) || body.method !== 'initialize' || !isObject(body.params)) return false
    return showsApps(body.params.capabilities)
  } catch {
    return false
  }
}

/** The text of a short body; empty for a longer one. */
async function shortText({ body }: Request): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let room = MOST_OPENING_BYTES
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || !value) return Buffer.concat(chunks).toString()
    chunks.push(value)
    room -= value.byteLength
    if (room >= 0) continue
    // Not awaited: it resolves only when the other copy has ended too.
    reader?.cancel().catch(() => {})
    return ''
  }
}

/**
 * Sends the client a session id, which it repeats in every request. The id says that the client shows pages; nothing is
 * stored here, and it gives no access.
 */
export function inAppsSession(response: Response): Response {
  const headers = new Headers(response.headers)
  headers.set(SESSION, `${MARK}${randomUUID()}`)
  return new Response(response.body, { status: response.status, headers })
}

export function isAppsSession(request: Request): boolean {
  return request.headers.get(SESSION)?.startsWith(MARK) === true
}
