import { readBlob } from '../../api/blobs.ts'
import type { RecordBody, TruncatedField } from '../../api/records.ts'
import { addressOf } from '../../api/route.ts'
import type { Shown } from '../../model/access/shown.ts'
import { withFetchUrls } from '../../model/declaration/blob.ts'
import {
  fieldWithRole,
  propertyOf,
  type StreamDeclaration,
  timeField,
} from '../../model/declaration/declaration.ts'
import { pathOf } from '../../model/declaration/field-path.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { define, isObject, type Json, type JsonObject } from '../../model/json.ts'
import {
  authorOf,
  cutText,
  digestOf,
  firstWords,
  headField,
  isTitle,
  type LongText,
  longPath,
  type Projection,
  putAt,
  type StoredRecord,
  TITLE_CHARS,
  titleOf,
} from '../../model/reading/record.ts'
import { advance, countCodePoints } from '../../model/text/code-points.ts'
import { readRange, spliceTexts, textMark } from '../../store/records/long-text.ts'
import type { RequestContext } from '../request/context.ts'

/** A record as the API returns it, and which part of it was shown. */
export interface Presented {
  body: RecordBody
  shown: Shown
}

/** A record in which every string longer than `maxChars` is cut and listed. */
export async function presentCut(
  context: RequestContext,
  projection: Projection,
  record: StoredRecord,
  maxChars: number,
): Promise<Presented> {
  const truncated: TruncatedField[] = []
  // The JSON of the data is no longer than the limit, so no string in it can be.
  const fits = record.data.length <= maxChars
  const data = fits ? projection.data : (cutStrings(projection.data, [], maxChars, truncated) as JsonObject)
  for (const long of projection.long_texts) {
    const end = Math.min(maxChars, long.size_chars)
    putAt(
      data,
      long.path,
      await readRange(context.store.database, context.owner_id, long.text_no, { start: 0, end }),
    )
    if (end === long.size_chars) continue
    const { size_chars, digest } = long
    truncated.push({ field_path: longPath(long), size_chars, returned_chars: end, digest })
  }
  for (const cut of truncated) {
    const mime_type = propertyOf(projection.source.stream, cut.field_path)?.contentMediaType
    if (mime_type !== undefined) cut.mime_type = mime_type
  }
  return {
    body: envelope(context, projection, record, data, truncated),
    shown: shownOf(projection, truncated),
  }
}

function cutStrings(value: Json, path: string[], maxChars: number, truncated: TruncatedField[]): Json {
  if (typeof value === 'string') {
    if (value.length <= maxChars) return value
    const end = advance(value, 0, maxChars)
    if (end === value.length) return value
    truncated.push({
      field_path: pathOf(path[0] ?? '', path.slice(1)).text,
      size_chars: countCodePoints(value),
      returned_chars: maxChars,
      digest: digestOf(value),
    })
    return value.slice(0, end)
  }
  if (Array.isArray(value))
    return value.map((item, i) => cutStrings(item, [...path, String(i)], maxChars, truncated))
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const [key, child] of Object.entries(value))
    define(copy, key, cutStrings(child, [...path, key], maxChars, truncated))
  return copy
}

function envelope(
  context: RequestContext,
  { source, record_id, emitted_at, long_texts }: Projection,
  record: StoredRecord,
  data: JsonObject,
  truncated: TruncatedField[],
): RecordBody {
  const stream = source.stream.name
  const { publicUrl } = context.env
  const url = (blob_id: string) => publicUrl + addressOf(readBlob, { blob_id })
  return {
    object: 'record',
    id: record_id,
    stream,
    connection_id: source.connection_id,
    connector_key: source.connector_key,
    display_name: source.display_name,
    ...headingOf(source.stream, data, long_texts, truncated),
    url: citationUrl(publicUrl, { connection_id: source.connection_id, stream, record_id }),
    data: record.data.includes('"blob_id"') ? (withFetchUrls(data, url) as JsonObject) : data,
    emitted_at,
    ...(context.isOwner ? { version: record.version } : {}),
    ...(truncated.length > 0 ? { truncated_fields: truncated } : {}),
  }
}

/**
 * Title, author and time. A title that was cut is marked; a cut text is not used as a time, nor a long one as an
 * author.
 */
function headingOf(
  stream: StreamDeclaration,
  data: JsonObject,
  long_texts: readonly LongText[],
  truncated: readonly TruncatedField[],
): Pick<RecordBody, 'title' | 'author' | 'occurred_at'> {
  const titled = headField(stream, data)
  const title = titleOf(stream, data)
  const isCut = (field: string | undefined) => truncated.some(({ field_path }) => field_path === field)
  const short = withoutLong(data, long_texts)
  const timed = fieldWithRole(stream, 'event-time') ?? timeField(stream)
  const time = timed === undefined || isCut(timed) ? undefined : short[timed]
  return {
    title:
      title !== null && isCut(titled) && !title.endsWith('…') ? cutText(`${title}…`, TITLE_CHARS) : title,
    author: authorOf(stream, short)?.name ?? null,
    occurred_at: typeof time === 'string' ? time : null,
  }
}

/** The fields that contain no long text. */
function withoutLong(data: JsonObject, long_texts: readonly LongText[]): JsonObject {
  if (long_texts.length === 0) return data
  const long = new Set(long_texts.map(({ path }) => path[0]))
  return Object.fromEntries(Object.entries(data).filter(([field]) => !long.has(field)))
}

/** What was shown of a record, some texts perhaps only in part. */
export function shownOf({ source, record_id, data }: Projection, truncated: TruncatedField[]): Shown {
  const shown = {
    connection_id: source.connection_id,
    stream: source.stream.name,
    record_ids: [record_id],
    fields: Object.keys(data),
  }
  if (truncated.length === 0) return shown
  const ranges = truncated.map(({ field_path, returned_chars }): [string, [number, number][]] => [
    field_path,
    [[0, returned_chars]],
  ])
  return { ...shown, ranges: Object.fromEntries(ranges) }
}

/** A whole record; marks take the places of long texts, so that these can be streamed in. */
export async function presentWhole(
  context: RequestContext,
  projection: Projection,
  record: StoredRecord,
): Promise<{ chunks(): AsyncGenerator<string> }> {
  const { data, long_texts } = projection
  const mark = textMark()
  for (const [index, long] of long_texts.entries()) putAt(data, long.path, mark(index))
  const body = envelope(context, projection, record, data, [])
  const { database } = context.store
  const titled = long_texts.find((_, index) => body.title === mark(index))
  if (titled) {
    const range = { start: 0, end: TITLE_CHARS + 1 }
    const start = await readRange(database, context.owner_id, titled.text_no, range)
    const hasTitle = isTitle(projection.source.stream, titled.path[0] ?? '')
    body.title = hasTitle ? cutText(start, TITLE_CHARS) : firstWords(start)
  }
  return { chunks: () => spliceTexts(database, context.owner_id, JSON.stringify(body), mark, long_texts) }
}
