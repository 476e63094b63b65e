import { Hono } from 'hono'
import type { Access } from '../../model/access/enforce.ts'
import { CodedError } from '../../model/errors.ts'
import { type Environment, RequestContext } from '../request/context.ts'
import { Parameters } from '../request/parameters.ts'
import { requestId } from '../request/request-id.ts'
import { ROUTES } from '../routes.ts'

/** A read for the owner's own eyes: nothing is disclosed to a client by it. */
class OwnersRead extends RequestContext {
  override disclose(): void {}
}

/**
 * Serves a read with a given access instead of a token: the same routes and handlers, so that the owner is shown
 * exactly what a client with that access would be shown. Only for callers in this process that know who is asking.
 */
export function createReader(env: Environment): (access: Access, path: string) => Promise<unknown> {
  const app = new Hono<{ Bindings: { access: Access } }>()
  for (const route of ROUTES) {
    if (route.access !== 'any' || route.method !== 'GET') continue
    app.get(route.path, async context => {
      const { access } = context.env
      const { catalog_seq } = await catalogState(env, access.owner_id)
      const reply = await route.handle(
        new OwnersRead({
          env,
          request: context.req.raw,
          request_id: requestId(),
          route: `${route.method} ${route.path}`,
          path: context.req.param() as Record<string, string>,
          parameters: new Parameters(new URL(context.req.url).searchParams, route.parameters),
          access,
          catalog: await env.store.catalog(access.owner_id, catalog_seq),
          now: env.clock(),
          confirm: async () => {},
        }),
      )
      return new Response(reply.body, { status: reply.status })
    })
  }
  app.notFound(() => {
    throw new CodedError('route_not_found', 'There is nothing to read at this address.')
  })
  app.onError(error => {
    throw error
  })
  return async (access, path) => (await app.request(path, {}, { access })).json()
}

async function catalogState(env: Environment, owner_id: string): Promise<{ catalog_seq: number }> {
  const row = await env.store.database.get<{ catalog_seq: number }>(
    'SELECT catalog_seq FROM owners WHERE owner_id = ?',
    [owner_id],
  )
  return row ?? { catalog_seq: 0 }
}
