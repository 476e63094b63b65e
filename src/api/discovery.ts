import { publicRoute } from './route.ts'
import { choice, listOf, mapOf, object, TEXT } from './schema.ts'

const RESOURCE = object({
  resource: TEXT,
  authorization_servers: listOf(TEXT),
  scopes_supported: listOf(TEXT),
  bearer_methods_supported: listOf(TEXT),
  resource_name: TEXT,
  capabilities: listOf(TEXT),
})
const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'

export const protectedResource = publicRoute('GET', PROTECTED_RESOURCE, {
  summary: 'The metadata of this resource server (RFC 9728)',
  reply: RESOURCE,
})

export const protectedMcp = publicRoute('GET', `${PROTECTED_RESOURCE}/mcp`, {
  summary: 'The metadata of the MCP endpoint',
  reply: RESOURCE,
})

const HEALTH = object({
  status: choice(['ok', 'unavailable']),
  parts: mapOf(choice(['ok', 'down'])),
})

export const health = publicRoute('GET', '/healthz', {
  summary: 'Whether the server is alive: each part that it cannot work without is asked',
  reply: HEALTH,
})

export const readiness = publicRoute('GET', '/readyz', {
  summary: 'Whether the server is ready to serve',
  reply: HEALTH,
})
