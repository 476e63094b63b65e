import { CodedError } from '../errors.ts'
import { parseResultId, type RecordReference } from './handle.ts'
import { isRecordUri, parseRecordUri } from './record-uri.ts'

/**
 * Returns the reference if a request can name it. A URI or three separate parts can express what a text id cannot, such
 * as a slash, but not what no URL can express. That is refused like a malformed id, before any request is sent.
 */
export function nameable(reference: RecordReference): RecordReference {
  for (const [segment, value] of Object.entries(reference)) {
    const reason = value === null ? undefined : UNNAMEABLE.find(({ found }) => found(value))?.reason
    if (reason === undefined) continue
    const message = `The ${segment} ${reason}. Pass the id exactly as it was shown.`
    throw new CodedError('invalid_result_id', message, { segment, reason })
  }
  return reference
}

const UNNAMEABLE: { reason: string; found: (segment: string) => boolean }[] = [
  { reason: 'is empty', found: segment => segment === '' },
  { reason: 'is "." or ".."', found: segment => segment === '.' || segment === '..' },
  { reason: 'contains U+0000', found: segment => segment.includes('\0') },
]

/** The record that an id names: self-contained, legacy with a separate connection, or a record URI (ID-4 to ID-12). */
export function referenceOf(id: string, connection_id: string | undefined): RecordReference {
  const reference = nameable(isRecordUri(id) ? parseRecordUri(id) : parseResultId(id))
  if (connection_id === undefined || connection_id === reference.connection_id) return reference
  if (reference.connection_id === null) return { ...reference, connection_id }
  throw new CodedError(
    'conflicting_connection_id',
    `The id names connection ${reference.connection_id}, connection_id names ${connection_id}. Leave connection_id out.`,
    { param: 'connection_id', id_connection_id: reference.connection_id, connection_id },
  )
}
