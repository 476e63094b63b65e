import * as api from '../../api/streams.ts'
import { grantsField, type Source } from '../../model/access/enforce.ts'
import { conversationFields, conversationOf } from '../../model/declaration/conversation.ts'
import {
  fieldNames,
  isMadeFromData,
  propertyOf,
  rangeOperators,
  rolesOf,
  type StreamDeclaration,
  typesOf,
} from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { instantKey, instantText, TimeZone } from '../../model/time.ts'
import { type OutdatedIndex, outdatedIndexes } from '../../store/ingest/reindex.ts'
import { lastRuns } from '../../store/records/imports.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { json } from '../request/responses.ts'

export const listStreams = serve(api.listStreams, async context => {
  const sources = context.sources(undefined, undefined)
  for (const source of sources) context.decideBy(source, [])
  const byName = Map.groupBy(sources, source => source.stream.name)
  const streams = [...byName].map(([name, group]) => listed(context, name, group))
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
async function listed(context: RequestContext, name: string, sources: Source[]) {
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

/** What can be read: streams and their fields, as far as they are granted. */
export const readSchema = serve(api.readSchema, async context => {
  const { view, stream, connection_id } = context.parameters
  const sources = context.sources(stream, connection_id)
  const groups = Map.groupBy(sources, source =>
    JSON.stringify([source.connector_key, describe(source, view)]),
  )
  const outdated = context.isOwner ? await outdatedOf(context) : []
  const streams = [...groups.values()].flatMap(group => {
    const [first] = group
    if (!first) return []
    const connections = group.map(({ connection_id, connector_key, display_name }) => {
      const index = outdated.find(
        each => each.connection_id === connection_id && each.stream === first.stream.name,
      )
      const rebuild = index && { index_rebuild: { done: index.done, all: index.all } }
      return { connection_id, connector_key, display_name, ...rebuild }
    })
    return [{ ...describe(first, view), connections }]
  })
  const zone = context.env.timeZone ?? new TimeZone('UTC')
  const today = zone.dayOf(context.now.getTime())
  return json({ object: 'schema', view, time_zone: zone.name, today, streams })
})

/** How far search indexes are rebuilt. The numbers count every record, so only the owner gets them. */
function outdatedOf({ store, owner_id, catalog }: RequestContext): Promise<OutdatedIndex[]> {
  return outdatedIndexes(store.database, owner_id, catalog.connections)
}

function describe(source: Source, view: 'compact' | 'full') {
  const { stream } = source
  const fields = fieldNames(stream).filter(field => grantsField(source, field))
  const granted = (field: string | undefined) =>
    field !== undefined && fields.includes(field) ? field : null
  const heading = {
    stream: stream.name,
    label: stream.display?.label ?? stream.name,
    detail: stream.display?.detail ?? null,
    primary_key: stream.primary_key.filter(field => fields.includes(field)),
    cursor_field: granted(stream.cursor_field),
    consent_time_field: granted(stream.consent_time_field),
    bounds: boundsOf(source),
  }
  if (view === 'compact')
    return { ...heading, fields: Object.fromEntries(fields.map(field => [field, flagsOf(stream, field)])) }
  const { semantics, schema, views, query } = projectedStream(stream, fields)
  return { ...heading, semantics, schema, views: views ?? [], query: query ?? {} }
}

/** The limits of the caller's own grants on this stream. */
function boundsOf({ clauses }: Source) {
  return clauses
    .filter(clause => clause.since !== null || clause.until !== null || clause.record_ids !== null)
    .map(clause => ({
      since: clause.since && instantText(clause.since.slice(1)),
      until: clause.until && instantText(clause.until.slice(1)),
      records: clause.record_ids?.size ?? null,
    }))
}

/** A field in one short line: type, format, media type, role, eq, range operators, searchable, aggregations. */
function flagsOf(stream: StreamDeclaration, field: string): string {
  const property = propertyOf(stream, field)
  const types = typesOf(property)
  const flags = [`t=${types.join('|') || 'any'}`]
  if (property?.format) flags.push(`f=${property.format}`)
  const mediaType = property?.contentMediaType
  if (mediaType !== undefined && !/\s/.test(mediaType)) flags.push(`m=${mediaType}`)
  flags.push(...rolesOf(property))
  if (!types.includes('object') && !types.includes('array')) flags.push('eq')
  const ranges = rangeOperators(stream, field)
  if (ranges.length > 0) flags.push(`r=${ranges.join(',')}`)
  if (stream.query?.search?.lexical_fields?.includes(field)) flags.push('lex')
  const aggregations = Object.entries(stream.query?.aggregations ?? {}).flatMap(([kind, names]) =>
    Array.isArray(names) && names.includes(field) ? [kind] : [],
  )
  if (aggregations.length > 0) flags.push(`a=${aggregations.join(',')}`)
  return flags.join(' ')
}
