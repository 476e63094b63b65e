import { GRANULARITIES } from '../model/reading/aggregate.ts'
import { METRICS } from '../model/reading/metric-fold.ts'
import { MAX_SEARCH_CHARS } from '../model/search/search-query.ts'
import { NARROWING, SOURCES, WARNINGS } from './list.ts'
import * as p from './parameter.ts'
import { ORDERS } from './records.ts'
import { readRoute } from './route.ts'
import * as s from './schema.ts'

const FIGURE = { count: s.COUNT, value: s.ANY }
const SPLITS = s.listOf(s.object({ key: s.ANY }, FIGURE))

export const aggregate = readRoute('GET', '/v1/streams/:stream/aggregate', {
  summary: 'Exact figures over the readable records of a stream',
  parameters: {
    metric: p.withDefault(p.oneOf(METRICS), 'count'),
    field: p.text(),
    group_by: p.text(),
    group_by_time: p.text(),
    granularity: p.oneOf(GRANULARITIES),
    time_zone: p.text(),
    order: p.oneOf(ORDERS),
    limit: p.integer({ min: 1, max: 100 }),
    split_by: p.text(),
    split_limit: p.integer({ min: 1, max: 20 }),
    q: p.text({ min: 1, max: MAX_SEARCH_CHARS }),
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
      connections: s.listOf(
        s.object({ ...s.each(s.TEXT, 'connection_id', 'display_name'), record_count: s.COUNT }),
      ),
    },
    {
      value: s.ANY,
      ...s.each(s.COUNT, 'limit', 'split_limit', 'other_count', 'other_groups'),
      split_by: s.TEXT,
      groups: s.listOf(s.object({ key: s.ANY }, { ...FIGURE, splits: SPLITS, other_count: s.COUNT })),
      meta: s.object({ warnings: WARNINGS }),
    },
  ),
})
