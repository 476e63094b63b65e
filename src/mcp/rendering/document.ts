import { countCodePoints } from '../../model/code-points.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { RecordReference } from '../../model/result-id.ts'
import { readCall } from '../field-call.ts'
import { ladderRecord, previewFields } from '../ladder.ts'
import { type Binary, type CutText, type Preview, previewOf } from '../preview.ts'
import { type Handle, handleOf } from '../reference.ts'
import type { StreamShape } from '../stream-shape.ts'
import { bytesOf, head, mostThatFit } from './quote.ts'

/** A record as one bounded document (BU-4). */
export interface RecordDocument {
  document: JsonObject
  binaries: Binary[]
}

export interface RecordToShow {
  reference: RecordReference
  title: string
  url: string
  /** Labels and times that stand beside the identity. */
  labels: JsonObject
  data: JsonObject
  /** What the resource server has cut already. */
  truncated: Json | undefined
}

const MOST_BYTES = 11_900
const WINDOW_CHARS = 4_096
/** Characters of each text that are tried, the largest first, until the document fits. */
const TEXT_CHARS = [WINDOW_CHARS, 2_000, 1_000, 400, 160, 60]
/** Lists and objects above this are left out of a record that fits in no other way. */
const NESTED_BYTES = 1_000
const LABEL_CHARS = 120
const MOST_LABELS = 16

/** The document of `fetch`: identity and completeness first, the text last (BU-5). */
export function recordDocument(
  record: RecordToShow,
  shape: StreamShape,
  providerUrl: string,
): RecordDocument {
  const text = shape.textField === null ? undefined : record.data[shape.textField]
  return typeof text === 'string' && shape.textField !== null
    ? textDocument(record, shape.textField, providerUrl)
    : linesDocument(record, shape, providerUrl)
}

/** The first window of the record's one text, with its other values as labels. */
function textDocument(record: RecordToShow, field: string, providerUrl: string): RecordDocument {
  const { [field]: value, ...others } = record.data
  const whole = String(value)
  const known = previewOf({ [field]: whole }, record.truncated, Number.MAX_SAFE_INTEGER).cuts[0]
  const size_chars = known?.size_chars ?? countCodePoints(whole)
  const beside = previewOf(others, record.truncated, LABEL_CHARS, NESTED_BYTES)
  const build = (chars: number): JsonObject => {
    const shown = head(whole, chars)
    const shown_chars = countCodePoints(shown)
    const cut = { path: field, size_chars, shown_chars, ...(known?.digest ? { digest: known.digest } : {}) }
    const cuts: CutText[] = shown_chars < size_chars ? [cut, ...beside.cuts] : beside.cuts
    const fields = Object.fromEntries(
      Object.entries(beside.data)
        .filter(([, each]) => each !== null)
        .slice(0, MOST_LABELS),
    )
    return assemble(record, { ...beside, cuts }, { fields }, shown, providerUrl)
  }
  const chars = mostThatFit(
    Math.min(WINDOW_CHARS, countCodePoints(whole)),
    count => JSON.stringify(build(count)),
    MOST_BYTES,
  )
  return { document: build(chars), binaries: beside.binaries }
}

/** A `field: value` line for each value, in declared order. */
function linesDocument(record: RecordToShow, shape: StreamShape, providerUrl: string): RecordDocument {
  const order = [
    ...shape.fields.filter(field => Object.hasOwn(record.data, field)),
    ...Object.keys(record.data),
  ]
  const fields = [...new Set(order)]
  const render = (chars: number, most: number, nestedBytes?: number): RecordDocument => {
    const preview = previewOf(record.data, record.truncated, chars, nestedBytes)
    const shown = fields.slice(0, most)
    const left = fields.length - shown.length
    const lines = shown.map(field => `${field}: ${valueText(preview.data[field] as Json)}`)
    if (left > 0)
      lines.push(
        `… ${left} more fields: fetch with fields, such as ${JSON.stringify(fields.slice(most, most + 3))}`,
      )
    const visible = new Set(shown)
    const cuts = preview.cuts.filter(({ path }) => visible.has(topField(path)))
    const binaries = preview.binaries.filter(({ path }) => visible.has(topField(path)))
    const omitted = preview.omitted.filter(({ path }) => visible.has(topField(path)))
    const part = { ...preview, cuts, binaries, omitted }
    const document = assemble(record, part, {}, lines.join('\n'), providerUrl, left)
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
    count => JSON.stringify(render(least, count, NESTED_BYTES).document),
    MOST_BYTES,
  )
  return render(least, most, NESTED_BYTES)
}

function assemble(
  { reference, title, url, labels }: RecordToShow,
  preview: Preview,
  more: JsonObject,
  text: string,
  providerUrl: string,
  leftOut = 0,
): JsonObject {
  const handle: Handle = handleOf(reference)
  const fields = previewFields(handle, preview, providerUrl)
  const [cut] = preview.cuts
  return {
    id: handle.id,
    title,
    url,
    metadata: {
      complete: preview.cuts.length + preview.omitted.length + leftOut === 0,
      ...(cut ? { read: readCall(handle, cut.path, { offset_chars: cut.shown_chars }) } : {}),
      connection_id: reference.connection_id ?? '',
      stream: reference.stream,
      record_id: reference.record_id,
      ...labels,
      ...more,
    },
    ...(fields.length > 0 ? { content_ladder: { records: [ladderRecord(reference, fields)] } } : {}),
    text,
  }
}

function valueText(value: Json): string {
  if (typeof value === 'string') return value
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
}

function topField(path: string): string {
  return path.startsWith('/')
    ? (path.slice(1).split('/')[0] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
    : path
}
