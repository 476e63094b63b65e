import { readRecord } from '../../api/records.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { define, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { text } from '../arguments.ts'
import { firstText } from '../reading/hit.ts'
import { ownerZone } from '../reading/narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { readWindow } from '../reading/window.ts'
import type { FieldWindow } from '../reading/window-shape.ts'
import { labelsOf, readDocument } from '../rendering/read-document.ts'
import { each, exactly, FLAG, INTEGER, TEXT, TEXT_OR_NULL, TEXTS } from '../schemas.ts'
import { bytesOf, DATA_NOTE, mostThatFit } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'
import { idFrom, offsetAround, PASSAGE_CHARS, type Place, placeOf, recordId } from './passages.ts'

const MOST_BYTES = 11_900
const METADATA = exactly(
  {
    complete: FLAG,
    ...each(TEXT_OR_NULL, 'previous_id', 'next_id'),
    more_ids: TEXTS,
    ...each(TEXT, 'record_id', 'field', 'pages', 'note'),
    ...each(INTEGER, 'start_chars', 'end_chars', 'size_chars', 'left_out_fields'),
    ...each(TEXT, 'connection_id', 'stream', 'author', 'occurred_at', 'authored_at'),
    ...each(TEXT, 'connector_key', 'display_name', 'emitted_at'),
    /** Values of the record. */
    fields: { type: 'object' },
  },
  ['complete', 'previous_id', 'next_id', 'note'],
)

export const fetch: Tool = {
  name: 'fetch',
  title: 'Fetch',
  description:
    'Open one e-mail, message, note or document, or the passage of it that search found, by the id of a result. Long texts come in parts: metadata.next_id and metadata.previous_id are the ids of the parts after and before this one. url is a citation link for people.',
  hint: 'open a mail, message, note or document; read on; quote',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: exactly({ ...each(TEXT, 'id', 'title', 'text', 'url'), metadata: METADATA }, [
    'id',
    'title',
    'text',
    'url',
    'metadata',
  ]),
  run: fetchPassage,
}

async function fetchPassage(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const id = text(args, 'id') ?? ''
  const place = placeOf(id, client.provider.url)
  const structured = { id, ...(await documentAt(place, client)) }
  return { text: JSON.stringify(structured), structured }
}

/** The whole record if it is short, or the text around the place if it is long. */
async function documentAt({ record, passage }: Place, client: ResourceServerClient): Promise<JsonObject> {
  if (passage === null) return beginning(record, client)
  const { field_path, start_chars } = passage
  const offset_chars = offsetAround(start_chars)
  const read = (limit_chars: number) => readWindow(client, record, field_path, { offset_chars, limit_chars })
  const widest = await read(PASSAGE_CHARS)
  if (widest.window.text === '' && offset_chars > 0) {
    const missing = `${field_path} has no character ${start_chars}; this is the start of the record. ${DATA_NOTE}`
    return beginning(record, client, missing)
  }
  if (widest.window.complete) {
    const whole = await beginning(record, client)
    if (isObject(whole.metadata) && whole.metadata.complete === true) return whole
  }
  const labels = await readLabels(client, widest.record, field_path)
  const chars = Array.from(widest.window.text)
  const fitting = mostThatFit(
    chars.length,
    count => JSON.stringify(passageDocument(widest, chars.slice(0, count).join(''), labels)),
    MOST_BYTES,
  )
  const shown = fitting === chars.length ? widest : await read(Math.max(1, fitting))
  return passageDocument(shown, shown.window.text, labels)
}

function passageDocument(
  { record, field, window, url }: FieldWindow,
  shown: string,
  { title, facts }: Awaited<ReturnType<typeof readLabels>>,
): JsonObject {
  const { start_chars, end_chars, complete, next_cursor, previous_cursor, pages } = window
  const before = Math.max(0, start_chars - PASSAGE_CHARS)
  return {
    title,
    url,
    metadata: {
      complete,
      previous_id: previous_cursor === null ? null : idFrom(record, field.path, before),
      next_id: next_cursor === null ? null : idFrom(record, field.path, end_chars),
      note: DATA_NOTE,
      record_id: recordId(record),
      field: field.path,
      start_chars,
      end_chars,
      ...(field.size_chars === undefined ? {} : { size_chars: field.size_chars }),
      ...(pages === undefined ? {} : { pages }),
      ...facts,
    },
    text: shown,
  }
}

/** The record as one bounded document. What does not fit has ids, because no other tool here can read it. */
async function beginning(
  record: Place['record'],
  client: ResourceServerClient,
  note = DATA_NOTE,
): Promise<JsonObject> {
  const { document } = await readDocument(client, record)
  const { title = '', url = '', text: shown = '', metadata, content_ladder } = document
  const { read, ...facts } = isObject(metadata) ? metadata : {}
  const [next = null, ...others] = idsOfTheRest(record, read, content_ladder)
  const made = (more: readonly string[]): JsonObject => ({
    title,
    url,
    metadata: {
      complete: facts.complete ?? false,
      previous_id: null,
      next_id: next,
      ...facts,
      note,
      ...(more.length > 0 ? { more_ids: [...more] } : {}),
    },
    text: shown,
  })
  const fitting = mostThatFit(
    others.length,
    count => JSON.stringify(made(others.slice(0, count))),
    MOST_BYTES,
  )
  return made(others.slice(0, fitting))
}

/** The ids of the texts that are cut or left out; the first one continues the document itself. */
function idsOfTheRest(record: Place['record'], read: Json | undefined, ladder: Json | undefined): string[] {
  const [rung] = isObject(ladder) && Array.isArray(ladder.records) ? ladder.records : []
  const fields = isObject(rung) && Array.isArray(rung.fields) ? rung.fields : []
  const calls = [read, ...fields.map(field => (isObject(field) ? field.read : undefined))]
  const ids = calls.flatMap(call => {
    const args = isObject(call) && isObject(call.args) ? call.args : {}
    const { field_path, offset_chars = 0, fields: named } = args
    if (typeof field_path === 'string') return [idFrom(record, field_path, Number(offset_chars))]
    return Array.isArray(named) ? named.map(name => idFrom(record, String(name), 0)) : []
  })
  return [...new Set(ids)]
}

const LABEL_CHARS = 120
const LABELS_BYTES = 1_500

/** Where a passage is from: the title of its record, its account and time, and its short values. */
async function readLabels(
  client: ResourceServerClient,
  record: RecordReference,
  field_path: string,
): Promise<{ title: string; facts: JsonObject }> {
  const capabilities = await capabilitiesOf(client)
  const bound = capabilities.has('max_field_chars') ? LABEL_CHARS : undefined
  const { connection_id } = record
  const answer = await client
    .get(readRecord, record, { connection_id, max_field_chars: bound })
    // The passage itself was read, and is still useful without its labels.
    .catch((): JsonObject => ({}))
  const data = isObject(answer.data) ? answer.data : {}
  const title = cutText(firstText(answer, ['title']) ?? `${record.stream} ${record.record_id}`, LABEL_CHARS)
  const fields: JsonObject = {}
  let room = LABELS_BYTES
  for (const [name, value] of Object.entries(data)) {
    if (name === field_path || value === null || typeof value === 'object') continue
    const shown = typeof value === 'string' ? cutText(value, LABEL_CHARS) : value
    room -= bytesOf(JSON.stringify([name, shown]))
    if (room > 0) define(fields, name, shown)
  }
  return { title, facts: { ...labelsOf(answer, await ownerZone(client)), fields } }
}
