import { CodedError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import type { RecordReference } from '../model/result-id.ts'
import { firstText, recordLink } from './hit.ts'
import { type RecordDocument, type RecordToShow, recordDocument } from './rendering/document.ts'
import { capabilitiesOf, type ResourceServerClient, recordPath } from './resource-server-client.ts'
import { type StreamShape, shapeOf } from './stream-shape.ts'
import { readWindow } from './window.ts'

const MOST_FIELD_CHARS = 4_096

/** Reads a record as one bounded document: what `fetch` and the record resource give (RC-2). */
export async function readDocument(
  client: ResourceServerClient,
  reference: RecordReference,
  fields?: string[],
): Promise<RecordDocument> {
  const capabilities = await capabilitiesOf(client)
  const [record, shape] = await Promise.all([
    client
      .get(recordPath(reference.stream, reference.record_id), {
        connection_id: reference.connection_id ?? undefined,
        fields: fields?.join(','),
        max_field_chars: capabilities.has('max_field_chars') ? MOST_FIELD_CHARS : undefined,
      })
      .catch((error: unknown) => tooLarge(error)),
    shapeOf(client, reference),
  ])
  const shown = record
    ? describe(reference, record, client.provider.url)
    : await firstWindow(client, reference, shape, fields)
  return recordDocument(shown, shape, client.provider.url)
}

/** A record that the server could only give whole and that is too large for that. */
function tooLarge(error: unknown): null {
  if (error instanceof CodedError && error.code === 'provider_answer_too_large') return null
  throw error
}

function describe(asked: RecordReference, record: JsonObject, providerUrl: string): RecordToShow {
  const connection_id = firstText(record, ['connection_id']) ?? asked.connection_id
  const reference = { ...asked, connection_id }
  const url = firstText(record, ['url'])
  const labels = ['connector_key', 'display_name', 'emitted_at', 'authored_at'].flatMap(name => {
    const value = firstText(record, [name])
    return value === null ? [] : [[name, value.slice(0, 200)]]
  })
  return {
    reference,
    title: firstText(record, ['title'])?.slice(0, 200) ?? `${asked.stream} ${asked.record_id}`.slice(0, 200),
    url: url !== null && /^https?:\/\//.test(url) ? url : recordLink(providerUrl, reference),
    labels: Object.fromEntries(labels),
    data: isObject(record.data) ? record.data : {},
    truncated: record.truncated_fields,
  }
}

/** Of a record that cannot be read whole, the beginning of its text through a window. */
async function firstWindow(
  client: ResourceServerClient,
  reference: RecordReference,
  shape: StreamShape,
  fields: string[] | undefined,
): Promise<RecordToShow> {
  const candidates = fields ?? [...(shape.textField === null ? [] : [shape.textField]), ...shape.fields]
  const data: JsonObject = {}
  const truncated: JsonObject[] = []
  for (const field of candidates.slice(0, 8)) {
    const read = await readWindow(client, reference, field, { limit_chars: MOST_FIELD_CHARS }).catch(
      () => null,
    )
    if (!read) continue
    data[field] = read.window.text
    const { size_chars, digest } = read.field
    if (!read.window.complete) {
      truncated.push({
        field_path: field,
        size_chars: size_chars ?? read.window.end_chars,
        ...(digest === undefined ? {} : { digest }),
      })
    }
  }
  return describe(reference, { data, truncated_fields: truncated }, client.provider.url)
}
