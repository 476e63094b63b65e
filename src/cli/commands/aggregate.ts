import { aggregate as route } from '../../api/aggregate.ts'
import type { ReplyOf } from '../../api/route.ts'
import { readSchema } from '../../api/streams.ts'
import { addedUp } from '../../mcp/reading/added-up.ts'
import { countEach } from '../../mcp/reading/every-stream.ts'
import { counted } from '../../model/amounts.ts'
import { invalidRequest } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { GRANULARITIES } from '../../model/reading/aggregate.ts'
import { flagsOf, type Grouping, groupingOf, usualGroups } from '../../model/reading/grouping.ts'
import { atMostOne, boundsOf, type Command, type Invocation, noteBounds, text, texts } from '../command.ts'
import { sourceIds } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { filterConditions } from '../terminal/filters.ts'
import { oneLine } from '../terminal/terminal.ts'

type Figures = ReplyOf<typeof route>

/** The most groups that the server gives in one answer. */
const MOST_GROUPS = 100

export const aggregate: Command = {
  name: 'aggregate',
  usage:
    'footnote aggregate [STREAM] [--query WORDS] [--by FIELD] [--per UNIT [--time FIELD]] [--split FIELD] [--limit N]\n' +
    '                          [--metric METRIC --field FIELD] [--person NAME]… [--filter FIELD=VALUE]… [--since T]\n' +
    '                          [--until T] [--connection NAME|ID]… [--json]',
  examples: [
    'footnote aggregate --query engine --per month',
    'footnote aggregate emails --by from',
    'footnote aggregate emails --query engine --per week',
    'footnote aggregate emails --per month --split from --since 2026',
  ],
  async run(invocation) {
    const { config, values, positionals, print, note, paint } = invocation
    const stream = atMostOne(positionals, 'stream', 'footnote aggregate [STREAM]')
    if (stream === undefined) assertOfAll(values)
    await using server = await openOwnServer(config)
    const { body: schema } = await server.get(readSchema, {}, { stream, view: 'compact' })
    const zone = server.timeZone
    const bounds = boundsOf(values, zone)
    noteBounds(invocation, bounds, zone)
    const isBounded = (bounds.since ?? bounds.until) !== undefined
    const q = text(values, 'query')
    const connection_id = await sourceIds(server, texts(values, 'connection') ?? [])
    const figuresOf = (stream: string, grouping: Grouping, limit: string | undefined) => {
      const byTime = grouping.group_by_time !== undefined
      return server.get(
        route,
        { stream },
        {
          q,
          metric: text(values, 'metric'),
          field: text(values, 'field'),
          ...grouping,
          order: byTime ? 'desc' : undefined,
          time_zone: byTime || isBounded || q !== undefined ? zone.name : undefined,
          limit,
          person: texts(values, 'person'),
          ...bounds,
          connection_id,
          where: filterConditions(texts(values, 'filter')),
        },
      )
    }
    const grouping = (stream: string) => groupingOf(askedOf(values), flagsOf(schema.streams, stream))
    const all = schema.streams.filter(({ connections }) =>
      connections.some(each => connection_id.length === 0 || connection_id.includes(each.connection_id)),
    )
    const { text: answer, body } =
      stream === undefined
        ? await figuresOfAll(invocation, all, grouping, figuresOf)
        : await figuresOf(stream, grouping(stream), limitOf(values))
    if (values.json) return print(answer)
    for (const { message } of body.meta?.warnings ?? []) note(message)
    if (!body.groups) return print(shown(body.value))
    const width = Math.max(0, ...body.groups.map(({ key }) => shown(key).length))
    for (const { splits, ...group } of body.groups) {
      const parts = splits?.map(split => `${shown(split.key)} ${figure(split)}`) ?? []
      const others = group.other_count ? [`others ${group.other_count}`] : []
      const line = `${paint.bold(shown(group.key).padEnd(width))}  ${figure(group)}`
      print(parts.length > 0 ? `${line}  ${paint.dim([...parts, ...others].join(', '))}` : line)
    }
    if (body.other_count) note(leftOut(body))
  },
}

function askedOf(values: Invocation['values']): Grouping {
  const per = text(values, 'per')
  if (per !== undefined && !GRANULARITIES.some(each => each === per))
    throw new UsageError(`--per is one of ${GRANULARITIES.join(', ')}.`, '--per month')
  return {
    group_by: text(values, 'by'),
    group_by_time: text(values, 'time'),
    granularity: per,
    split_by: text(values, 'split'),
  }
}

/** The server allows a limit only where there are groups. */
function limitOf(values: Invocation['values']): string | undefined {
  const asked = askedOf(values)
  const isGrouped = (asked.group_by ?? asked.group_by_time ?? asked.granularity) !== undefined
  return text(values, 'limit') ?? (isGrouped ? String(usualGroups(asked)) : undefined)
}

/** Refuses flags that only make sense for one stream. */
function assertOfAll(values: Invocation['values']): void {
  const isCount = values.metric === undefined || values.metric === 'count'
  const flag = isCount
    ? ['filter', 'field', 'split', 'time'].find(name => values[name] !== undefined)
    : `metric ${values.metric}`
  const both = values.by !== undefined && values.per !== undefined ? 'by with --per' : undefined
  const needed = flag ?? both
  if (needed === undefined) return
  throw new UsageError(
    `--${needed} needs a stream.`,
    'footnote aggregate STREAM; footnote schema lists the streams',
  )
}

/** The counts of all these streams, added up. */
async function figuresOfAll(
  { values, note }: Invocation,
  streams: readonly { stream: string }[],
  grouping: (stream: string) => Grouping,
  figuresOf: (
    stream: string,
    grouping: Grouping,
    limit: string | undefined,
  ) => Promise<{ text: string; body: Figures }>,
): Promise<{ text: string; body: Figures }> {
  const limit = Number(values.limit ?? usualGroups(askedOf(values)))
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_GROUPS)
    throw new UsageError(`--limit must be a number from 1 to ${MOST_GROUPS}.`, '--limit 20')
  let granularity: string | undefined
  const { counted, notes: refused } = await countEach(
    streams.map(({ stream }) => stream),
    async stream => {
      const by = grouping(stream)
      if (by.granularity !== undefined && by.group_by_time === undefined)
        throw invalidRequest('It has no time to group by.')
      granularity ??= by.granularity
      const isGrouped = by.group_by !== undefined || by.group_by_time !== undefined
      return (await figuresOf(stream, by, isGrouped ? String(MOST_GROUPS) : undefined))
        .body as unknown as JsonObject
    },
  )
  const { data, notes } = addedUp(counted, { group_by: text(values, 'by'), granularity, limit })
  for (const told of [...notes, ...refused]) note(told)
  return { text: JSON.stringify(data), body: data as unknown as Figures }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value ?? null)
}

function figure({ value, count }: { value?: unknown; count?: number }): string {
  return shown(count ?? value)
}

function leftOut({ other_groups, other_count = 0, granularity }: Figures): string {
  const records = counted(other_count, 'record')
  // Of a stream with more groups than the server gives, their number is unknown.
  if (other_groups === undefined) return `Other groups with ${records} left out.`
  const which = `${granularity === null ? 'other' : 'older'} group${other_groups === 1 ? '' : 's'}`
  return `${other_groups} ${which} with ${records} left out; --limit shows up to ${MOST_GROUPS} groups.`
}
