import { readRecord } from '../../api/records.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { localTime } from '../../model/time-zone.ts'
import { firstText } from '../reading/hit.ts'
import { ownerZone } from '../reading/narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'

const LABEL_CHARS = 200

/** Where a passage is from, as far as the grant shows it. */
export interface Origin extends JsonObject {
  title: string
}

export async function originOf(client: ResourceServerClient, record: RecordReference): Promise<Origin> {
  const capabilities = await capabilitiesOf(client)
  const { connection_id } = record
  const max_field_chars = capabilities.has('max_field_chars') ? LABEL_CHARS : undefined
  const answer = await client
    .get(readRecord, record, { connection_id, max_field_chars })
    // The passage itself was read; without its labels it is still evidence.
    .catch((): JsonObject => ({}))
  const occurred_at = firstText(answer, ['occurred_at', 'authored_at'])
  // Only our own server has an owner whose zone is known.
  const zone = capabilities.has('operators') ? await ownerZone(client) : null
  const labels = {
    source: firstText(answer, ['display_name', 'connector_key']),
    author: firstText(answer, ['author']),
    occurred_at,
    local_time: zone && localTime(occurred_at, zone),
  }
  const title = firstText(answer, ['title']) ?? `${record.stream} ${record.record_id}`
  const shown = Object.entries(labels).flatMap(([name, value]) =>
    value === null ? [] : [[name, cutText(value, LABEL_CHARS)]],
  )
  return { title: cutText(title, LABEL_CHARS), ...Object.fromEntries(shown) }
}
