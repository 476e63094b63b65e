import { type MatchWindow, type Reason, search as route, type SearchHit } from '../../api/search.ts'
import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { formatResultId, recordUri } from '../../model/ids/handle.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import type { TimeZone } from '../../model/time.ts'
import {
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
import { openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { filterConditions } from '../terminal/filters.ts'
import { oneLine } from '../terminal/terminal.ts'

export const search: Command = {
  name: 'search',
  usage:
    'footnote search QUERY… [--limit N] [--cursor C] [--stream S]… [--connection NAME|ID]…\n' +
    '                      [--connector KIND]… [--person NAME]… [--since T] [--until T] [--sort relevance|newest|oldest]\n' +
    '                      [--filter FIELD=VALUE]… [--within ID] [--explain] [--json]',
  examples: [
    'footnote search garden plan',
    `footnote search '"garden plan" -draft' --stream emails --since 2026-01`,
    `footnote search 'from:hedda engine' --sort newest`,
    'footnote search river --within cin_4f2aqz/emails:m-19 --json',
  ],
  links: true,
  async run(invocation) {
    const { config, values, positionals, print, note } = invocation
    const q = positionals.join(' ')
    if (q.trim() === '') throw new UsageError('The search words are missing.', 'footnote search WORDS')
    await using server = await openOwnServer(config)
    const zone = server.timeZone
    const { text: answer, body } = await server.get(
      route,
      {},
      {
        q,
        limit: text(values, 'limit') ?? '10',
        cursor: text(values, 'cursor'),
        streams: texts(values, 'stream'),
        connection_id: await sourceIds(server, texts(values, 'connection') ?? []),
        connector: texts(values, 'connector'),
        ...boundsOf(values, zone),
        sort: text(values, 'sort'),
        person: texts(values, 'person'),
        record: text(values, 'within'),
        // The order that assistants see.
        varied: values.within === undefined ? ('true' as const) : undefined,
        explain: values.explain ? ('true' as const) : undefined,
        // Shows the start of a text in which the words were not found.
        view: values.json ? undefined : ('compact' as const),
        time_zone: zone.name,
        where: filterConditions(texts(values, 'filter')),
      },
    )
    const unknown = body.meta.warnings.find(({ code }) => code === 'stream_unknown')
    if (unknown) throw new CodedError('not_found', unknown.message, { param: 'stream' })
    noteBounds(invocation, body.meta, zone)
    if (values.json) return print(answer)
    for (const warning of body.meta.warnings) note(warning.message)
    for (const hit of body.data) for (const line of hitLines(hit, zone, invocation)) print(line)
    if (body.data.length === 0) note('Nothing was found.')
    else if (typeof body.meta.count === 'number')
      note(invocation.paint.dim(matchesText(body.meta.count, body.meta.count_accuracy)))
    noteMore(invocation, body.next_cursor)
  },
}

function matchesText(count: number, accuracy: string | undefined): string {
  if (count === 1) return '1 record contains all words.'
  return `${accuracy === 'lower_bound' ? 'More than ' : ''}${number(count)} records contain all words.`
}

/** The id of a record as every command accepts it. */
export function idOf({
  connection_id,
  stream,
  record_id,
}: Record<'connection_id' | 'stream' | 'record_id', string>): string {
  return formatResultId(connection_id, stream, record_id) ?? recordUri(connection_id, stream, record_id)
}

function hitLines(hit: SearchHit, zone: TimeZone, { paint }: Pick<Invocation, 'paint'>): string[] {
  const { title, author, display_name, occurred_at, snippet } = hit
  const time = occurred_at && shownTime(occurred_at, zone)
  const facts = [title, author, display_name, time].filter(fact => fact !== null)
  return [
    paint.bold(idOf({ ...hit, record_id: hit.record_key })),
    `  ${facts.map(oneLine).join(' · ')}`,
    ...hit.match_windows.map(window => {
      const { field_path, start_chars, end_chars, size_chars } = window
      const place = `${oneLine(field_path)} ${start_chars}-${end_chars} of ${size_chars}:`
      return `  ${paint.dim(place)} ${evidence(window, paint.match)}`
    }),
    ...(snippet && !title?.includes(snippet.text)
      ? [`  ${paint.dim(`${oneLine(snippet.field)}:`)} ${oneLine(snippet.text)}`]
      : []),
    ...(hit.explanation ? [`  ${paint.dim(`ranked by ${reasonsOf(hit.explanation)}`)}`] : []),
    `  ${paint.dim(oneLine(hit.url))}`,
    '',
  ]
}

function reasonsOf(explanation: readonly Reason[]): string {
  return explanation.map(({ by, points }) => `${by} ${points.toFixed(2)}`).join(' + ')
}

function evidence(window: MatchWindow, highlight: (text: string) => string): string {
  const { text: shown, text_start_chars, text_end_chars, start_chars, end_chars, size_chars } = window
  const [from, to] = [start_chars - text_start_chars, end_chars - text_start_chars]
  const before = oneLine(sliceCodePoints(shown, 0, from))
  const after = oneLine(sliceCodePoints(shown, to, text_end_chars - text_start_chars))
  const match = highlight(oneLine(sliceCodePoints(shown, from, to)))
  return [text_start_chars > 0 ? '…' : '', before, match, after, text_end_chars < size_chars ? '…' : ''].join(
    '',
  )
}
