import * as api from '../../api/aggregate.ts'
import type { ParametersOf } from '../../api/route.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'
import { type JsonObject, parseJson } from '../../model/json.ts'
import { type AggregateQuery, assertAggregatable } from '../../model/reading/aggregate.ts'
import { assertField, decidingFields } from '../../model/reading/filter.ts'
import { GRANULARITIES, TimeBuckets } from '../../model/reading/time-buckets.ts'
import { json } from '../request/responses.ts'
import { serve } from '../request/serve.ts'
import { roleRequests, select } from './selection.ts'

export const aggregate = serve(api.aggregate, async context => {
  const { parameters, path } = context
  const sources = context.sources(path.stream, parameters)
  if (sources.every(({ stream }) => stream.query?.aggregations === undefined))
    throw new CodedError('not_found', `Stream ${path.stream} declares no aggregations.`, { param: 'stream' })
  const query = checkedQuery(parameters)
  const fields = [query.field, query.group_by, query.group_by_time].filter(field => field !== null)
  for (const field of fields) assertField(field, sources, context.isOwner, paramOf(query, field))
  const conditions = [...parameters.where, ...parameters.filter]
  const selection = select(context, sources, conditions, roleRequests(parameters), parameters)
  for (const { source } of selection.parts) assertAggregatable(query, source)
  for (const { source, conditions } of selection.parts)
    context.decideBy(source, [...fields, ...decidingFields(conditions)])
  const result = await context.scan('aggregateRecords', { selection, query })
  context.disclose(
    sources.map(source => ({
      connection_id: source.connection_id,
      stream: source.stream.name,
      record_ids: [],
      fields,
    })),
  )
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
    ...(parseJson(result) as JsonObject & { filtered_record_count: number }),
  })
})

function paramOf(query: AggregateQuery, field: string): string {
  return query.field === field ? 'field' : query.group_by === field ? 'group_by' : 'group_by_time'
}

function checkedQuery(asked: ParametersOf<typeof api.aggregate>): AggregateQuery {
  const {
    metric,
    field = null,
    group_by = null,
    group_by_time = null,
    granularity = null,
    limit = 10,
  } = asked
  const { time_zone = 'UTC' } = asked
  if (metric !== 'count' && field === null) throw invalidRequest(`metric ${metric} needs field.`, 'field')
  if (metric === 'count' && field !== null) throw invalidRequest('metric count takes no field.', 'field')
  if (group_by !== null && group_by_time !== null) {
    throw invalidRequest('group_by and group_by_time exclude each other.', 'group_by_time')
  }
  if (group_by === null && group_by_time === null && asked.limit !== undefined)
    throw invalidRequest('limit needs group_by or group_by_time.', 'limit')
  if (group_by_time === null && granularity !== null)
    throw invalidRequest('granularity needs group_by_time.', 'granularity')
  if (group_by_time === null && asked.time_zone !== undefined)
    throw invalidRequest('time_zone needs group_by_time.', 'time_zone')
  if (group_by_time !== null && granularity === null) {
    throw invalidRequest(`group_by_time needs granularity: ${GRANULARITIES.join(', ')}.`, 'granularity')
  }
  if (granularity) new TimeBuckets(granularity, time_zone)
  return { metric, field, group_by, group_by_time, granularity, time_zone, limit }
}
