import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteAccess } from './route.ts'

/** A route of the origin, ready to serve, whichever part of the server it belongs to. */
export interface OriginRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** In Hono's syntax. */
  readonly path: string
  readonly access: RouteAccess
  handle(request: Request, context: OriginContext): Promise<Response> | Response
}

export interface OriginContext {
  readonly path: Readonly<Record<string, string>>
  readonly request_id: string
  /** For a part that speaks Node's own HTTP. */
  readonly node?: { incoming: IncomingMessage; outgoing: ServerResponse }
}
