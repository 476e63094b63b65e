import { isObject, type JsonObject } from '../model/json.ts'
import type { RecordReference } from '../model/result-id.ts'
import { firstText } from './hit.ts'
import { type Preview, previewOf } from './preview.ts'
import { type Handle, handleOf } from './reference.ts'

/** A record of a page: as it is shown, and what of it is cut. */
export interface Row {
  reference: RecordReference
  handle: Handle
  preview: Preview
  deleted: boolean
  /** The server's record with its data cut. */
  record: JsonObject
}

export function rowOf(
  stream: string,
  record: JsonObject,
  { chars, nestedBytes }: { chars: number; nestedBytes: number },
): Row {
  const reference = {
    connection_id: firstText(record, ['connection_id']),
    stream: firstText(record, ['stream']) ?? stream,
    record_id: firstText(record, ['id', 'record_id', 'record_key']) ?? '',
  }
  const data = isObject(record.data) ? record.data : {}
  const preview = previewOf(data, record.truncated_fields, chars, nestedBytes)
  return {
    reference,
    handle: handleOf(reference),
    preview,
    deleted: record.deleted === true || record.object === 'tombstone',
    record: isObject(record.data) ? { ...record, data: preview.data } : record,
  }
}
