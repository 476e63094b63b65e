import { type JsonObject, parseJson } from '../../model/json.ts'
import { type AggregateQuery, assertAggregatable, METRICS } from '../../model/reading/aggregate.ts'
import { assertField } from '../../model/reading/filter.ts'
import { GRANULARITIES, TimeBuckets } from '../../model/reading/time-buckets.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { json, type Reply } from '../request/responses.ts'
import { select } from './list-records.ts'

export async function aggregate(context: RequestContext): Promise<Reply> {
  const sources = context.sources()
  const { query, warnings } = parseQuery(context)
  const fields = [query.field, query.group_by, query.group_by_time].filter(field => field !== null)
  for (const field of fields) assertField(field, sources, context.isOwner, paramOf(query, field))
  const selection = select(context, sources)
  for (const { source } of selection.parts) assertAggregatable(query, source)
  const result = await context.store.scanner.call('aggregateRecords', { selection, query })
  context.disclose(
    sources.map(source => ({
      connection_id: source.connection_id,
      stream: source.stream.name,
      record_ids: [],
      fields: [...new Set([...fields, ...context.parameters.conditions.map(condition => condition.field)])],
    })),
  )
  const { metric, field, group_by, group_by_time, granularity, time_zone, limit } = query
  const grouped = group_by !== null || group_by_time !== null
  return json({
    object: 'aggregation',
    stream: context.path.stream,
    metric,
    field,
    group_by,
    group_by_time,
    granularity,
    time_zone: group_by_time === null ? null : time_zone,
    ...(grouped ? { limit } : {}),
    ...(parseJson(result) as JsonObject),
    ...(warnings.length > 0 ? { meta: { warnings } } : {}),
  })
}

function paramOf(query: AggregateQuery, field: string): string {
  return query.field === field ? 'field' : query.group_by === field ? 'group_by' : 'group_by_time'
}

function parseQuery({ parameters }: RequestContext) {
  const metric = parameters.oneOf('metric', METRICS) ?? 'count'
  const field = parameters.text('field') ?? null
  const group_by = parameters.text('group_by') ?? null
  const group_by_time = parameters.text('group_by_time') ?? null
  const granularity = parameters.oneOf('granularity', GRANULARITIES) ?? null
  const time_zone = parameters.text('time_zone') ?? 'UTC'
  const { limit, warnings } = parameters.limit(10, 100)
  if (metric !== 'count' && field === null) throw invalid(`metric ${metric} needs field.`, 'field')
  if (metric === 'count' && field !== null) throw invalid('metric count takes no field.', 'field')
  if (group_by !== null && group_by_time !== null) {
    throw invalid('group_by and group_by_time exclude each other.', 'group_by_time')
  }
  if (group_by_time === null && granularity !== null)
    throw invalid('granularity needs group_by_time.', 'granularity')
  if (group_by_time === null && parameters.text('time_zone') !== undefined) {
    throw invalid('time_zone needs group_by_time.', 'time_zone')
  }
  if (group_by_time !== null && granularity === null) {
    throw invalid(`group_by_time needs granularity: ${GRANULARITIES.join(', ')}.`, 'granularity')
  }
  if (granularity) new TimeBuckets(granularity, time_zone)
  const query: AggregateQuery = { metric, field, group_by, group_by_time, granularity, time_zone, limit }
  return { query, warnings }
}
