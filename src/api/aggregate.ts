import { METRICS } from '../model/reading/aggregate.ts'
import { GRANULARITIES } from '../model/reading/time-buckets.ts'
import { NARROWING, SOURCES } from './list.ts'
import * as p from './parameter.ts'
import { readRoute } from './route.ts'
import * as s from './schema.ts'

export const aggregate = readRoute('GET', '/v1/streams/:stream/aggregate', {
  summary: 'Exact figures over the readable records of a stream',
  parameters: {
    metric: p.withDefault(p.oneOf(METRICS), 'count'),
    field: p.text(),
    group_by: p.text(),
    group_by_time: p.text(),
    granularity: p.oneOf(GRANULARITIES),
    time_zone: p.text(),
    limit: p.integer({ min: 1, max: 100 }),
    where: p.where(),
    filter: p.ownerFilter(),
    ...NARROWING,
    ...SOURCES,
  },
  reply: s.object(
    {
      object: s.constant('aggregation'),
      stream: s.TEXT,
      metric: s.choice(METRICS),
      ...s.each(s.orNull(s.TEXT), 'field', 'group_by', 'group_by_time', 'time_zone'),
      granularity: s.orNull(s.choice(GRANULARITIES)),
      approximate: s.constant(false),
      filtered_record_count: s.COUNT,
    },
    {
      value: s.ANY,
      ...s.each(s.COUNT, 'limit', 'other_count'),
      groups: s.listOf(s.object({ key: s.ANY }, { count: s.COUNT, value: s.ANY })),
    },
  ),
})
