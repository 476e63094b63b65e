import { listRecords } from '../../api/records.ts'
import { readSchema } from '../../api/streams.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Condition } from '../../model/reading/filter.ts'
import { type Command, type Invocation, noteMore, onlyOne, text, texts } from '../command.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { filterConditions } from '../terminal/filters.ts'
import { cut, oneLine } from '../terminal/terminal.ts'
import { idOf } from './search.ts'

const PREVIEW_CHARS = '400'

export const records: Command = {
  name: 'records',
  summary: 'Lists the records of a stream, newest first.',
  usage:
    'footnote records STREAM [--limit N] [--cursor C] [--order asc|desc] [--filter FIELD=VALUE]… [--since T] [--until T]\n' +
    '                        [--connection ID] [--fields a,b] [--count] [--json]',
  examples: [
    'footnote records messages --limit 5 --fields subject,from',
    "footnote records messages --filter from=ada@example.org --filter 'size>=1000' --count",
    'footnote records messages --since 2026-01-01 --until 2026-02-01 --order asc --json',
  ],
  options: {
    limit: { type: 'string' },
    cursor: { type: 'string' },
    order: { type: 'string' },
    filter: { type: 'string', multiple: true },
    since: { type: 'string' },
    until: { type: 'string' },
    connection: { type: 'string' },
    fields: { type: 'string' },
    count: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  links: true,
  async run(invocation) {
    const { config, values, positionals, print, note, paint } = invocation
    const stream = onlyOne(
      positionals,
      'A stream',
      'footnote records STREAM; footnote schema lists the streams',
    )
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(
      listRecords,
      { stream },
      {
        limit: text(values, 'limit') ?? '10',
        cursor: text(values, 'cursor'),
        order: text(values, 'order'),
        connection_id: text(values, 'connection'),
        fields: text(values, 'fields'),
        count: values.count ? 'exact' : undefined,
        max_field_chars: values.json ? undefined : PREVIEW_CHARS,
        where: [
          ...filterConditions(texts(values, 'filter')),
          ...(await timeConditions(server, stream, values)),
        ],
      },
    )
    if (values.json) return print(answer)
    for (const warning of body.meta.warnings) note(warning.message)
    for (const record of body.data) {
      print(paint.bold(idOf({ ...record, record_id: record.id })))
      for (const line of fieldLines('data' in record ? record.data : {}, invocation)) print(line)
      print('')
    }
    if (body.meta.count !== undefined) note(`${body.meta.count} records in all.`)
    if (body.data.length === 0) note('There are none.')
    noteMore(invocation, body.next_cursor)
  },
}

/** `--since` and `--until` are filters on the stream's own time. */
async function timeConditions(
  server: OwnServer,
  stream: string,
  values: Invocation['values'],
): Promise<Condition[]> {
  const [since, until] = [text(values, 'since'), text(values, 'until')]
  if (since === undefined && until === undefined) return []
  const { body } = await server.get(readSchema, {}, { stream, view: 'compact' })
  const field = body.streams
    .map(each => each.consent_time_field ?? each.cursor_field)
    .find(each => each !== null)
  if (!field) throw new UsageError(`The stream ${stream} has no time.`, 'leave --since and --until out')
  return [
    ...(since === undefined ? [] : [{ field, operator: 'gte', value: since } as const]),
    ...(until === undefined ? [] : [{ field, operator: 'lt', value: until } as const]),
  ]
}

/** One line for each field that has a value. */
export function fieldLines(
  data: JsonObject,
  { paint, columns, isTerminal }: Pick<Invocation, 'paint' | 'columns' | 'isTerminal'>,
): string[] {
  const shown = Object.entries(data).filter(([, value]) => value !== null && value !== '')
  const width = Math.min(24, Math.max(0, ...shown.map(([name]) => name.length)))
  return shown.map(([name, value]) => {
    const plain = oneLine(typeof value === 'string' ? value : JSON.stringify(value))
    const room = isTerminal ? Math.max(20, columns - width - 4) : 400
    return `  ${paint.dim(oneLine(name).padEnd(width))}  ${cut(plain, room)}`
  })
}
