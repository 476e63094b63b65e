import * as api from '../../api/discovery.ts'
import { READ_SCOPE } from '../../api/discovery.ts'
import { PAGE_LIMITS } from '../../api/list.ts'
import { search } from '../../api/search.ts'
import { originAsked } from '../../model/loopback.ts'
import type { Environment } from '../request/context.ts'
import { json, list } from '../request/responses.ts'
import { servePublic } from '../request/serve.ts'

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
        scopes_supported: [READ_SCOPE],
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
