import type { Provider } from 'oidc-provider'
import type { NodeExchange } from '../api/origin-route.ts'
import type { AuthorizationEnvironment } from './environment.ts'

/** A request for a page, with the parts it consists of. */
export interface PageRequest {
  env: AuthorizationEnvironment
  /** Loads oidc-provider if this is the first request that needs it. */
  provider(): Promise<Provider>
  request: Request
  node: NodeExchange
  path: Readonly<Record<string, string>>
}
