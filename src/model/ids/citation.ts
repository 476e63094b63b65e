import { CodedError } from '../errors.ts'
import { originsOf } from '../loopback.ts'
import { type RecordReference, recordUri, referenceOf } from './handle.ts'

/** A passage of a field, and a prefix of the digest of the text that it was cited from. */
export interface Passage {
  field_path: string
  start_chars: number
  end_chars: number
  digest: string
}

const DIGEST_CHARS = 8
const FIELD = 'f'
const RANGE = 'at'
const DIGEST = 'd'

/**
 * The URL of a record's page in the console; with a passage, the page opens there. Short, because models pay for each
 * character.
 */
export function citationUrl(publicUrl: string, record: RecordReference, passage?: Passage): string {
  const segments = [record.connection_id ?? '', record.stream, record.record_id].map(encodeURIComponent)
  const page = `${publicUrl}/r/${segments.join('/')}`
  return passage ? passageUrl(page, passage) : page
}

/** The URL of a record's page, opened at a passage. */
export function passageUrl(page: string, passage: Passage): string {
  const digest = passage.digest.slice('sha256:'.length, 'sha256:'.length + DIGEST_CHARS)
  const query = new URLSearchParams({
    [FIELD]: passage.field_path,
    [RANGE]: `${passage.start_chars}-${passage.end_chars}`,
    ...(digest === '' ? {} : { [DIGEST]: digest }),
  })
  return `${page}?${query}`
}

/** The pattern that models form links from: the id as shown, and the field and range of a passage. */
export function linkPattern(publicUrl: string): string {
  return `${publicUrl}/r/ID?${FIELD}=FIELD&${RANGE}=FROM-TO`
}

/** Whether a URL is a record's page, without a passage. */
export function isRecordPage(url: string): boolean {
  return /^https?:\/\/[^?#]+\/r\/[^/?#]+\/[^/?#]+\/[^/?#]+$/.test(url)
}

/** Whether a link formed by that pattern works without any encoding. */
export function isFormable(id: string, field_path: string): boolean {
  return [id, field_path].every(part => /^[A-Za-z0-9._:~/-]+$/.test(part)) && !id.includes('//')
}

/** Whether a query is meant to name a passage, whether it is complete or damaged. */
export function namesPassage(query: URLSearchParams): boolean {
  return [FIELD, RANGE, DIGEST].some(name => query.has(name))
}

/** The passage that a citation names; null if it names none. `digest` is a prefix. */
export function passageOf(query: URLSearchParams): Passage | null {
  const field_path = query.get(FIELD)
  const range = /^(\d{1,12})-(\d{1,12})$/.exec(query.get(RANGE) ?? '')
  if (!field_path || !range) return null
  const [start_chars, end_chars] = [Number(range[1]), Number(range[2])]
  const digest = /^[0-9a-f]{8}$/.test(query.get(DIGEST) ?? '') ? `sha256:${query.get(DIGEST)}` : ''
  return end_chars < start_chars ? null : { field_path, start_chars, end_chars, digest }
}

/** The record that an id or a citation link of the server at `origin` names. Models pass links as ids. */
export function namedBy(id: string, connection_id: string | undefined, origin: string): RecordReference {
  if (!/^https?:\/\//i.test(id)) return referenceOf(id, connection_id)
  const url = URL.parse(id)
  const own = new URL(origin)
  const page = `${own.pathname.replace(/\/$/, '')}/r/`
  if (!url || !originsOf(own.origin).includes(url.origin) || !url.pathname.startsWith(page))
    throw unknown(`This link is not of a record of this server; those begin with ${own.origin}${page}.`)
  const segments = url.pathname.slice(page.length).split('/')
  // The pattern for links contains the id as it is, so the stream and the record are in one segment.
  const [linked, stream, record_id, ...others] = segments.map(decoded)
  if (linked === undefined || stream === undefined || others.length > 0)
    throw unknown('The link names no record.')
  const named = record_id === undefined ? `${linked}/${stream}` : recordUri(linked, stream, record_id)
  return referenceOf(named, connection_id)
}

/** Where the server of a citation link is, for a reader of links of any server. */
export function originOfLink(link: string): string {
  return link.replace(/\/r\/.*$/s, '')
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
