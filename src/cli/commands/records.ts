import { listByTime, listRecords, type RecordBody } from '../../api/records.ts'
import { counted } from '../../model/amounts.ts'
import type { JsonObject } from '../../model/json.ts'
import type { TimeZone } from '../../model/time.ts'
import {
  atMostOne,
  boundsOf,
  type Command,
  type Invocation,
  noteBounds,
  noteMore,
  shownTime,
  text,
  texts,
} from '../command.ts'
import { sourceIds } from '../names.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { filterConditions } from '../terminal/filters.ts'
import { cut, oneLine } from '../terminal/terminal.ts'
import { idOf } from './search.ts'

/** How much of a text is shown. */
export const PREVIEW_CHARS = '400'

export const records: Command = {
  name: 'records',
  usage:
    'footnote records [STREAM] [--person NAME]… [--since T] [--until T] [--connection NAME|ID]… [--connector KIND]…\n' +
    '                        [--filter FIELD=VALUE]… [--fields a,b] [--order asc|desc] [--limit N] [--cursor C]\n' +
    '                        [--count] [--json]',
  examples: [
    'footnote records --person ada --since 2026-01 --until 2026-03',
    'footnote records emails --limit 5 --fields subject,from',
    "footnote records emails --filter from_address=ada@example.org --filter 'sent_at>=2026-01-01' --count",
    'footnote records emails --since "last year" --order asc --json',
  ],
  links: true,
  async run(invocation) {
    const { config, values, positionals, print, note, paint, spelled } = invocation
    const stream = atMostOne(positionals, 'stream', 'footnote records [STREAM]')
    if (stream === undefined && values.filter !== undefined)
      throw new UsageError('--filter needs a stream.', 'footnote records STREAM --filter FIELD=VALUE')
    await using server = await openOwnServer(config)
    const zone = server.timeZone
    const bounds = boundsOf(values, zone)
    noteBounds(invocation, bounds, zone)
    const query = {
      limit: text(values, 'limit') ?? '10',
      cursor: text(values, 'cursor'),
      order: text(values, 'order'),
      person: texts(values, 'person'),
      ...bounds,
      time_zone: zone.name,
      connection_id: await sourceIds(server, texts(values, 'connection') ?? []),
      connector: texts(values, 'connector'),
      fields: text(values, 'fields'),
      count: values.count ? 'exact' : undefined,
      max_field_chars: values.json ? undefined : PREVIEW_CHARS,
    }
    const { text: answer, body } = await listed(server, stream, query, values)
    if (values.json) return print(answer)
    for (const warning of body.meta.warnings) note(warning.message)
    for (const record of body.data) {
      print(paint.bold(idOf({ ...record, record_id: record.id })))
      if ('data' in record) for (const line of recordLines(record, zone, invocation)) print(line)
      print('')
    }
    if (typeof body.meta.count === 'number') note(`${counted(body.meta.count, 'record')} in total.`)
    if (body.data.length === 0) note('No records.')
    const isTimeless = body.meta.warnings.some(
      ({ code, param }) => code === 'streams_left_out' && param === 'order',
    )
    if (isTimeless)
      note(spelled('To list records without a time, name their stream: footnote records STREAM'))
    noteMore(invocation, body.next_cursor)
  },
}

function listed(server: OwnServer, stream: string | undefined, query: object, values: Invocation['values']) {
  if (stream === undefined) return server.get(listByTime, {}, query)
  const where = filterConditions(texts(values, 'filter'))
  return server.get(listRecords, { stream }, { ...query, where })
}

/** Who, when and where, and the fields. */
export function* recordLines(
  { data, author, occurred_at, display_name }: RecordBody,
  zone: TimeZone,
  invocation: Invocation,
): Generator<string> {
  const facts = [occurred_at && shownTime(occurred_at, zone), author, display_name]
  const told = facts.flatMap(fact => (fact ? [oneLine(fact)] : []))
  yield `  ${told.join(' · ')}`
  yield* fieldLines(data, invocation)
}

const EMPTY: ReadonlySet<string> = new Set(['null', '""', '[]', '{}'])

/** One line for each field that has a value. */
function fieldLines(
  data: JsonObject,
  { paint, columns, isTerminal }: Pick<Invocation, 'paint' | 'columns' | 'isTerminal'>,
): string[] {
  const shown = Object.entries(data).filter(([, value]) => !EMPTY.has(JSON.stringify(value)))
  const width = Math.min(24, Math.max(0, ...shown.map(([name]) => name.length)))
  return shown.map(([name, value]) => {
    const plain = oneLine(typeof value === 'string' ? value : JSON.stringify(value))
    const room = isTerminal ? Math.max(20, columns - width - 4) : 400
    return `  ${paint.dim(oneLine(name).padEnd(width))}  ${cut(plain, room)}`
  })
}
