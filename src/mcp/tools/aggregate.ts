import { aggregate as route } from '../../api/aggregate.ts'
import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Condition } from '../../model/reading/filter.ts'
import { type Flags, flagsOf, type Grouping, groupingOf } from '../../model/reading/grouping.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { pageLimit, text } from '../arguments.ts'
import { declaredStreams } from '../reading/declared-streams.ts'
import { assertFilters, conditionsOf } from '../reading/filter.ts'
import { narrowingOf, type Understood, understoodOf } from '../reading/narrowing.ts'
import { matchText, type Sought, whyNothing } from '../reading/nothing-found.ts'
import { withOperators, withoutTimes } from '../reading/operators.ts'
import { previewOf, smallMembers } from '../reading/preview.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { aggregateText } from '../rendering/aggregate-text.ts'
import { MOST_STRUCTURED_BYTES } from '../rendering/fitting-page.ts'
import { nothingContent, nothingLines } from '../rendering/nothing-text.ts'
import { answer, each, exactly, FILTER, listOf, NARROWING, REMARKS, TEXT } from '../schemas.ts'
import { bytesOf, mostThatFit } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

/** What a resource server must announce to support arguments that PDPP does not have. */
const ANNOUNCED = { query: 'aggregate_query', split_by: 'aggregate_split' } as const

export const aggregate: Tool = {
  name: 'aggregate',
  title: 'Count and sum',
  description:
    'Count e-mails, messages or notes: how many, how often mentioned (query), per person (group_by: from), per month (granularity), both. Also sum, min, max (see schema).',
  hint: 'how many, how often, per month',
  input: {
    type: 'object',
    properties: {
      stream: TEXT,
      query: TEXT,
      metric: route.parameters.metric.schema,
      field: TEXT,
      group_by: TEXT,
      group_by_time: TEXT,
      granularity: route.parameters.granularity.schema,
      split_by: TEXT,
      ...NARROWING,
      limit: { type: 'integer', minimum: 1, default: 10 },
      filter: FILTER,
    },
    required: ['stream'],
    additionalProperties: false,
  },
  output: exactly(
    {
      ...REMARKS,
      data: answer({ value: {}, groups: listOf({ properties: each({}, 'key', 'count', 'value') }) }),
    },
    ['data'],
  ),
  aliases: { q: 'query' },
  run: aggregateStream,
}

async function aggregateStream(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const stream = text(args, 'stream') ?? ''
  const q = text(args, 'query')
  const grouping = {
    group_by: text(args, 'group_by'),
    group_by_time: text(args, 'group_by_time'),
    granularity: text(args, 'granularity'),
    split_by: text(args, 'split_by'),
  }
  const named = {
    metric: text(args, 'metric'),
    field: text(args, 'field'),
    ...(await understoodGrouping(grouping, client, stream)),
  }
  const where = conditionsOf(args)
  const capabilities = await capabilitiesOf(client)
  assertFilters(where, capabilities)
  for (const [name, capability] of Object.entries(ANNOUNCED)) {
    const isAsked = name === 'query' ? q !== undefined : named.split_by !== undefined
    if (!isAsked || capabilities.has(capability)) continue
    const message = `This resource server does not support ${name} here. Repeat the call without it.`
    throw new CodedError('invalid_request', message, { param: name })
  }
  const { narrowing, zone, notes: understood } = await narrowingOf(args, client)
  const byTime = named.group_by_time !== undefined
  const { limit, notes: lowered } = pageLimit(args, 10, 100)
  // Only buckets and the days in a query have a zone; bounds are already instants.
  const time_zone = (byTime || q !== undefined) && zone.name !== 'UTC' ? zone.name : undefined
  const data = await client.get(
    route,
    { stream },
    {
      ...named,
      q,
      time_zone,
      ...narrowing,
      where,
      metric: named.metric ?? 'count',
      // PDPP allows a limit only where there are groups.
      limit: named.group_by || byTime ? limit : undefined,
      order: byTime && capabilities.has('aggregate_order') ? 'desc' : undefined,
    },
  )
  const nothing =
    data.filtered_record_count === 0
      ? await whyNothing(client, soughtOf(client, stream, { narrowing, zone, q, where, time_zone }))
      : null
  const notes = [...lowered, ...understood]
  return {
    text: [aggregateText(data, notes), ...(nothing ? nothingLines(nothing) : [])].join('\n'),
    structured: {
      ...understoodOf(narrowing, zone),
      ...(notes.length > 0 ? { remarks: notes } : {}),
      ...(nothing ? nothingContent(nothing) : {}),
      data: carried(data),
    },
  }
}

async function understoodGrouping(
  asked: Grouping,
  client: ResourceServerClient,
  stream: string,
): Promise<Grouping> {
  if (Object.values(asked).every(name => name === undefined)) return asked
  const fields = await client
    .kept(JSON.stringify(['flags', stream]), async () => {
      const { streams } = await declaredStreams(client, { view: 'compact', stream })
      return flagsOf(streams, stream)
    })
    .catch((): Flags => new Map())
  return groupingOf(asked, fields)
}

interface Counted extends Pick<Understood, 'narrowing' | 'zone'> {
  q: string | undefined
  where: readonly Condition[]
  time_zone: string | undefined
}

/** What was counted, part by part. */
function soughtOf(
  client: ResourceServerClient,
  stream: string,
  { narrowing, zone, q, where, time_zone }: Counted,
): Sought {
  const { operators, clues } = q === undefined ? { operators: [], clues: [] } : parseSearchQuery(q)
  return {
    narrowing: withOperators(narrowing, operators, zone),
    streams: [stream],
    where,
    words: clues.length > 0,
    zone,
    async anyTime() {
      const { since: _, until: __, ...unbound } = narrowing
      const words = withoutTimes(q ?? '')
      const asked = words === '' ? {} : { q: words, time_zone }
      const { filtered_record_count } = await client.get(
        route,
        { stream },
        { ...unbound, ...asked, where, metric: 'count' },
      )
      return typeof filtered_record_count === 'number' ? matchText(filtered_record_count) : null
    },
  }
}

const MOST_KEY_CHARS = 200
const MOST_MEMBER_BYTES = 1_000

/** The server's response, complete if it is small enough for hosts; otherwise long keys are cut. */
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
