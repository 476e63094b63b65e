import { readRecord } from '../../api/records.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { define, isObject, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { firstText } from '../reading/hit.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { bytesOf } from '../text/quote.ts'

const LABEL_CHARS = 120
const MOST_BYTES = 1_500

/** Where a passage is from: the title of its record, its account and time, and its short values. */
export async function readLabels(
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
  let room = MOST_BYTES
  for (const [name, value] of Object.entries(data)) {
    if (name === field_path || value === null || typeof value === 'object') continue
    const shown = typeof value === 'string' ? cutText(value, LABEL_CHARS) : value
    room -= bytesOf(JSON.stringify([name, shown]))
    if (room > 0) define(fields, name, shown)
  }
  const labels = ['display_name', 'authored_at'].flatMap(name => {
    const value = firstText(answer, [name])
    return value === null ? [] : [[name, cutText(value, LABEL_CHARS)]]
  })
  return { title, facts: { ...Object.fromEntries(labels), fields } }
}
