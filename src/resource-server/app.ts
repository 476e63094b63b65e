import { Hono } from 'hono'
import type { OriginContext, OriginRoute } from '../api/origin-route.ts'
import { CodedError } from '../model/errors.ts'
import { Authorizer } from './request/authorizer.ts'
import { type Environment, RequestContext } from './request/context.ts'
import { requestId } from './request/request-id.ts'
import { errorReply, type Reply } from './request/responses.ts'
import { queryOf, type ServedRoute } from './request/serve.ts'
import { ROUTES } from './routes.ts'

const PROTOCOL_VERSION = '2026-04-06'

/** The origin that it is part of may have given the request its id already. */
interface Origin {
  Bindings: { request_id?: string }
}

/** The routes of the resource server, each with its checks in one readable order. */
export function resourceRoutes(env: Environment): readonly OriginRoute[] {
  const authorizer = new Authorizer(env)
  return ROUTES.map(route => ({
    method: route.method,
    path: route.path,
    access: route.access,
    handle: (request, origin) =>
      finish(env, request, origin.request_id, () => answer(env, authorizer, route, request, origin)),
  }))
}

/** The resource server alone: its routes, and a refusal for everything else. */
export function createResourceServer(env: Environment): Hono<Origin> {
  const app = new Hono<Origin>()
  const routes = resourceRoutes(env)
  const idOf = ({ request_id }: Origin['Bindings'] = {}) => request_id ?? requestId()
  for (const { method, path, handle } of routes) {
    app.on(method, path, ({ req, env: origin }) =>
      handle(req.raw, { path: req.param() as Record<string, string>, request_id: idOf(origin) }),
    )
  }
  for (const [path, served] of Map.groupBy(routes, route => route.path)) {
    const allow = served.map(({ method }) => method).join(', ')
    app.all(path, ({ req, env: origin }) =>
      finish(env, req.raw, idOf(origin), () => {
        const message = `${req.method} is not allowed here. Allowed: ${allow}.`
        throw new CodedError('method_not_allowed', message, { allow })
      }),
    )
  }
  app.notFound(({ req, env: origin }) =>
    finish(env, req.raw, idOf(origin), () => {
      throw routeNotFound()
    }),
  )
  return app
}

async function answer(
  env: Environment,
  authorizer: Authorizer,
  route: ServedRoute,
  request: Request,
  { path, request_id }: OriginContext,
): Promise<Reply> {
  assertVersion(request)
  const { readQuery, handle } = route
  const query = queryOf(request.url)
  if (handle.as === 'anyone') {
    readQuery(query)
    return handle.run(env)
  }
  const fields = { env, route, request, request_id, path, now: env.clock() }
  return authorizer.run(fields, route, async granted => {
    const asked = readQuery(query)
    for (const name in path) if (path[name]?.includes('\0')) throw routeNotFound()
    const context = new RequestContext({ ...fields, asked, ...granted })
    const reply = await handle.run(context)
    await context.settled()
    return reply
  })
}

function routeNotFound(): CodedError {
  return new CodedError('route_not_found', 'There is nothing at this address.')
}

function assertVersion(request: Request): void {
  const version = request.headers.get('PDPP-Version')
  if (version === null || version === PROTOCOL_VERSION) return
  throw new CodedError('unsupported_version', `This server speaks PDPP-Version ${PROTOCOL_VERSION}.`, {
    param: 'PDPP-Version',
  })
}

/** Runs the work, turns what it throws into an answer, and puts on the headers that every response has. */
async function finish(
  env: Environment,
  request: Request,
  id: string,
  work: () => Reply | Promise<Reply>,
): Promise<Response> {
  let reply: Reply
  try {
    reply = await work()
  } catch (error) {
    if (!(error instanceof CodedError)) env.report(error, id)
    reply = errorReply(error, id, env.publicUrl)
  }
  const headers: Record<string, string> = { ...reply.headers, 'Request-Id': id }
  if (request.headers.get('PDPP-Version') === PROTOCOL_VERSION) headers['PDPP-Version'] = PROTOCOL_VERSION
  return new Response(reply.body, { status: reply.status, headers })
}
