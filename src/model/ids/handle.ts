import { CodedError } from '../errors.ts'
import { isPrintable } from '../text/invisible.ts'

export interface RecordReference {
  connection_id: string | null
  stream: string
  record_id: string
}

const MAX_ID_CHARS = 8192

/** What ID-2 forbids in every segment. A parsed id is refused for no other reason. */
const FORBIDDEN: { reason: string; found: (segment: string) => boolean }[] = [
  { reason: 'is empty', found: segment => segment === '' },
  { reason: 'is "."', found: segment => segment === '.' },
  { reason: 'contains ".."', found: segment => segment.includes('..') },
  { reason: 'contains "/", an extra separator', found: segment => segment.includes('/') },
  { reason: 'contains "\\"', found: segment => segment.includes('\\') },
]

/** `{connection_id}/{stream}:{record_id}`, or without `/` the legacy `{stream}:{record_id}` (ID-1, ID-3). */
export function parseResultId(id: string): RecordReference {
  if (id.length > MAX_ID_CHARS) throw invalid('id', `has more than ${MAX_ID_CHARS} characters`)
  const slash = id.indexOf('/')
  const connection_id = slash === -1 ? null : id.slice(0, slash)
  const rest = id.slice(slash + 1)
  const colon = rest.indexOf(':')
  const stream = colon === -1 ? rest : rest.slice(0, colon)
  if (connection_id !== null) checkSegment('connection_id', connection_id)
  checkSegment('stream', stream)
  if (colon === -1) throw invalid('record_id', 'is missing: no ":" follows the stream')
  const record_id = rest.slice(colon + 1)
  checkSegment('record_id', record_id)
  return { connection_id, stream, record_id }
}

/** Null if the grammar or a line of text cannot express the record; it then has a handle instead (ID-11). */
export function formatResultId(
  connection_id: string | null,
  stream: string,
  record_id: string,
): string | null {
  const segments = connection_id === null ? [stream, record_id] : [connection_id, stream, record_id]
  // White space at the ends would be lost when a model copies the id.
  const unfit = segments.some(
    segment => !isPrintable(segment) || segment.trim() !== segment || forbiddenIn(segment) !== undefined,
  )
  if (unfit || stream.includes(':')) return null
  const id = `${connection_id === null ? '' : `${connection_id}/`}${stream}:${record_id}`
  return id.length > MAX_ID_CHARS ? null : id
}

function checkSegment(name: keyof RecordReference, segment: string): void {
  const reason = forbiddenIn(segment)
  if (reason !== undefined) throw invalid(name, reason)
}

function forbiddenIn(segment: string): string | undefined {
  return FORBIDDEN.find(({ found }) => found(segment))?.reason
}

function invalid(segment: string, reason: string): CodedError {
  const message = `The result id's ${segment === 'id' ? 'text' : segment} ${reason}. Pass the id exactly as search showed it: {connection_id}/{stream}:{record_id}.`
  return new CodedError('invalid_result_id', message, { segment, reason })
}
