import { namedBy } from '../../model/ids/citation.ts'
import { type RecordReference, recordUri } from '../../model/ids/handle.ts'
import { handleOf } from '../text/record-handle.ts'

/** How much is shown around a place in a long text, and how much of it comes before the place. */
export const PASSAGE_CHARS = 4_096
export const BEFORE_CHARS = 1_024

/** A record and, if the id names one, a place in one of its texts. */
export interface Place {
  record: RecordReference
  passage: { field_path: string; start_chars: number } | null
}

export function placeOf(id: string, origin: string): Place {
  const passage = parsePassageId(id)
  return { record: namedBy(passage?.id ?? id, undefined, origin), passage }
}

/** The id of a record that is complete on its own and cannot be misread as another id. */
export function recordId(record: RecordReference): string {
  const { id, connection_id } = handleOf(record)
  if (connection_id === undefined && parsePassageId(id) === null) return id
  return recordUri(record.connection_id, record.stream, record.record_id)
}

/** The id that fetches the text around a place. */
export function passageId(record: RecordReference, field_path: string, start_chars: number): string {
  return formatPassageId({ id: recordId(record), field_path, start_chars })
}

/** The id that fetches the text starting at an offset, without a gap. */
export function idFrom(record: RecordReference, field_path: string, offset_chars: number): string {
  return passageId(record, field_path, offset_chars + BEFORE_CHARS)
}

/** Where the text around a place begins. */
export function offsetAround(start_chars: number): number {
  return Math.max(0, start_chars - BEFORE_CHARS)
}

/** A place in a text of a record, as one word: for clients that pass on only an id. */
interface PassageId {
  /** The id of the record. */
  id: string
  field_path: string
  start_chars: number
}

const PASSAGE_ID = /^(.+)#([^#]+)@(\d{1,12})$/s

/** If the field cannot be written after a `#`, this is only the id of the record. */
function formatPassageId({ id, field_path, start_chars }: PassageId): string {
  const made = `${id}#${field_path}@${start_chars}`
  return parsePassageId(made)?.field_path === field_path ? made : id
}

/** Null for an id without a passage. The last `#` counts, because record ids may contain others. */
export function parsePassageId(text: string): PassageId | null {
  const [, id, field_path, start] = PASSAGE_ID.exec(text) ?? []
  if (id === undefined || field_path === undefined) return null
  return { id, field_path, start_chars: Number(start) }
}
