import * as api from '../../api/aggregate.ts'
import type { ParametersOf } from '../../api/route.ts'
import { grantsField, type Source } from '../../model/access/enforce.ts'
import { isMadeFromData, propertyOf, searchedFields } from '../../model/declaration/declaration.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'
import { type JsonObject, parseJson } from '../../model/json.ts'
import {
  type AggregateQuery,
  assertAggregatable,
  GRANULARITIES,
  TimeBuckets,
} from '../../model/reading/aggregate.ts'
import { assertField, compareKeys, decidingFields } from '../../model/reading/filter.ts'
import { leftOutOf } from '../../model/reading/role-condition.ts'
import { parseSearchQuery, type SearchQuery } from '../../model/search/search-query.ts'
import type { Selection } from '../../store/records/scan.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { json } from '../request/responses.ts'
import {
  narrowingOf,
  noteCorrections,
  noteLeftOut,
  noteRebuilding,
  openTexts,
  select,
  spellingSources,
} from './selection.ts'

type Context = RequestContext<typeof api.aggregate>

export const aggregate = serve(api.aggregate, async context => {
  const { parameters, path } = context
  const sources = context.sources(path.stream, parameters)
  if (sources.every(({ stream }) => stream.query?.aggregations === undefined))
    throw new CodedError('not_found', `Stream ${path.stream} declares no aggregations.`, { param: 'stream' })
  const query = checkedQuery(parameters)
  const words = wordsOf(parameters)
  const named = FIELD_NAMES.flatMap(param => (query[param] === null ? [] : [{ param, field: query[param] }]))
  assertNotPeriod(query.group_by, sources)
  for (const { field, param } of named) assertField(field, sources, context.isOwner, param)
  const fields = [...new Set(named.map(({ field }) => field))]
  const conditions = [...parameters.where, ...parameters.filter]
  const narrowing = narrowingOf(context, words?.operators)
  const chosen = select(context, sources, conditions, narrowing)
  const isSearch = words !== null && words.clues.length > 0
  const selection = isSearch ? searchable(context, sources, chosen) : chosen
  for (const { source } of selection.parts) assertAggregatable(query, source)
  for (const { source, conditions } of selection.parts)
    context.decideBy(source, [
      ...fields,
      ...decidingFields(conditions),
      ...(isSearch ? openTexts(source) : []),
    ])
  if (isSearch) await noteRebuilding(context, selection)
  const { result, corrections } = isSearch
    ? await context.scan('aggregateMatches', {
        selection,
        query,
        words,
        // A word is misspelt or not for all streams alike: their counts are added up.
        readable: spellingSources(context, context.sources(undefined, parameters), words),
        bounds: narrowing.bounds,
      })
    : { result: await context.scan('aggregateRecords', { selection, query }), corrections: [] }
  noteCorrections(context, corrections)
  context.disclose(
    sources.map(source => ({
      connection_id: source.connection_id,
      stream: source.stream.name,
      record_ids: [],
      fields,
    })),
  )
  const { counts, ...figures } = parseJson(result) as JsonObject & {
    filtered_record_count: number
    counts: Record<string, number>
  }
  const { metric, field, group_by, group_by_time, granularity, time_zone, limit } = query
  const grouped = group_by !== null || group_by_time !== null
  return json({
    object: 'aggregation',
    stream: path.stream,
    metric,
    field,
    group_by,
    group_by_time,
    granularity,
    time_zone: group_by_time === null ? null : time_zone,
    approximate: false,
    ...(grouped ? { limit } : {}),
    ...(query.split_by === null ? {} : { split_by: query.split_by, split_limit: query.split_limit }),
    ...figures,
    connections: summed(selection, counts),
    ...(context.warnings.length > 0 ? { meta: { warnings: context.warnings } } : {}),
  })
})

/** What the figures cover, the most records first. */
function summed({ parts }: Selection, counts: Readonly<Record<string, number>>) {
  const connections = parts.map(({ source: { connection_id, display_name } }) => ({
    connection_id,
    display_name,
    record_count: counts[connection_id] ?? 0,
  }))
  return connections.sort(
    (a, b) =>
      b.record_count - a.record_count ||
      compareKeys(a.display_name, b.display_name) ||
      compareKeys(a.connection_id, b.connection_id),
  )
}

const FIELD_NAMES = ['field', 'group_by', 'group_by_time', 'split_by'] as const

/**
 * Refuses `group_by=month` and says what to use instead. If field names are personal data, a period could be one of
 * them.
 */
function assertNotPeriod(group_by: string | null, sources: readonly Source[]): void {
  const granularity = GRANULARITIES.find(each => each === group_by)
  const isField = (source: Source) =>
    isMadeFromData(source.source_id) || propertyOf(source.stream, group_by ?? '')
  if (!granularity || sources.some(isField)) return
  const times = sources.flatMap(source =>
    (source.stream.query?.aggregations?.group_by_time ?? []).filter(field => grantsField(source, field)),
  )
  const message = `A ${granularity} is not a field. Use group_by_time=${times[0] ?? 'FIELD'} with granularity=${granularity}.`
  throw invalidRequest(message, 'group_by', 'unknown_field')
}

/** The words and operators of a request; null when it has none. */
function wordsOf({ q }: ParametersOf<typeof api.aggregate>): SearchQuery | null {
  if (q === undefined) return null
  const words = parseSearchQuery(q)
  if (words.clues.length > 0) return words
  if (words.operators.length === 0 || words.excluded.length > 0)
    throw invalidRequest('q contains no word to search for. Give at least one.', 'q')
  return words
}

/**
 * Only sources that have searchable text. If field names are personal data, having none looks the same as hidden text.
 */
function searchable(context: Context, sources: readonly Source[], { owner_id, parts }: Selection): Selection {
  if (sources.every(source => openTexts(source).length === 0)) {
    const isKnown = sources.every(
      ({ stream, source_id }) => searchedFields(stream).length === 0 && !isMadeFromData(source_id),
    )
    if (!context.isOwner && !isKnown)
      throw new CodedError('field_not_granted', 'The grant opens no text that the query could search.', {
        param: 'q',
      })
    throw invalidRequest(`Stream ${context.path.stream} declares no searchable text.`, 'q')
  }
  const able = parts.filter(({ source }) => openTexts(source).length > 0)
  for (const left of leftOutOf('q', parts, able)) noteLeftOut(context, left)
  return { owner_id, parts: able }
}

function checkedQuery(asked: ParametersOf<typeof api.aggregate>): AggregateQuery {
  const { metric, field = null, group_by = null, group_by_time = null, granularity = null } = asked
  const { time_zone = 'UTC', limit = 10, order = 'asc', split_by = null, split_limit = 5 } = asked
  const refuse = (message: string, param: string) => {
    throw invalidRequest(message, param)
  }
  if (metric !== 'count' && field === null) refuse(`metric ${metric} needs field.`, 'field')
  if (metric === 'count' && field !== null) refuse('metric count does not use field.', 'field')
  if (group_by !== null && group_by_time !== null)
    refuse('group_by and group_by_time cannot be combined.', 'group_by_time')
  if (group_by === null && group_by_time === null) {
    if (asked.limit !== undefined) refuse('limit needs group_by or group_by_time.', 'limit')
    if (split_by !== null) refuse('split_by needs group_by or group_by_time.', 'split_by')
  }
  if (split_by !== null && split_by === group_by)
    refuse('split_by and group_by must be different fields.', 'split_by')
  if (split_by === null && asked.split_limit !== undefined)
    refuse('split_limit needs split_by.', 'split_limit')
  if (group_by_time === null) {
    if (granularity !== null) refuse('granularity needs group_by_time.', 'granularity')
    if (asked.order !== undefined) refuse('order needs group_by_time.', 'order')
    // The days that a query or a bound names also begin in a time zone.
    const namesDays = [asked.q, asked.since, asked.until].some(value => value !== undefined)
    if (asked.time_zone !== undefined && !namesDays)
      refuse('time_zone needs group_by_time, q, since or until.', 'time_zone')
  } else if (granularity === null)
    refuse(`group_by_time needs granularity: ${GRANULARITIES.join(', ')}.`, 'granularity')
  if (granularity) new TimeBuckets(granularity, time_zone)
  return {
    metric,
    field,
    group_by,
    group_by_time,
    granularity,
    time_zone,
    limit,
    order,
    split_by,
    split_limit,
  }
}
