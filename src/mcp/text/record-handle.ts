import { formatResultId, type RecordReference, recordUri } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'

/** A handle for a record, and its connection separately if the handle cannot contain it (ID-8, ID-11). */
export interface Handle {
  id: string
  connection_id?: string
}

export function handleOf({ connection_id, stream, record_id }: RecordReference): Handle {
  const whole = formatResultId(connection_id, stream, record_id)
  if (whole !== null) return { id: whole }
  const plain = formatResultId(null, stream, record_id)
  if (plain !== null && connection_id !== null) return { id: plain, connection_id }
  return { id: recordUri(connection_id, stream, record_id) }
}

const MOST_RECORD_ID_BYTES = 1_024

/** The parts of an id, in addition to it. A record id that would leave no room for the rest is only in the id. */
export function partsOf({ connection_id, stream, record_id }: RecordReference): JsonObject {
  const short = Buffer.byteLength(record_id) <= MOST_RECORD_ID_BYTES
  return { connection_id: connection_id ?? '', stream, ...(short ? { record_id } : {}) }
}

/** A call that a model can make unchanged. */
export interface Call extends JsonObject {
  tool: string
  args: JsonObject
}

/** Where a text continues (LA-1). */
export function readCall(handle: Handle, field_path: string, selector: JsonObject = {}): Call {
  return { tool: 'read_record_field', args: { ...handle, field_path, ...selector } }
}

export function fetchCall(handle: Handle): Call {
  return { tool: 'fetch', args: { ...handle } }
}
