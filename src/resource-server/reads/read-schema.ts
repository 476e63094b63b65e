import * as api from '../../api/streams.ts'
import { grantsField, type Source } from '../../model/access/enforce.ts'
import {
  fieldNames,
  propertyOf,
  rangeOperators,
  rolesOf,
  type StreamDeclaration,
  typesOf,
} from '../../model/declaration/declaration.ts'
import { instantText } from '../../model/time.ts'
import { TimeZone } from '../../model/time-zone.ts'
import { type OutdatedIndex, outdatedIndexes } from '../../store/ingest/reindex.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { json } from '../request/responses.ts'
import { projectedStream } from './read-streams.ts'

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
