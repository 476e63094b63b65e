import { readRecord } from '../../api/records.ts'
import { pathOf } from '../../api/route.ts'
import { CodedError } from '../../model/errors.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { define, isObject, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { localTime, type TimeZone } from '../../model/time-zone.ts'
import { firstName, firstText, isLink, recordLink } from '../reading/hit.ts'
import { ownerZone } from '../reading/narrowing.ts'
import { ProviderError } from '../reading/provider-error.ts'
import { capabilitiesOf, fieldList, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { type StreamShape, shapeOf } from '../reading/stream-shape.ts'
import { readWindow } from '../reading/window.ts'
import type { FieldWindow } from '../reading/window-shape.ts'
import { head } from '../text/quote.ts'
import { type RecordDocument, type RecordToShow, recordDocument } from './document.ts'

const MOST_FIELD_CHARS = 4_096
const MOST_WINDOWS = 8
const LABEL_CHARS = 200
const LABELS = ['author', 'occurred_at', 'connector_key', 'display_name', 'emitted_at', 'authored_at']
const TIMES = new Set(['occurred_at', 'authored_at'])

/** Reads a record as one bounded document, for `fetch` and the record resource (RC-2). */
export async function readDocument(
  client: ResourceServerClient,
  reference: RecordReference,
  fields?: string[],
): Promise<RecordDocument> {
  pathOf(readRecord, reference)
  const capabilities = await capabilitiesOf(client)
  const [record, shape] = await Promise.all([
    client
      .get(readRecord, reference, {
        connection_id: reference.connection_id,
        fields: fields && fieldList(fields, capabilities),
        max_field_chars: capabilities.has('max_field_chars') ? MOST_FIELD_CHARS : undefined,
      })
      .catch((error: unknown) => tooLarge(error)),
    shapeOf(client, reference),
  ])
  const zone = await ownerZone(client)
  const reader = { client, zone }
  const shown = record
    ? describe(reference, record, reader, [])
    : await firstWindow(reader, reference, shape, fields)
  return recordDocument(shown, shape, {
    url: client.provider.url,
    json: capabilities.has('field_window_json'),
  })
}

/** The client, and the zone in which times are shown. */
interface Reader {
  client: ResourceServerClient
  zone: TimeZone
}

/** For a record that the server only returns whole and that is too large. */
function tooLarge(error: unknown): null {
  if (error instanceof CodedError && error.code === 'provider_answer_too_large') return null
  throw error
}

function describe(
  asked: RecordReference,
  record: JsonObject,
  { client, zone }: Reader,
  unread: string[],
): RecordToShow {
  const connection_id = asked.connection_id ?? firstName(record, ['connection_id'])
  const reference = { ...asked, connection_id }
  const url = firstText(record, ['url'])
  return {
    reference,
    title: cutText(firstText(record, ['title']) ?? `${asked.stream} ${asked.record_id}`, LABEL_CHARS),
    url: url !== null && isLink(url) ? url : recordLink(client.provider.url, reference),
    labels: labelsOf(record, zone),
    data: isObject(record.data) ? record.data : {},
    truncated: record.truncated_fields,
    unread,
  }
}

/** Who, where and when: what a server says of a record besides its data. */
export function labelsOf(record: JsonObject, zone: TimeZone): JsonObject {
  const labels = LABELS.flatMap(name => {
    const value = firstText(record, [name])
    const shown = TIMES.has(name) ? localTime(value, zone) : value
    return shown === null ? [] : [[name, head(shown, LABEL_CHARS)]]
  })
  return Object.fromEntries(labels)
}

/** For a record that cannot be read whole, the start of its text through a window. */
async function firstWindow(
  reader: Reader,
  reference: RecordReference,
  shape: StreamShape,
  fields: string[] | undefined,
): Promise<RecordToShow> {
  const named = fields ?? [...(shape.textField === null ? [] : [shape.textField]), ...shape.fields]
  const data: JsonObject = {}
  const truncated: JsonObject[] = []
  const unread: string[] = []
  const candidates = [...new Set(named)]
  // Without a schema, the fields to read instead are unknown.
  if (candidates.length === 0) throw tooLargeRecord()
  for (const [index, field] of candidates.entries()) {
    const read = index < MOST_WINDOWS ? await windowOf(reader.client, reference, field) : null
    if (!read) {
      unread.push(field)
      continue
    }
    define(data, field, read.window.text)
    const { size_chars, digest } = read.field
    if (!read.window.complete) {
      truncated.push({
        field_path: field,
        size_chars: size_chars ?? read.window.end_chars,
        ...(digest === undefined ? {} : { digest }),
      })
    }
  }
  return describe(reference, { data, truncated_fields: truncated }, reader, unread)
}

/** Null if the field is not text or this record does not have it. */
function windowOf(
  client: ResourceServerClient,
  reference: RecordReference,
  field: string,
): Promise<FieldWindow | null> {
  return readWindow(client, reference, field, { limit_chars: MOST_FIELD_CHARS }).catch((error: unknown) => {
    if (error instanceof ProviderError && [404, 422].includes(error.status)) return null
    throw error
  })
}

function tooLargeRecord(): CodedError {
  return new CodedError(
    'provider_answer_too_large',
    'The record is too large to be read as a whole. Name the fields you need, or read one with read_record_field.',
  )
}
