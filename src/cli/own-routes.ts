import { addressOf } from '../api/path.ts'
import type { BodyOf, PathOf, QueryOf, ReplyOf, Route } from '../api/route.ts'
import type { OwnRequest, OwnServer } from './own-server.ts'

/** Reads from a route of the server inside the command: the answer as it was written, and as it reads. */
export function ask<R extends Route>(
  server: OwnServer,
  route: R,
  path: PathOf<R>,
  query?: QueryOf<R>,
): Promise<{ text: string; body: ReplyOf<R> }> {
  return server.get(addressOf(route, path, query))
}

interface Sent<R> extends Pick<OwnRequest, 'body' | 'type'> {
  query?: QueryOf<R>
  json?: BodyOf<R>
}

/** Sends a body to a route of the server inside the command. */
export function send<R extends Route>(
  server: OwnServer,
  route: R,
  path: PathOf<R>,
  { query, ...sent }: Sent<R> = {},
): Promise<ReplyOf<R>> {
  return server.call(addressOf(route, path, query), { method: route.method, ...sent })
}
