import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { localTime, type TimeZone } from '../../model/time.ts'
import { type Handle, handleOf } from '../text/record-handle.ts'
import { firstName, firstText, isLink, recordLink } from './hit.ts'
import { type Preview, previewOf, smallMembers } from './preview.ts'
import type { MediaTypes } from './stream-shape.ts'

/** A record of a page as shown, and which parts of it are cut. */
export interface Row {
  reference: RecordReference
  handle: Handle
  preview: Preview
  deleted: boolean
  title: string
  author: string | null
  occurred_at: string | null
  /** The same in the reader's local time. */
  shown_at: string | null
  /** The zone of the reader. */
  zone: TimeZone
  /** Whether lists and objects can be read as JSON text. */
  readsJson: boolean
  /** Opens the record, for people. */
  url: string
  /** The server's record with its data cut. */
  record: JsonObject
}

/** How far values are cut. */
interface Cut {
  chars: number
  nestedBytes: number
}

interface Around {
  url: string
  json: boolean
  zone: TimeZone
  mediaTypes?: ReadonlyMap<string, MediaTypes>
}

export function rowOf(stream: string, record: JsonObject, cut: Cut, reach: Around): Row {
  const reference = {
    connection_id: firstName(record, ['connection_id']),
    stream: firstName(record, ['stream']) ?? stream,
    record_id: firstName(record, ['id', 'record_id', 'record_key']) ?? '',
  }
  const { url } = record
  const occurred_at = firstText(record, ['occurred_at', 'authored_at'])
  const preview = previewIn(record, reference, cut, reach)
  return {
    preview,
    record: shownRecord(record, preview),
    reference,
    handle: handleOf(reference),
    deleted: record.deleted === true || record.object === 'tombstone',
    readsJson: reach.json,
    title: cutText(firstText(record, ['title']) ?? `${reference.stream} ${reference.record_id}`, TITLE_CHARS),
    author: firstText(record, ['author']),
    occurred_at,
    shown_at: localTime(occurred_at, reach.zone),
    zone: reach.zone,
    url: typeof url === 'string' && isLink(url) ? url : recordLink(reach.url, reference),
  }
}

/** The same row with its values cut further. */
export function cutFurther(row: Row, record: JsonObject, cut: Cut, reach: Around): Row {
  const preview = previewIn(record, row.reference, cut, reach)
  return {
    ...row,
    preview,
    record: isObject(record.data) ? { ...row.record, data: preview.data } : row.record,
  }
}

function previewIn(
  { data, truncated_fields }: JsonObject,
  { stream }: RecordReference,
  { chars, nestedBytes }: Cut,
  { mediaTypes }: Around,
): Preview {
  return previewOf(isObject(data) ? data : {}, truncated_fields, chars, nestedBytes, mediaTypes?.get(stream))
}

const TITLE_CHARS = 120
const MOST_CUTS = 12
/** Enough for a record id of 1,024 characters, whatever they are. */
const MOST_MEMBER_BYTES = 4_400

/**
 * The record without what is too large for hosts: a list of every cut, a link as long as its id, members from other
 * servers.
 */
function shownRecord(record: JsonObject, preview: Preview): JsonObject {
  const { data, truncated_fields, url, ...rest } = record
  return {
    ...smallMembers(rest, MOST_MEMBER_BYTES),
    ...(typeof url === 'string' && isLink(url) ? { url } : {}),
    ...(isObject(data) ? { data: preview.data } : {}),
    ...(Array.isArray(truncated_fields) ? { truncated_fields: truncated_fields.slice(0, MOST_CUTS) } : {}),
  }
}
