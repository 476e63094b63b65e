import { MCP_PATH, RESEARCH_PATH } from '../../api/discovery.ts'
import { originsOf } from '../../model/loopback.ts'

/** The paths of the OAuth endpoints. */
export const PATHS = {
  authorization: '/oauth/authorize',
  code_verification: '/oauth/device',
  device_authorization: '/oauth/device_authorization',
  introspection: '/oauth/introspect',
  pushed_authorization_request: '/oauth/par',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  token: '/oauth/token',
} as const

export const METADATA_PATH = '/.well-known/oauth-authorization-server'
export const CONSENT_PATH = '/oauth/consent'

/** Every address that names this server as the resource of a request (RFC 8707). */
export function resourcesOf(publicUrl: string): string[] {
  return originsOf(publicUrl).flatMap(origin =>
    ['', MCP_PATH, RESEARCH_PATH].flatMap(path => [origin + path, `${origin}${path}/`]),
  )
}
