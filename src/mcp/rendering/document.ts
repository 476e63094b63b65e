import { isRecordPage, passageUrl } from '../../model/ids/citation.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { define, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { digestOf } from '../../model/reading/record.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { type Binary, type CutText, DATA_URI, type Preview, previewOf } from '../reading/preview.ts'
import type { StreamShape } from '../reading/stream-shape.ts'
import { bytesOf, DATA_NOTE, head, mostThatFit, quote, word } from '../text/quote.ts'
import { type Call, type Handle, handleOf, partsOf, readCall } from '../text/record-handle.ts'
import { isReadable, ladderRecord, previewFields, type Reach, topField } from './ladder.ts'

/** A record as one bounded document (BU-4). */
export interface RecordDocument {
  document: JsonObject
  binaries: Binary[]
}

export interface RecordToShow {
  reference: RecordReference
  title: string
  url: string
  /** Labels and times that are shown with the id. */
  labels: JsonObject
  data: JsonObject
  /** What the resource server has already cut. */
  truncated: Json | undefined
  /** Fields that could not be read here. */
  unread: string[]
}

const MOST_BYTES = 11_900
const WINDOW_CHARS = 4_096
/** Characters of each text, tried from the largest, until the document fits. */
const TEXT_CHARS = [WINDOW_CHARS, 2_000, 1_000, 400, 160, 60]
/** Lists and objects larger than this are left out of a record that does not fit otherwise. */
const NESTED_BYTES = 1_000
/** If less text than this would fit, the ladder is left out. */
const LEAST_CHARS = 200
const LABEL_CHARS = 120
const LABELS_BYTES = 3_000

/** The document of `fetch`: identity and completeness first, the text last (BU-5). */
export function recordDocument(record: RecordToShow, shape: StreamShape, reach: Reach): RecordDocument {
  const text = shape.textField === null ? undefined : record.data[shape.textField]
  return typeof text === 'string' && shape.textField !== null && !DATA_URI.test(text)
    ? textDocument(record, shape.textField, shape, reach)
    : linesDocument(record, shape, reach)
}

/** The first window of the record's only text, with its other values as labels. */
function textDocument(
  record: RecordToShow,
  field: string,
  { mediaTypes }: StreamShape,
  reach: Reach,
): RecordDocument {
  const { [field]: value, ...others } = record.data
  const whole = String(value)
  const known = previewOf({ [field]: whole }, record.truncated, Number.MAX_SAFE_INTEGER).cuts[0]
  const size_chars = known?.size_chars ?? countCodePoints(whole)
  const digest = known ? known.digest : digestOf(whole)
  const mime_type = known ? known.mime_type : mediaTypes.get(field)
  const beside = previewOf(others, record.truncated, LABEL_CHARS, NESTED_BYTES, mediaTypes)
  const { fields, leftOut } = labelsOf(beside.data)
  const build = (chars: number): JsonObject => {
    const shown = head(whole, chars)
    const shown_chars = countCodePoints(shown)
    const cut = {
      path: field,
      size_chars,
      shown_chars,
      ...(known?.digest ? { digest: known.digest } : {}),
      ...(mime_type ? { mime_type } : {}),
    }
    const cuts: CutText[] = shown_chars < size_chars ? [cut, ...beside.cuts] : beside.cuts
    const url = citing(record.url, field, shown_chars, digest)
    return assemble({ ...record, url }, { ...beside, cuts }, { fields }, shown, reach, leftOut)
  }
  const most = Math.min(WINDOW_CHARS, countCodePoints(whole))
  const chars = mostThatFit(most, count => JSON.stringify(build(count)), MOST_BYTES)
  if (chars >= Math.min(most, LEAST_CHARS)) return { document: build(chars), binaries: beside.binaries }
  const fewer = mostThatFit(most, count => JSON.stringify(fitted(build(count))), MOST_BYTES)
  return { document: fitted(build(fewer)), binaries: beside.binaries }
}

/** The link to the text that is shown, if the server's pages have such links. */
function citing(url: string, field_path: string, end_chars: number, digest: string | undefined): string {
  if (end_chars === 0 || digest === undefined || !isRecordPage(url)) return url
  return passageUrl(url, { field_path, start_chars: 0, end_chars, digest })
}

/** Values that are shown with the text, as many as fit; only names for the others. */
function labelsOf(data: JsonObject): { fields: JsonObject; leftOut: string[] } {
  const fields: JsonObject = {}
  const leftOut: string[] = []
  let room = LABELS_BYTES
  for (const [field, value] of Object.entries(data)) {
    if (value === null) continue
    const bytes = bytesOf(JSON.stringify([field, value]))
    if (bytes > room) {
      leftOut.push(field)
      continue
    }
    define(fields, field, value)
    room -= bytes
  }
  return { fields, leftOut }
}

/** A `field: value` line for each value, in declared order. */
function linesDocument(record: RecordToShow, shape: StreamShape, reach: Reach): RecordDocument {
  const order = [
    ...shape.fields.filter(field => Object.hasOwn(record.data, field)),
    ...Object.keys(record.data),
  ]
  const fields = [...new Set(order)]
  const render = (chars: number, most: number, nestedBytes?: number): RecordDocument => {
    const preview = previewOf(record.data, record.truncated, chars, nestedBytes, shape.mediaTypes)
    const shown = fields.slice(0, most)
    const leftOut = fields.slice(most)
    const lines = shown.map(field => lineOf(field, preview.data[field] ?? null))
    if (leftOut.length > 0) lines.push(`… ${leftOut.length} more fields: fetch them by name`)
    const visible = new Set(shown)
    const cuts = preview.cuts.filter(({ path }) => visible.has(topField(path)))
    const binaries = preview.binaries.filter(({ path }) => visible.has(topField(path)))
    const omitted = preview.omitted.filter(({ path }) => visible.has(topField(path)))
    const part = { ...preview, cuts, binaries, omitted }
    const document = assemble(record, part, {}, lines.join('\n'), reach, leftOut)
    return { document, binaries }
  }
  for (const chars of TEXT_CHARS) {
    const made = render(chars, fields.length)
    if (bytesOf(JSON.stringify(made.document)) <= MOST_BYTES) return made
  }
  const least = TEXT_CHARS.at(-1) ?? 0
  const flat = render(least, fields.length, NESTED_BYTES)
  if (bytesOf(JSON.stringify(flat.document)) <= MOST_BYTES) return flat
  const most = mostThatFit(
    fields.length,
    count => JSON.stringify(fitted(render(least, count, NESTED_BYTES).document)),
    MOST_BYTES,
  )
  const { document, binaries } = render(least, most, NESTED_BYTES)
  return { document: fitted(document), binaries }
}

function assemble(
  { reference, title, url, labels, unread }: RecordToShow,
  preview: Preview,
  more: JsonObject,
  text: string,
  reach: Reach,
  leftOut: readonly string[],
): JsonObject {
  const handle: Handle = handleOf(reference)
  const fields = previewFields(handle, preview, reach)
  const left = [...leftOut, ...unread]
  const read = readOn(handle, preview, left, reach)
  return {
    id: handle.id,
    title,
    url,
    metadata: {
      complete: preview.cuts.length + preview.omitted.length + left.length === 0,
      ...(read ? { read } : {}),
      note: DATA_NOTE,
      ...partsOf(reference),
      ...(left.length > 0 ? { left_out_fields: left.length } : {}),
      ...labels,
      ...more,
    },
    ...(fields.length > 0 ? { content_ladder: { records: [ladderRecord(reference, fields, reach)] } } : {}),
    text,
  }
}

const MOST_NAMES = 8
const MOST_NAME_BYTES = 100

/**
 * The call that continues reading: in the first text that is cut, or else in a list or object, or else with the fields
 * left out.
 */
function readOn(
  handle: Handle,
  { cuts, omitted }: Preview,
  leftOut: readonly string[],
  { json }: Reach,
): Call | null {
  const cut = cuts.find(({ path }) => isReadable(path))
  if (cut) return readCall(handle, cut.path, { offset_chars: cut.shown_chars })
  const list = json ? omitted.find(({ path }) => isReadable(path)) : undefined
  if (list) return readCall(handle, list.path)
  const names = leftOut.filter(name => (json || !name.includes(',')) && bytesOf(name) <= MOST_NAME_BYTES)
  return names.length === 0
    ? null
    : { tool: 'fetch', args: { ...handle, fields: names.slice(0, MOST_NAMES) } }
}

/** An id can be too long to repeat: the ladder is left out first, then the values beside the text. */
function fitted(document: JsonObject): JsonObject {
  const fits = (made: JsonObject) => bytesOf(JSON.stringify(made)) <= MOST_BYTES
  if (fits(document)) return document
  const { content_ladder: _, ...bare } = document
  if (fits(bare) || !isObject(bare.metadata)) return bare
  const { connection_id, stream, left_out_fields, read } = bare.metadata
  const metadata: JsonObject = {
    complete: false,
    note: DATA_NOTE,
    connection_id: connection_id ?? '',
    stream: stream ?? '',
  }
  if (read !== undefined) metadata.read = read
  if (left_out_fields !== undefined) metadata.left_out_fields = left_out_fields
  return { ...bare, metadata }
}

const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** One value on one line: values with line breaks are quoted, so a value cannot look like another field. */
function lineOf(field: string, value: Json): string {
  if (typeof value === 'string') return `${word(field)}: ${LINE_BREAK.test(value) ? quote(value) : value}`
  return `${word(field)}: ${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)}`
}
