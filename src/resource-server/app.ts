import { type Context, Hono } from 'hono'
import { CodedError } from '../model/errors.ts'
import { Authorizer } from './request/authorizer.ts'
import { type Environment, RequestContext } from './request/context.ts'
import { Parameters } from './request/parameters.ts'
import { requestId } from './request/request-id.ts'
import { errorReply, type Reply } from './request/responses.ts'
import { ROUTES, type Route } from './routes.ts'

const PROTOCOL_VERSION = '2026-04-06'

/** The origin that it is part of may have given the request its id already. */
interface Origin {
  Bindings: { request_id?: string }
}

/** The resource server: every route, with its checks in one readable order. */
export function createResourceServer(env: Environment): Hono<Origin> {
  const app = new Hono<Origin>()
  const authorizer = new Authorizer(env)
  for (const route of ROUTES) {
    app.on(route.method, route.path, context =>
      finish(env, context, id => serve(env, authorizer, route, context, id)),
    )
  }
  for (const path of new Set(ROUTES.map(route => route.path))) {
    const allow = ROUTES.filter(route => route.path === path).map(route => route.method)
    app.all(path, context =>
      finish(env, context, () => {
        const message = `${context.req.method} is not for this address. It takes ${allow.join(', ')}.`
        throw new CodedError('method_not_allowed', message, { allow: allow.join(', ') })
      }),
    )
  }
  app.notFound(context =>
    finish(env, context, () => {
      throw routeNotFound()
    }),
  )
  return app
}

async function serve(
  env: Environment,
  authorizer: Authorizer,
  route: Route,
  context: Context,
  request_id: string,
): Promise<Reply> {
  const request = context.req.raw
  assertVersion(request)
  if (route.access === 'public') {
    new Parameters(queryOf(request.url), route.parameters)
    return route.handle(env)
  }
  const name = `${route.method} ${route.path}`
  const fields = { env, request, request_id, route: name, now: env.clock() }
  return authorizer.run(fields, route, async granted => {
    const parameters = new Parameters(queryOf(request.url), route.parameters)
    const path = context.req.param() as Record<string, string>
    if (Object.values(path).some(segment => segment.includes('\0'))) throw routeNotFound()
    const reading = new RequestContext({ ...fields, path, parameters, ...granted })
    const reply = await route.handle(reading)
    await reading.settled()
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
  context: Context<Origin>,
  work: (request_id: string) => Reply | Promise<Reply>,
): Promise<Response> {
  const id = context.env?.request_id ?? requestId()
  let reply: Reply
  try {
    reply = await work(id)
  } catch (error) {
    if (!(error instanceof CodedError)) env.report(error, id)
    reply = errorReply(error, id, env.publicUrl)
  }
  const headers: Record<string, string> = { ...reply.headers, 'Request-Id': id }
  if (context.req.header('PDPP-Version') === PROTOCOL_VERSION) headers['PDPP-Version'] = PROTOCOL_VERSION
  return new Response(reply.body, { status: reply.status, headers })
}

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
}
