import type { HttpBindings } from '@hono/node-server'
import type { Provider } from 'oidc-provider'
import type { AuthorizationEnvironment } from './environment.ts'

/** A request for a page, with what it was made of. */
export interface PageRequest {
  env: AuthorizationEnvironment
  provider: Provider
  request: Request
  node: HttpBindings
  path: Record<string, string>
}
