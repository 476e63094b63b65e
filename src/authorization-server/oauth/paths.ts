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
