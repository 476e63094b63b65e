import { Hono } from 'hono'
import type { Access } from '../../model/access/enforce.ts'
import { CodedError } from '../../model/errors.ts'
import { catalogSeq } from '../../store/records/owners.ts'
import { type Environment, RequestContext } from '../request/context.ts'
import { requestId } from '../request/request-id.ts'
import { queryOf } from '../request/serve.ts'
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
    const { method, path, access, readQuery, handle } = route
    if (handle.as !== 'caller' || access === 'owner' || method !== 'GET') continue
    app.get(path, async ({ req, env: { access } }) => {
      const { owner_id } = access
      const context = new OwnersRead({
        env,
        route,
        request: req.raw,
        request_id: requestId(),
        path: req.param() as Record<string, string>,
        asked: readQuery(queryOf(req.url)),
        access,
        catalog: await env.store.catalog(owner_id, await catalogSeq(env.store.database, owner_id)),
        now: env.clock(),
        confirm: async () => {},
      })
      const reply = await handle.run(context)
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
