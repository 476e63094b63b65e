import * as api from '../../api/streams.ts'
import { grantsField, type Source } from '../../model/access/enforce.ts'
import { conversationFields, conversationOf } from '../../model/declaration/conversation.ts'
import { fieldNames, isMadeFromData, type StreamDeclaration } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { instantKey, instantText } from '../../model/time.ts'
import { lastRuns } from '../../store/records/imports.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { json } from '../request/responses.ts'

export const listStreams = serve(api.listStreams, async context => {
  const sources = context.sources(undefined, undefined)
  for (const source of sources) context.decideBy(source, [])
  const byName = Map.groupBy(sources, source => source.stream.name)
  const streams = [...byName].map(([name, group]) => describe(context, name, group))
  return context.list(await Promise.all(streams))
})

/** The declaration that the grant was made from. The grant decides whether it may be read, but not its content. */
export const readStream = serve(api.readStream, async context => {
  const sources = context.sources(context.path.stream, context.parameters.connection_id)
  const [source] = sources
  if (!source) throw new CodedError('not_found', 'There is no such stream.', { param: 'stream' })
  const stream = shownDeclaration(source, context.isOwner)
  return json({
    object: 'stream_metadata',
    name: stream.name,
    source: source.declared.source,
    declaration_version: source.declared.declaration_version,
    display: stream.display ?? {},
    semantics: stream.semantics,
    schema: stream.schema,
    primary_key: stream.primary_key,
    cursor_field: stream.cursor_field ?? null,
    consent_time_field: stream.consent_time_field ?? null,
    selection: stream.selection,
    query: stream.query ?? {},
    views: stream.views ?? [],
    relationships: stream.relationships ?? [],
    freshness: await freshnessOf(context, sources),
  })
})

/** Declarations are public, except for those made from the owner's files: their names are personal data. */
function shownDeclaration(source: Source, isOwner: boolean): StreamDeclaration {
  if (isOwner || !isMadeFromData(source.source_id)) return source.stream
  const granted = fieldNames(source.stream).filter(field => grantsField(source, field))
  return projectedStream(source.stream, granted)
}

/** Counts and dates of only what the grant allows to be seen. */
async function describe(context: RequestContext, name: string, sources: Source[]) {
  const { owner_id } = context
  const connections = await Promise.all(
    sources.map(async source => ({
      connection_id: source.connection_id,
      connector_key: source.connector_key,
      display_name: source.display_name,
      record_count: await context.scan('countRecords', { owner_id, parts: [{ source, conditions: [] }] }),
      last_updated: await context.scan('lastUpdated', { owner_id, source }),
    })),
  )
  const dates = connections.flatMap(({ last_updated }) => instantKey(last_updated ?? '') ?? [])
  const latest = dates.sort().at(-1)
  return {
    object: 'stream',
    name,
    label: sources[0]?.stream.display?.label ?? name,
    detail: sources[0]?.stream.display?.detail ?? null,
    record_count: connections.reduce((sum, { record_count }) => sum + record_count, 0),
    last_updated: latest === undefined ? null : instantText(latest),
    freshness: await freshnessOf(context, sources),
    connections,
  } as const
}

/** Sources are imported from files, so it is unknown whether they have changed since. */
async function freshnessOf({ store, owner_id }: RequestContext, sources: readonly Source[]) {
  const ids = sources.map(({ connection_id }) => connection_id)
  return { ...(await lastRuns(store.database, owner_id, ids)), status: 'unknown' } as const
}

/** A stream's declaration, as if it had only these fields. */
export function projectedStream(stream: StreamDeclaration, fields: readonly string[]): StreamDeclaration {
  const only = (names: readonly string[] | undefined) => (names ?? []).filter(name => fields.includes(name))
  const named = <T>(object: Readonly<Record<string, T>> | undefined) =>
    Object.fromEntries(Object.entries(object ?? {}).filter(([name]) => fields.includes(name)))
  const { query = {}, schema, cursor_field, consent_time_field, ...rest } = stream
  const aggregations = Object.entries(query.aggregations ?? {}).map(([kind, names]) => [
    kind,
    Array.isArray(names) ? only(names) : names,
  ])
  const conversation = conversationOf(stream)
  const isConversation =
    conversation !== undefined && conversationFields(conversation).every(field => fields.includes(field))
  const own = schema.x_pdpp_own
  const isOwn = own !== undefined && Object.keys(own).every(field => fields.includes(field))
  const granted = (field: string | undefined) => field !== undefined && fields.includes(field)
  return {
    ...rest,
    schema: {
      type: 'object',
      required: only(schema.required),
      properties: named(schema.properties),
      ...(isConversation ? { x_pdpp_conversation: conversation } : {}),
      ...(isOwn ? { x_pdpp_own: own } : {}),
    } as StreamDeclaration['schema'],
    primary_key: only(stream.primary_key),
    ...(granted(cursor_field) ? { cursor_field: cursor_field as string } : {}),
    ...(granted(consent_time_field) ? { consent_time_field: consent_time_field as string } : {}),
    views: (stream.views ?? []).filter(view => view.fields.every(field => fields.includes(field))),
    query: {
      search: { lexical_fields: only(query.search?.lexical_fields) },
      range_filters: named(query.range_filters),
      aggregations: Object.fromEntries(aggregations),
    },
  }
}
