import { fieldWindow, readRecord } from '../../api/records.ts'
import { namedBy, originOfLink } from '../../model/ids/citation.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { pagesText } from '../../model/reading/window.ts'
import { type Command, type Invocation, text } from '../command.ts'
import { sourceId } from '../names.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { inert } from '../terminal/terminal.ts'
import { PREVIEW_CHARS, recordLines } from './records.ts'
import { idOf } from './search.ts'

const SELECTORS = {
  offset: 'offset_chars',
  limit: 'limit_chars',
  before: 'before_chars',
  after: 'after_chars',
}

export const read: Command = {
  name: 'read',
  usage:
    'footnote read ID [FIELD] [--offset N] [--limit N] [--q TEXT [--before N] [--after N]] [--cursor C]\n' +
    '                    [--connection NAME|ID] [--json]',
  examples: [
    'footnote read cin_4f2aqz/emails:m-19',
    'footnote read cin_4f2aqz/emails:m-19 body --offset 4096',
    'footnote read cin_4f2aqz/emails:m-19 body --q "so wide and slow" --before 200 --after 800',
  ],
  links: true,
  async run(invocation) {
    const { config, values, positionals } = invocation
    const [id, field, ...rest] = positionals
    if (id === undefined || rest.length > 0)
      throw new UsageError('Name a record by its id, and at most one field.', 'footnote read ID [FIELD]')
    await using server = await openOwnServer(config)
    const connection = await sourceId(server, text(values, 'connection'))
    const record = namedBy(id, connection, originOfLink(id))
    await (field === undefined
      ? showRecord(server, record, invocation)
      : showWindow(server, record, field, invocation))
  },
}

async function showWindow(server: OwnServer, record: RecordReference, field: string, invocation: Invocation) {
  const { values, print, write, note, paint, isTerminal } = invocation
  const numbers = Object.entries(SELECTORS).map(([flag, parameter]) => [parameter, text(values, flag)])
  const { text: answer, body } = await server.get(fieldWindow, record, {
    field,
    connection_id: record.connection_id,
    q: text(values, 'q'),
    cursor: text(values, 'cursor'),
    ...Object.fromEntries(numbers),
  })
  if (values.json) return print(answer)
  const { window } = body
  const id = idOf(body)
  const pages = window.pages ? `, ${inert(pagesText(window.pages))}` : ''
  note(
    paint.dim(
      `${id} ${inert(body.field.path)} ${window.start_chars}-${window.end_chars} of ${body.field.size_chars}${pages}`,
    ),
  )
  write(isTerminal ? `${inert(window.text)}\n` : window.text)
  if (window.previous_cursor) note(paint.dim(`Before: --cursor ${window.previous_cursor}`))
  if (window.next_cursor) note(paint.dim(`Next: --cursor ${window.next_cursor}`))
}

async function showRecord(server: OwnServer, record: RecordReference, invocation: Invocation) {
  const { values, print, paint, spelled } = invocation
  const windowFlags = [...Object.keys(SELECTORS), 'q', 'cursor'].filter(flag => values[flag] !== undefined)
  if (windowFlags.length > 0)
    throw new UsageError(`--${windowFlags[0]} needs a field.`, 'footnote read ID FIELD')
  const { text: answer, body } = await server.get(readRecord, record, {
    connection_id: record.connection_id,
    max_field_chars: PREVIEW_CHARS,
  })
  if (values.json) return print(answer)
  const id = idOf({ ...body, record_id: body.id })
  print(paint.bold(id))
  for (const line of recordLines(body, server.timeZone, invocation)) print(line)
  for (const { field_path, size_chars } of body.truncated_fields ?? []) {
    const field = inert(field_path)
    print(paint.dim(`  ${field} has ${size_chars} characters: ${spelled('footnote read')} ${id} ${field}`))
  }
  print(`  ${paint.dim(inert(body.url))}`)
}
