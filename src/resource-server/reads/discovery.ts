import * as api from '../../api/discovery.ts'
import { PAGE_LIMITS } from '../../api/list.ts'
import type { ReplyOf } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import { originAsked } from '../../model/loopback.ts'
import type { PartState } from '../../store/threads/worker.ts'
import { type Environment, servePublic } from '../request/context.ts'
import { json, list, type Reply } from '../request/responses.ts'

/** What this resource server offers beyond the protocol; adapters check once and do without what is missing. */
const OWN_CAPABILITIES = [
  'field_window',
  'field_window_cursors',
  'field_window_digests',
  'field_window_json',
  'max_field_chars',
  'search',
  'search_windows',
  'search_view',
  'search_cursors',
  'search_varied',
  'search_places',
  'search_record',
  'search_times',
  'search_sort',
  'connection_id',
  'where',
  'operators',
  'records_by_time',
  'conversation',
  'fields_escaped',
  'aggregate_query',
  'aggregate_split',
  'aggregate_order',
]

/** Per extension of the protocol: search as its profile describes it, and this server's own extensions. */
const CAPABILITIES = {
  lexical_retrieval: {
    supported: true,
    endpoint: search.path,
    cross_stream: true,
    snippets: true,
    default_limit: PAGE_LIMITS.usual,
    max_limit: PAGE_LIMITS.most,
  },
  source_declarations: { endpoint: api.shippedDeclarations.path },
  footnote: OWN_CAPABILITIES,
}

const READABLE_BY_PAGES = { 'Access-Control-Allow-Origin': '*' }

/** From these, a client that has never asked learns the ids, streams and fields that a request can name. */
export const shippedDeclarations = servePublic(api.shippedDeclarations, ({ sources = [] }, request) => {
  const reply = list<object, object>(request, [...sources], {}, { warnings: [] })
  return { ...reply, headers: { ...reply.headers, ...READABLE_BY_PAGES } }
})

export const protectedResource = servePublic(api.protectedResource, describeAt(''))
export const protectedMcp = servePublic(api.protectedMcp, describeAt(api.MCP_PATH))
export const protectedResearch = servePublic(api.protectedResearch, describeAt(api.RESEARCH_PATH))

/** The resource is named by the requested URL, because clients compare it with the address that they were given. */
function describeAt(path: string) {
  return (env: Environment, request: Request) =>
    json(
      {
        resource: originAsked(env.publicUrl, request) + path,
        authorization_servers: [env.publicUrl],
        scopes_supported: [api.READ_SCOPE],
        bearer_methods_supported: ['header'],
        resource_name: 'Footnote',
        pdpp_core_query_base: `${env.publicUrl}/v1`,
        pdpp_token_kinds_supported: ['owner', 'client'],
        pdpp_self_export_supported: true,
        capabilities: CAPABILITIES,
      },
      200,
      READABLE_BY_PAGES,
    )
}

/** Whether the process is alive: checks each part that it cannot work without. */
export const health = servePublic(api.health, async ({ store }) => reported((await store.health()).parts))

/** Whether it is ready to serve: all of the above, and the tables match this version. */
export const readiness = servePublic(api.readiness, async ({ store }) => {
  const [{ parts }, migrations] = await Promise.all([store.health(), store.migrations()])
  return reported({ ...parts, migrations })
})

function reported(parts: Record<string, PartState>): Reply<ReplyOf<typeof api.health>> {
  const ok = !Object.values(parts).includes('down')
  return json({ status: ok ? 'ok' : 'unavailable', parts }, ok ? 200 : 503)
}
