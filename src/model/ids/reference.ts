import { CodedError } from '../errors.ts'
import { parseResultId, type RecordReference } from './handle.ts'
import { isRecordUri, parseRecordUri } from './record-uri.ts'

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
