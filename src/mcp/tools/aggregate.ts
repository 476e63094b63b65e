import { aggregate as route } from '../../api/aggregate.ts'
import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Condition } from '../../model/reading/filter.ts'
import {
  type Flags,
  flagsOf,
  type Grouping,
  groupingOf,
  meantField,
  usualGroups,
} from '../../model/reading/grouping.ts'
import { requiredParts } from '../../model/search/required-parts.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { boundsNotes } from '../../model/time-bounds.ts'
import { pageLimit, text } from '../arguments.ts'
import { matchText } from '../nothing-found/counts.ts'
import { nothingContent, nothingLines, whyNothing } from '../nothing-found/nothing-found.ts'
import type { Sought } from '../nothing-found/sought.ts'
import { addedUp, groupedByStream } from '../reading/added-up.ts'
import { compactStreams } from '../reading/declared-streams.ts'
import { countEach, countedStreams, needsStream, streamsWith } from '../reading/every-stream.ts'
import {
  assertFilters,
  conditionsOf,
  type Narrowing,
  narrowingOf,
  personNotes,
  type Understood,
  understoodOf,
} from '../reading/narrowing.ts'
import { togetherNote, withOperators, withoutTimes } from '../reading/operators.ts'
import { previewOf, smallMembers } from '../reading/preview.ts'
import { ProviderError } from '../reading/provider-error.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { aggregateText } from '../rendering/aggregate-text.ts'
import { MOST_STRUCTURED_BYTES } from '../rendering/fitting-page.ts'
import { answer, each, exactly, FILTER, listOf, NARROWING, REMARKS, TEXT } from '../schemas.ts'
import { bytesOf, mostThatFit } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

/** What a resource server must announce to support arguments that PDPP does not have. */
const ANNOUNCED = { query: 'aggregate_query', split_by: 'aggregate_split' } as const

export const aggregate: Tool = {
  name: 'aggregate',
  title: 'Count and sum',
  description:
    'Count e-mails, messages or notes of one stream or all: how many, how often mentioned (query), per person (group_by: from), per month (granularity), both. Also sum, min, max (see schema).',
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
      limit: { type: 'integer', minimum: 1, description: 'default 10, of times 31; at most 100' },
      filter: FILTER,
    },
    additionalProperties: false,
  },
  output: exactly(
    {
      ...REMARKS,
      data: answer({ value: {}, groups: listOf({ properties: each({}, 'key', 'count', 'value') }) }),
    },
    ['data'],
  ),
  aliases: { q: 'query', streams: 'stream' },
  run: aggregateStream,
}

async function aggregateStream(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const stream = text(args, 'stream')
  const q = text(args, 'query')
  const asked = {
    group_by: text(args, 'group_by'),
    group_by_time: text(args, 'group_by_time'),
    granularity: text(args, 'granularity'),
    split_by: text(args, 'split_by'),
  }
  const metric = text(args, 'metric') ?? 'count'
  const where = conditionsOf(args)
  const capabilities = await capabilitiesOf(client)
  assertFilters(where, capabilities)
  const { narrowing, zone } = await narrowingOf(args, client)
  if (stream === undefined) {
    const reason = whyOneStream(args, capabilities)
    if (reason !== undefined)
      throw needsStream(reason, await streamsWith(client, narrowing, text(args, 'field')))
  }
  const { limit, notes: lowered } = pageLimit(args, usualGroups(asked), MOST_GROUPS)
  const named = text(args, 'field')
  const countedField = async () =>
    metric !== 'count_distinct' || stream === undefined
      ? named
      : meantField(named, await flagsOfStream(client, stream), metric)
  const figuresOf = async (stream: string, grouping: Grouping, groups: number) => {
    assertAnnounced({ query: q, split_by: grouping.split_by }, capabilities)
    const byTime = grouping.group_by_time !== undefined
    return client.get(
      route,
      { stream },
      {
        ...grouping,
        metric,
        field: await countedField(),
        q,
        // Only days have a zone: those of buckets, in a query, and those that bounds begin.
        time_zone: (byTime || q !== undefined) && zone.name !== 'UTC' ? zone.name : undefined,
        ...narrowing,
        where,
        // PDPP allows a limit only where there are groups.
        limit: grouping.group_by || byTime ? groups : undefined,
        order: byTime && capabilities.has('aggregate_order') ? 'desc' : undefined,
      },
    )
  }
  const {
    data,
    streams,
    notes: counted,
  } = stream === undefined
    ? await countStreams(client, narrowing, asked, limit, figuresOf)
    : {
        data: await figuresOf(stream, timedGrouping(await understoodGrouping(asked, client, stream)), limit),
        streams: [stream],
        notes: [],
      }
  const { operators, clues } = q === undefined ? { operators: [], clues: [] } : parseSearchQuery(q)
  const narrowed = withOperators(narrowing, operators, zone)
  const together = q === undefined ? [] : requiredParts(q)
  const nothing =
    data.filtered_record_count === 0
      ? await whyNothing(
          client,
          soughtOf(client, streams, {
            narrowing,
            narrowed,
            zone,
            q,
            where,
            words: clues.length > 0,
            together,
          }),
        )
      : null
  const words = together.length > 1 && !nothing ? [togetherNote('Counted', together)] : []
  const notes = [
    ...lowered,
    ...(nothing ? [] : personNotes(args)),
    ...words,
    ...boundsNotes(narrowed, zone),
    ...counted,
  ]
  return {
    text: [aggregateText(data, { args, notes, zone }), ...(nothing ? nothingLines(nothing) : [])].join('\n'),
    structured: {
      ...understoodOf(narrowed, zone),
      ...(notes.length > 0 ? { remarks: notes } : {}),
      ...(nothing ? nothingContent(nothing) : {}),
      data: carried(data),
    },
  }
}

function assertAnnounced(
  asked: Record<keyof typeof ANNOUNCED, string | undefined>,
  capabilities: ReadonlySet<string>,
): void {
  for (const name of ['query', 'split_by'] as const) {
    if (asked[name] === undefined || capabilities.has(ANNOUNCED[name])) continue
    const message = `This resource server does not support ${name} here. Repeat the call without it.`
    throw new CodedError('invalid_request', message, { param: name })
  }
}

/** Why the arguments only make sense for one stream, if so. */
function whyOneStream(args: JsonObject, capabilities: ReadonlySet<string>): string | undefined {
  if (!capabilities.has('aggregate_order')) return 'This resource server counts one stream at a time.'
  if (args.metric !== undefined && args.metric !== 'count') return `metric ${args.metric} needs a stream.`
  const name = ['filter', 'field', 'split_by'].find(name => args[name] !== undefined)
  return name && `${name} needs a stream.`
}

/** Counts the records of every readable stream, each by its own fields. */
async function countStreams(
  client: ResourceServerClient,
  narrowing: Narrowing,
  asked: Grouping,
  limit: number,
  figuresOf: (stream: string, grouping: Grouping, groups: number) => Promise<JsonObject>,
): Promise<{ data: JsonObject; streams: string[]; notes: string[] }> {
  const { streams, notes: left } = await countedStreams(client, narrowing)
  const isByStream = /^streams?$/i.test(asked.group_by ?? '') && asked.granularity === undefined
  const group_by = isByStream ? undefined : asked.group_by
  let granularity: string | undefined
  const { counted, notes: refused } = await countEach(streams, async stream => {
    const grouping = await understoodGrouping({ ...asked, group_by }, client, stream)
    if (grouping.split_by !== undefined)
      throw needsStream('Groups by a field and by time need a stream.', streams)
    granularity ??= grouping.granularity
    return figuresOf(stream, timedGrouping(grouping), MOST_GROUPS)
  })
  const { data, notes } = addedUp(counted, { group_by, granularity, limit })
  return {
    data: isByStream ? groupedByStream(data, limit) : data,
    streams,
    notes: [...notes, ...refused, ...left],
  }
}

/** Refuses a period if no time that could be grouped is known. */
function timedGrouping(grouping: Grouping): Grouping {
  if (grouping.granularity === undefined || grouping.group_by_time !== undefined) return grouping
  throw new CodedError('invalid_request', 'It has no time to group by. Leave granularity out.', {
    param: 'granularity',
  })
}

async function understoodGrouping(
  asked: Grouping,
  client: ResourceServerClient,
  stream: string,
): Promise<Grouping> {
  if (Object.values(asked).every(name => name === undefined)) return asked
  return groupingOf(asked, await flagsOfStream(client, stream))
}

/** Nothing, if the server does not say; it then refuses what it does not know. */
async function flagsOfStream(client: ResourceServerClient, stream: string): Promise<Flags> {
  try {
    return flagsOf(await compactStreams(client, stream), stream)
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'grant_stream_not_allowed') throw error
    return new Map()
  }
}

interface Counted extends Pick<Understood, 'narrowing' | 'zone'> {
  /** The narrowing with the operators of the query. */
  narrowed: Narrowing
  q: string | undefined
  where: readonly Condition[]
  words: boolean
  together: readonly string[]
}

/** What was counted, part by part. */
function soughtOf(
  client: ResourceServerClient,
  streams: readonly string[],
  { narrowing, narrowed, zone, q, where, words, together }: Counted,
): Sought {
  return {
    narrowing: narrowed,
    streams,
    where,
    words,
    together,
    byTime: false,
    zone,
    async anyTime() {
      const { since: _, until: __, time_zone: ___, ...unbound } = narrowing
      const untimed = withoutTimes(q ?? '')
      const time_zone = zone.name === 'UTC' ? undefined : zone.name
      const asked = untimed === '' ? {} : { q: untimed, time_zone }
      const { counted } = await countEach(streams, stream =>
        client.get(route, { stream }, { ...unbound, ...asked, where, metric: 'count' }),
      )
      const { filtered_record_count } = addedUp(counted, { limit: 1 }).data
      return typeof filtered_record_count === 'number' ? matchText(filtered_record_count) : null
    },
  }
}

/** The most groups that a resource server gives in one answer. */
const MOST_GROUPS = 100
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
