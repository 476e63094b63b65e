import type { Given, Warning } from '../api/parameter.ts'
import {
  type Handle,
  type OriginContext,
  type OriginPart,
  type ParametersOf,
  type Route,
  withKnownText,
} from '../api/route.ts'
import type { Access } from '../model/access/enforce.ts'
import { CodedError, invalidRequest } from '../model/errors.ts'
import type { Authorizer, Granted } from './request/authorizer.ts'
import { type Environment, Note, RequestContext, type ServedRoute } from './request/context.ts'
import { errorReply, type Reply } from './request/responses.ts'
import { ROUTES } from './routes.ts'

/** The resource server: every route, with its checks in one readable sequence. */
export function resourcePart(env: Environment, authorizer: Authorizer): OriginPart {
  return {
    routes: ROUTES.map(contract => {
      const route = { ...contract, readQuery: parameterReader(contract) }
      const { method, path, access } = route
      const handle: Handle = async (request, origin) =>
        written(await answer(env, authorizer, route, request, origin), origin)
      return { method, path, access, handle }
    }),
    refuse: (error, request, origin) => {
      const { request_id } = origin
      return written(errorReply(error, { request, request_id, publicUrl: env.publicUrl }), origin)
    },
  }
}

async function answer(
  env: Environment,
  authorizer: Authorizer,
  route: ServedRoute & { readQuery: QueryReader },
  request: Request,
  { path, request_id, signal }: OriginContext,
): Promise<Reply> {
  const { readQuery, handle } = route
  const query = queryOf(request.url)
  if (handle.as === 'anyone') {
    readQuery(query, false)
    return handle.run(env, request)
  }
  const fields = { env, route, request, request_id, path, leaving: signal, now: env.clock() }
  const read = async ({ access, catalog }: Granted, note: Note) => {
    assertMayCall(route, access)
    const asked = readQuery(query, access.kind === 'owner')
    assertPath(path)
    const context = new RequestContext({ ...fields, ...asked, access, catalog, note })
    try {
      return await handle.run(context)
    } finally {
      context.leave()
    }
  }
  return authorizer.run(
    fields,
    route,
    async granted => {
      const note = new Note()
      const [outcome] = await Promise.allSettled([read(granted, note)])
      return { access: granted.access, noted: granted.noted, note, outcome }
    },
    async ({ access, noted, note, outcome }) => {
      await note.write({ ...fields, store: env.store }, noted ? access : null, statusOf(outcome))
      if (outcome.status === 'rejected') throw namingOwnerPage(outcome.reason, access, env.publicUrl)
      return outcome.value
    },
  )
}

/**
 * Adds where the owner can allow what was refused. It is added for every stream alike, whether or not the stream
 * exists.
 */
function namingOwnerPage(error: unknown, access: Access, publicUrl: string): unknown {
  if (!(error instanceof CodedError) || error.code !== 'grant_stream_not_allowed') return error
  const { stream } = error.details
  if (access.kind !== 'client' || typeof stream !== 'string') return error
  const query = new URLSearchParams({ stream: stream.slice(0, MOST_NAME_CHARS) })
  const owner_page = `${publicUrl}/apps/${encodeURIComponent(access.client_id)}/wants?${query}`
  return new CodedError(error.code, `${error.message} The owner can allow it at ${owner_page}`, {
    ...error.details,
    owner_page,
  })
}

const MOST_NAME_CHARS = 200

function assertMayCall({ access }: ServedRoute, { kind }: Access): void {
  if (access === 'client or owner' || kind === 'owner') return
  throw new CodedError('owner_token_required', 'Only the owner of the data can do this, not a client.')
}

function assertPath(path: Readonly<Record<string, string>>): void {
  for (const name in path) {
    if (path[name]?.includes('\0')) throw new CodedError('not_found', 'There is nothing at this address.')
  }
}

function written({ status, headers, body }: Reply, { node }: OriginContext): Response {
  const response = new Response(body, { status, headers })
  return node === undefined && typeof body === 'string' ? withKnownText(response, body) : response
}

function statusOf(outcome: PromiseSettledResult<Reply>): number {
  if (outcome.status === 'fulfilled') return outcome.value.status
  return outcome.reason instanceof CodedError ? outcome.reason.status : 500
}

/** The query of a URL, without its question mark. */
function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** Parses a query of the owner, or of anyone else. */
type QueryReader = (query: string, isOwner: boolean) => Asked

interface Asked<R extends Route = Route> {
  parameters: ParametersOf<R>
  warnings: Warning[]
}

/** Parses the queries of a route; parameters that the route does not have are refused. */
export function parameterReader(route: Route): QueryReader {
  const known = new Map(Object.entries(route.parameters))
  const nameOf = (written: string) => {
    const [name = ''] = written.split('[', 1)
    const takes = known.get(name)?.takes
    if (takes === 'fields') return written === name ? '' : name
    return takes === 'many' && written === `${name}[]` ? name : written
  }
  return (query, isOwner) => {
    const given = new Map<string, Given[]>()
    for (const pair of new URLSearchParams(query)) {
      const [written, value] = pair
      const name = nameOf(written)
      const parameter = known.get(name)
      if (value.includes('\0'))
        throw invalidRequest(`${written} contains U+0000, which is not allowed.`, written)
      if (!parameter) throw unknown(written, route, isOwner)
      if (parameter.ownerOnly && !isOwner)
        throw invalidRequest(`${name} is for the owner of the data. Use where[field].`, written)
      const before = given.get(name)
      if (!before) given.set(name, [pair])
      else if (parameter.takes === 'one') throw invalidRequest(`${name} is given more than once.`, name)
      else before.push(pair)
    }
    assertTogether(route, given)
    const warnings: Warning[] = []
    const parameters: Record<string, unknown> = {}
    for (const [name, parameter] of known) parameters[name] = parameter.read(given.get(name), name, warnings)
    return { parameters, warnings }
  }
}

function assertTogether({ excludes = {} }: Route, given: ReadonlyMap<string, unknown>): void {
  for (const [name, others] of Object.entries(excludes)) {
    const other = given.has(name) ? others?.find(each => given.has(each)) : undefined
    if (other !== undefined) throw invalidRequest(`${other} cannot be used together with ${name}.`, other)
  }
}

function unknown(name: string, { parameters }: Route, isOwner: boolean): CodedError {
  const names = Object.entries(parameters)
    .filter(([, { ownerOnly }]) => isOwner || !ownerOnly)
    .map(([each, { takes }]) => (takes === 'fields' ? `${each}[field]` : each))
    .join(', ')
  const hint = names === '' ? 'None are allowed here.' : `Allowed: ${names}.`
  return invalidRequest(`Unknown parameter ${name}. ${hint}`, name)
}
