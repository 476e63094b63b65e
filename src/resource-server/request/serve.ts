import type { ReplyOf, Route } from '../../api/route.ts'
import type { Environment, RequestContext } from './context.ts'
import type { Reply } from './responses.ts'

/** A contract and its handler. */
export interface ServedRoute extends Route {
  readonly handle:
    | { as: 'caller'; run(context: RequestContext): Promise<Reply> }
    | { as: 'anyone'; run(env: Environment, request: Request): Reply | Promise<Reply> }
}

/** The handler of a route that needs a token. */
export function serve<R extends Route>(
  contract: R,
  run: (context: RequestContext<R>) => Promise<Reply<ReplyOf<R>>>,
): ServedRoute {
  const handle = { as: 'caller', run: run as (context: RequestContext) => Promise<Reply> } as const
  return { ...contract, handle }
}

/** The handler of a public route. */
export function servePublic<R extends Route>(
  contract: R,
  run: (env: Environment, request: Request) => Reply<ReplyOf<R>> | Promise<Reply<ReplyOf<R>>>,
): ServedRoute {
  return { ...contract, handle: { as: 'anyone', run } }
}
