import { METRICS } from '../model/reading/aggregate.ts'
import { GRANULARITIES } from '../model/reading/time-buckets.ts'
import { WARNINGS } from './list.ts'
import { conditions, limit, oneOf, text, withDefault } from './parameter.ts'
import { readRoute } from './route.ts'
import { ANY, COUNT, choice, constant, listOf, object, orNull, TEXT } from './schema.ts'

export const aggregate = readRoute('GET', '/v1/streams/:stream/aggregate', {
  summary: 'Exact figures over the readable records of a stream',
  parameters: {
    metric: withDefault(oneOf(METRICS), 'count'),
    field: text(),
    group_by: text(),
    group_by_time: text(),
    granularity: oneOf(GRANULARITIES),
    time_zone: text(),
    limit: limit(10, 100),
    filter: conditions(),
    connection_id: text(),
  },
  reply: object(
    {
      object: constant('aggregation'),
      stream: TEXT,
      metric: choice(METRICS),
      field: orNull(TEXT),
      group_by: orNull(TEXT),
      group_by_time: orNull(TEXT),
      granularity: orNull(choice(GRANULARITIES)),
      time_zone: orNull(TEXT),
      filtered_record_count: COUNT,
    },
    {
      value: ANY,
      limit: COUNT,
      groups: listOf(object({ key: ANY }, { count: COUNT, value: ANY })),
      other_count: COUNT,
      meta: object({ warnings: WARNINGS }),
    },
  ),
})
