import { CodedError } from '../../model/errors.ts'
import { formatResultId, parseResultId, type RecordReference } from '../../model/ids/handle.ts'
import { isRecordUri, parseRecordUri, recordUri } from '../../model/ids/record-uri.ts'
import type { JsonObject } from '../../model/json.ts'

/** The record that an id names: self-contained, legacy with a connection beside it, or a record URI (ID-4 to ID-12). */
export function referenceOf(id: string, connection_id: string | undefined): RecordReference {
  const reference = isRecordUri(id) ? parseRecordUri(id) : parseResultId(id)
  if (connection_id === undefined || connection_id === reference.connection_id) return reference
  if (reference.connection_id === null) return { ...reference, connection_id }
  throw new CodedError(
    'conflicting_connection_id',
    `The id names connection ${reference.connection_id}, connection_id names ${connection_id}. Leave connection_id out.`,
    { param: 'connection_id', id_connection_id: reference.connection_id, connection_id },
  )
}

/** A handle for a record, and the connection beside it where the handle cannot carry it (ID-8, ID-11). */
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
