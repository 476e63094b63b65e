import { aggregate as route } from '../../api/aggregate.ts'
import type { ReplyOf } from '../../api/route.ts'
import { readSchema } from '../../api/streams.ts'
import { flagsOf, groupingOf } from '../../model/reading/grouping.ts'
import { type Command, onlyOne, text, texts } from '../command.ts'
import { sourceIds } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { filterConditions } from '../terminal/filters.ts'
import { oneLine } from '../terminal/terminal.ts'
import { boundsOf, noteBounds } from '../times.ts'

type Figures = ReplyOf<typeof route>

export const aggregate: Command = {
  name: 'aggregate',
  usage:
    'footnote aggregate STREAM [--query WORDS] [--by FIELD] [--per UNIT [--time FIELD]] [--split FIELD] [--limit N]\n' +
    '                          [--metric METRIC --field FIELD] [--person NAME]… [--filter FIELD=VALUE]… [--since T]\n' +
    '                          [--until T] [--connection NAME|ID]… [--json]',
  examples: [
    'footnote aggregate messages --by from',
    'footnote aggregate messages --query engine --per week',
    'footnote aggregate messages --per month --split from --since 2026',
  ],
  options: {
    query: { type: 'string' },
    by: { type: 'string' },
    per: { type: 'string' },
    time: { type: 'string' },
    split: { type: 'string' },
    limit: { type: 'string' },
    metric: { type: 'string' },
    field: { type: 'string' },
    person: { type: 'string', multiple: true },
    filter: { type: 'string', multiple: true },
    since: { type: 'string' },
    until: { type: 'string' },
    connection: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
  async run(invocation) {
    const { config, values, positionals, print, note, paint } = invocation
    const stream = onlyOne(
      positionals,
      'a stream',
      'footnote aggregate STREAM; footnote schema lists the streams',
    )
    await using server = await openOwnServer(config)
    const { body: schema } = await server.get(readSchema, {}, { stream, view: 'compact' })
    const zone = server.timeZone
    const bounds = boundsOf(values, zone)
    noteBounds(invocation, bounds, zone)
    const q = text(values, 'query')
    const grouping = groupingOf(
      {
        group_by: text(values, 'by'),
        group_by_time: text(values, 'time'),
        granularity: text(values, 'per'),
        split_by: text(values, 'split'),
      },
      flagsOf(schema.streams, stream),
    )
    const byTime = grouping.group_by_time !== undefined
    const { text: answer, body } = await server.get(
      route,
      { stream },
      {
        q,
        metric: text(values, 'metric'),
        field: text(values, 'field'),
        ...grouping,
        order: byTime ? 'desc' : undefined,
        time_zone: byTime || q !== undefined ? zone.name : undefined,
        limit: text(values, 'limit'),
        person: texts(values, 'person'),
        ...bounds,
        connection_id: await sourceIds(server, texts(values, 'connection') ?? []),
        where: filterConditions(texts(values, 'filter')),
      },
    )
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
    if (body.other_groups) note(leftOut(body))
  },
}

function shown(value: unknown): string {
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value ?? null)
}

function figure({ value, count }: { value?: unknown; count?: number }): string {
  return shown(count ?? value)
}

function leftOut({ other_groups = 0, other_count = 0, group_by_time }: Figures): string {
  const which = `${group_by_time === null ? 'other' : 'older'} group${other_groups === 1 ? '' : 's'}`
  const records = `${other_count} record${other_count === 1 ? '' : 's'}`
  return `${other_groups} ${which} with ${records} left out; --limit shows up to 100 groups.`
}
