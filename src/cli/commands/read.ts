import { parseResultId, type RecordReference } from '../../model/ids/handle.ts'
import { isRecordUri, parseRecordUri } from '../../model/ids/record-uri.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { type Command, type Invocation, text } from '../command.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { inert } from '../terminal/terminal.ts'
import { fieldLines } from './records.ts'
import { idOf } from './search.ts'

const PREVIEW_CHARS = '400'
const SELECTORS = {
  offset: 'offset_chars',
  limit: 'limit_chars',
  before: 'before_chars',
  after: 'after_chars',
}

export interface FieldWindow {
  connection_id: string
  stream: string
  record_id: string
  field: { path: string; size_chars: number }
  window: {
    text: string
    start_chars: number
    end_chars: number
    next_cursor: string | null
    previous_cursor: string | null
  }
}

export const read: Command = {
  name: 'read',
  summary: 'Reads a window of a text field, or shows a record with long texts cut.',
  usage:
    'footnote read ID [FIELD] [--offset N] [--limit N] [--q TEXT [--before N] [--after N]] [--cursor C]\n' +
    '                    [--connection ID] [--json]',
  examples: [
    'footnote read cin_4f2aqz/messages:m-19',
    'footnote read cin_4f2aqz/messages:m-19 body --offset 4096',
    'footnote read cin_4f2aqz/messages:m-19 body --q "so wide and slow" --before 200 --after 800',
  ],
  options: {
    offset: { type: 'string' },
    limit: { type: 'string' },
    q: { type: 'string' },
    before: { type: 'string' },
    after: { type: 'string' },
    cursor: { type: 'string' },
    connection: { type: 'string' },
    json: { type: 'boolean' },
  },
  links: true,
  async run(invocation) {
    const { config, values, positionals } = invocation
    const [id, field, ...rest] = positionals
    if (id === undefined || rest.length > 0) {
      throw new UsageError('The id of a record is missing, or there is too much.', 'footnote read ID [FIELD]')
    }
    const record = isRecordUri(id) ? parseRecordUri(id) : parseResultId(id)
    const asked = text(values, 'connection')
    if (asked !== undefined && record.connection_id !== null && asked !== record.connection_id) {
      throw new UsageError(`The id names the connection ${record.connection_id}.`, 'leave --connection out')
    }
    const place = { ...record, connection_id: record.connection_id ?? asked ?? null }
    await using server = await openOwnServer(config)
    await (field === undefined
      ? showRecord(server, place, invocation)
      : showWindow(server, place, field, invocation))
  },
}

export function recordPath({ stream, record_id }: Pick<RecordReference, 'stream' | 'record_id'>): string {
  return `/v1/streams/${encodeURIComponent(stream)}/records/${encodeURIComponent(record_id)}`
}

async function showWindow(server: OwnServer, record: RecordReference, field: string, invocation: Invocation) {
  const { values, print, write, note, paint, isTerminal } = invocation
  const numbers = Object.entries(SELECTORS).map(([flag, parameter]) => [parameter, text(values, flag)])
  const { text: answer, body } = await server.get<FieldWindow>(`${recordPath(record)}/field-window`, {
    field,
    connection_id: record.connection_id ?? undefined,
    q: text(values, 'q'),
    cursor: text(values, 'cursor'),
    ...Object.fromEntries(numbers),
  })
  if (values.json) return print(answer)
  const { window } = body
  const id = idOf(body)
  note(
    paint.dim(
      `${id} ${inert(body.field.path)} ${window.start_chars}-${window.end_chars} of ${body.field.size_chars}`,
    ),
  )
  write(isTerminal ? `${inert(window.text)}\n` : window.text)
  if (window.previous_cursor) note(paint.dim(`Before: --cursor ${window.previous_cursor}`))
  if (window.next_cursor) note(paint.dim(`Next: --cursor ${window.next_cursor}`))
}

async function showRecord(server: OwnServer, record: RecordReference, invocation: Invocation) {
  const { values, print, paint } = invocation
  const windowFlags = [...Object.keys(SELECTORS), 'q', 'cursor'].filter(flag => values[flag] !== undefined)
  if (windowFlags.length > 0) {
    throw new UsageError(`--${windowFlags[0]} is for a window of a field.`, 'footnote read ID FIELD')
  }
  const { text: answer, body } = await server.get<JsonObject>(recordPath(record), {
    connection_id: record.connection_id ?? undefined,
    max_field_chars: PREVIEW_CHARS,
  })
  if (values.json) return print(answer)
  const { connection_id, stream, id } = body as Record<string, string>
  print(paint.bold(idOf({ connection_id: connection_id ?? '', stream: stream ?? '', record_id: id ?? '' })))
  for (const line of fieldLines(body.data as JsonObject, invocation)) print(line)
  const cut: Json = body.truncated_fields ?? []
  for (const field of Array.isArray(cut) ? cut.filter(isObject) : []) {
    print(
      paint.dim(
        `  ${inert(String(field.field_path))} has ${field.size_chars} characters: footnote read ID ${inert(String(field.field_path))}`,
      ),
    )
  }
  print(`  ${paint.dim(inert(String(body.url)))}`)
}
