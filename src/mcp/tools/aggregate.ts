import { aggregate as route } from '../../api/aggregate.ts'
import type { JsonObject } from '../../model/json.ts'
import { pageLimit, text } from '../arguments.ts'
import { assertFilters, conditionsOf } from '../reading/filter.ts'
import { narrowingOf } from '../reading/narrowing.ts'
import { previewOf, smallMembers } from '../reading/preview.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { aggregateText } from '../rendering/aggregate-text.ts'
import { MOST_STRUCTURED_BYTES } from '../rendering/fitting-page.ts'
import { bytesOf, mostThatFit } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'
import { CONNECTION_ID, DATA, FILTER, NARROWING, TEXT } from './schemas.ts'

const NAMES = ['metric', 'field', 'group_by', 'group_by_time', 'granularity', 'time_zone'] as const

export const aggregate: Tool = {
  name: 'aggregate',
  title: 'Count and sum',
  description:
    'Count e-mails, messages or other records of one stream exactly: how many, how often, per person (group_by) or per month (group_by_time with granularity). Also sum, min, max, count_distinct. schema says which fields allow what.',
  hint: 'how many, how often, per person or month',
  input: {
    type: 'object',
    properties: {
      stream: TEXT,
      metric: route.parameters.metric.schema,
      field: TEXT,
      group_by: TEXT,
      group_by_time: TEXT,
      granularity: route.parameters.granularity.schema,
      ...NARROWING,
      limit: { type: 'integer', minimum: 1, default: 10, description: 'at most 100' },
      filter: FILTER,
      connection_id: CONNECTION_ID,
    },
    required: ['stream'],
    additionalProperties: false,
  },
  output: { type: 'object', properties: { data: DATA }, required: ['data'] },
  run: aggregateStream,
}

async function aggregateStream(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const named = Object.fromEntries(NAMES.map(name => [name, text(args, name)]))
  const stream = text(args, 'stream') ?? ''
  const where = conditionsOf(args)
  if (where.length > 0) assertFilters(where, await capabilitiesOf(client))
  const { narrowing, notes } = await narrowingOf(args, client)
  const data = await client.get(
    route,
    { stream },
    {
      ...named,
      // Only buckets have a zone of their own; bounds are instants already.
      time_zone: named.group_by_time === undefined && notes.length > 0 ? undefined : named.time_zone,
      ...narrowing,
      metric: named.metric ?? 'count',
      // PDPP allows a limit only where there are groups.
      limit: named.group_by || named.group_by_time ? pageLimit(args, 10, 100).limit : undefined,
      connection_id: text(args, 'connection_id'),
      where,
    },
  )
  const shown = [aggregateText(data), ...notes].join('\n')
  return { text: shown, structured: { data: carried(data) } }
}

const MOST_KEY_CHARS = 200
const MOST_MEMBER_BYTES = 1_000

/** The server's answer, complete if it is small enough for hosts; otherwise long keys are cut. */
function carried(data: JsonObject): JsonObject {
  if (bytesOf(JSON.stringify(data)) <= MOST_STRUCTURED_BYTES) return data
  const { groups, ...rest } = previewOf(data, undefined, MOST_KEY_CHARS).data
  const all = Array.isArray(groups) ? groups : []
  const build = (shown: number): JsonObject => ({
    ...smallMembers(rest, MOST_MEMBER_BYTES),
    keys_cut: true,
    ...(shown < all.length ? { more_groups: all.length - shown } : {}),
    groups: all.slice(0, shown),
  })
  return build(mostThatFit(all.length, shown => JSON.stringify(build(shown)), MOST_STRUCTURED_BYTES))
}
