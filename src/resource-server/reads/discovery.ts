import { READ_SCOPE } from '../../model/access/oauth-scope.ts'
import type { Environment } from '../request/context.ts'
import { json, type Reply } from '../request/responses.ts'

/** What this resource server offers beyond the protocol; adapters ask once and do without what is missing. */
const CAPABILITIES = [
  'field_window',
  'field_window_cursors',
  'field_window_digests',
  'max_field_chars',
  'search',
  'search_windows',
  'search_record',
]

export function protectedResource(env: Environment): Reply {
  return describeResource(env, env.publicUrl)
}

export function protectedMcp(env: Environment): Reply {
  return describeResource(env, `${env.publicUrl}/mcp`)
}

function describeResource(env: Environment, resource: string): Reply {
  return json({
    resource,
    authorization_servers: [env.publicUrl],
    scopes_supported: [READ_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Footnote',
    capabilities: CAPABILITIES,
  })
}

export async function health(env: Environment): Promise<Reply> {
  await env.store.database.get('SELECT 1 AS one')
  return json({ status: 'ok' })
}
