import type { RecordReference } from '../../model/ids/handle.ts'
import { formatPassageId, parsePassageId } from '../../model/ids/passage-id.ts'
import { recordUri } from '../../model/ids/record-uri.ts'
import { referenceOf } from '../../model/ids/reference.ts'
import { handleOf } from '../text/reference.ts'

/** What is shown around a place of a long text, and how much of it comes before the place. */
export const PASSAGE_CHARS = 4_096
export const BEFORE_CHARS = 1_024

/** A record and, where the id names one, a place in one of its texts. */
export interface Place {
  record: RecordReference
  passage: { field_path: string; start_chars: number } | null
}

export function placeOf(id: string): Place {
  const passage = parsePassageId(id)
  return { record: referenceOf(passage?.id ?? id, undefined), passage }
}

/** The id of a record that is enough alone and that nothing else could be read into. */
export function recordId(record: RecordReference): string {
  const { id, connection_id } = handleOf(record)
  if (connection_id === undefined && parsePassageId(id) === null) return id
  return recordUri(record.connection_id, record.stream, record.record_id)
}

/** The id under which the text around a place is fetched. */
export function passageId(record: RecordReference, field_path: string, start_chars: number): string {
  return formatPassageId({ id: recordId(record), field_path, start_chars })
}

/** The id under which the text that begins at an offset is fetched, without a gap. */
export function idFrom(record: RecordReference, field_path: string, offset_chars: number): string {
  return passageId(record, field_path, offset_chars + BEFORE_CHARS)
}

/** Where the text around a place begins. */
export function offsetAround(start_chars: number): number {
  return Math.max(0, start_chars - BEFORE_CHARS)
}
