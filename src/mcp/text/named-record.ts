import { CodedError } from '../../model/errors.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { recordUri } from '../../model/ids/record-uri.ts'
import { referenceOf } from '../../model/ids/reference.ts'

/** The record that an id names, or a citation link of this server, which models pass as an id. */
export function namedBy(id: string, connection_id: string | undefined, origin: string): RecordReference {
  if (!/^https?:\/\//i.test(id)) return referenceOf(id, connection_id)
  const url = URL.parse(id)
  const own = new URL(origin)
  const page = `${own.pathname.replace(/\/$/, '')}/r/`
  if (url?.origin !== own.origin || !url.pathname.startsWith(page))
    throw unknown(`This link is not of a record of this server; those begin with ${own.origin}${page}.`)
  const segments = url.pathname.slice(page.length).split('/')
  // The pattern for links contains the id as it is, so the stream and the record are in one segment.
  const [linked, stream, record_id, ...others] = segments.map(decoded)
  if (linked === undefined || stream === undefined || others.length > 0)
    throw unknown('The link names no record.')
  const named = record_id === undefined ? `${linked}/${stream}` : recordUri(linked, stream, record_id)
  return referenceOf(named, connection_id)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw unknown('The link is not encoded correctly.')
  }
}

function unknown(reason: string): CodedError {
  const message = `${reason} Pass an id or a link exactly as it was shown.`
  return new CodedError('invalid_result_id', message, { segment: 'id', reason })
}
