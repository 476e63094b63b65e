import type { OriginContext, OriginPart } from '../api/origin-route.ts'
import { CodedError } from '../model/errors.ts'
import type { Authorizer } from './request/authorizer.ts'
import { type Environment, RequestContext } from './request/context.ts'
import { errorReply, type Reply } from './request/responses.ts'
import type { ServedRoute } from './request/serve.ts'
import { ROUTES } from './routes.ts'

/** A read for the owner's own eyes: nothing is disclosed to a client by it. */
class OwnersRead extends RequestContext {
  override disclose(): void {}
}

/** The resource server: every route, with its checks in one readable order. */
export function resourcePart(env: Environment, authorizer: Authorizer): OriginPart {
  return {
    routes: ROUTES.map(route => ({
      method: route.method,
      path: route.path,
      access: route.access,
      handle: async (request, origin) => written(await answer(env, authorizer, route, request, origin)),
    })),
    refuse: (error, request, { request_id }) =>
      written(errorReply(error, { request, request_id, publicUrl: env.publicUrl })),
  }
}

async function answer(
  env: Environment,
  authorizer: Authorizer,
  route: ServedRoute,
  request: Request,
  { path, request_id }: OriginContext,
): Promise<Reply> {
  const { readQuery, handle } = route
  const query = queryOf(request.url)
  if (handle.as === 'anyone') {
    readQuery(query, false)
    return handle.run(env)
  }
  const fields = { env, route, request, request_id, path, now: env.clock() }
  return authorizer.run(fields, route, async ({ noted, ...granted }) => {
    const asked = readQuery(query, granted.access.kind === 'owner')
    for (const name in path) {
      if (path[name]?.includes('\0')) {
        throw new CodedError('not_found', 'There is nothing at this address.')
      }
    }
    const Reading = noted ? RequestContext : OwnersRead
    const context = new Reading({ ...fields, ...asked, ...granted })
    try {
      const reply = await handle.run(context)
      await context.settled()
      return reply
    } finally {
      context.leave()
    }
  })
}

function written({ status, headers, body }: Reply): Response {
  return new Response(body, { status, headers })
}

/** The query of an address, without its question mark. */
function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}
