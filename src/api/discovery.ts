import { originsOf } from '../model/loopback.ts'
import { list } from './list.ts'
import { publicRoute } from './route.ts'
import * as s from './schema.ts'

/** The only OAuth scope: read what was granted. The owner decides during consent which data that is. */
export const READ_SCOPE = 'read'

const LEXICAL_RETRIEVAL = s.object({
  ...s.each(s.FLAG, 'supported', 'cross_stream', 'snippets'),
  endpoint: s.TEXT,
  ...s.each(s.COUNT, 'default_limit', 'max_limit'),
})
const RESOURCE = s.object({
  ...s.each(s.TEXT, 'resource', 'resource_name', 'pdpp_core_query_base'),
  ...s.each(s.listOf(s.TEXT), 'authorization_servers', 'scopes_supported', 'bearer_methods_supported'),
  ...s.each(s.listOf(s.TEXT), 'pdpp_token_kinds_supported'),
  pdpp_self_export_supported: s.FLAG,
  capabilities: s.object({
    lexical_retrieval: LEXICAL_RETRIEVAL,
    source_declarations: s.object({ endpoint: s.TEXT }),
    footnote: s.listOf(s.TEXT),
  }),
})
const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'

/** The endpoints of the MCP adapter; the second one has the two tools that hosts use for research. */
export const MCP_PATH = '/mcp'
export const RESEARCH_PATH = '/mcp/research'

/** Every address that names this server as the resource of a request (RFC 8707). */
export function resourcesOf(publicUrl: string): string[] {
  return originsOf(publicUrl).flatMap(origin =>
    ['', MCP_PATH, RESEARCH_PATH].flatMap(path => [origin + path, `${origin}${path}/`]),
  )
}

export const protectedResource = publicRoute('GET', PROTECTED_RESOURCE, {
  summary: 'The metadata of this resource server (RFC 9728)',
  reply: RESOURCE,
})

export const protectedMcp = publicRoute('GET', `${PROTECTED_RESOURCE}${MCP_PATH}`, {
  summary: 'The metadata of the MCP endpoint',
  reply: RESOURCE,
})

export const protectedResearch = publicRoute('GET', `${PROTECTED_RESOURCE}${RESEARCH_PATH}`, {
  summary: 'The metadata of the MCP endpoint for research',
  reply: RESOURCE,
})

/** Never those that the owner registered: which sources someone has is known only to those who may read them. */
export const shippedDeclarations = publicRoute('GET', '/v1/declarations', {
  summary: 'The declarations of the sources that every server of this version accepts in requests',
  reply: list({ type: 'object' } as s.Schema<object>),
})

const HEALTH = s.object({
  status: s.choice(['ok', 'unavailable']),
  parts: s.mapOf(s.choice(['ok', 'busy', 'down'])),
})

export const health = publicRoute('GET', '/healthz', {
  summary: 'Whether the server is alive: checks every part that it depends on',
  reply: HEALTH,
})

export const readiness = publicRoute('GET', '/readyz', {
  summary: 'Whether the server is ready to serve',
  reply: HEALTH,
})

export const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8'

/** `public`, because owner and client tokens do not give access to it: it has its own token. */
export const metrics = publicRoute('GET', '/metrics', {
  summary: 'Metrics for Prometheus, opened by the token in the setting metrics-token',
  reply: EXPOSITION,
})
