import { isFormable } from '../../model/ids/citation.ts'
import type { JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import type { Evidence, Hit } from '../reading/hit.ts'
import { bytesOf, callText, head, quote, quotedAround, quotedHead, word } from '../text/quote.ts'
import { partsOf } from '../text/record-handle.ts'
import { ladderRecord, sizeGrade } from './ladder.ts'

/** The size of the windows that are requested, and the most that is shown of one. */
export const WINDOW_CHARS = 160
/** The most bytes that one hit may add to structured content, and that its previews may use of them. */
export const MOST_HIT_BYTES = 1_560
/**
 * What a hit shows in addition to `data`; the first variant that fits is used. `twice` is what the result repeats from
 * the ladder, `labels` what both repeat from `data`.
 */
const LAYOUTS = [
  { preview: WINDOW_CHARS, title: 120, labels: true, twice: true, next: true },
  { preview: WINDOW_CHARS, title: 80, labels: true, twice: true, next: false },
  { preview: 120, title: 80, labels: false, twice: true, next: false },
  { preview: 120, title: 60, labels: false, twice: false, next: false },
  { preview: 90, title: 60, labels: false, twice: false, next: false },
  { preview: 60, title: 40, labels: false, twice: false, next: false },
  { preview: 40, title: 40, labels: false, twice: false, next: false },
  { preview: 24, title: 20, labels: false, twice: false, next: false },
  { preview: 16, title: 12, labels: false, twice: false, next: false },
] as const
type Layout = (typeof LAYOUTS)[number]
/** With previews no longer than this, a hit has neither a grade of its size nor further places. */
const LEAST_PREVIEW = 40
/** Only the start of a longer match is shown. */
const MOST_MATCH_CHARS = 80

interface PresentedHit {
  result: JsonObject
  rung: JsonObject | null
  /** Which variant it is. */
  variant: number
  /** The JSON of both. */
  texts: { result: string; rung: string }
}

/**
 * A hit as a flat result and as an entry of the ladder; both previews show the same window (EV-3). The hits of a page
 * are alike, so the variant of the hit before is tried first.
 */
export function presentHit(
  hit: Hit,
  index: number,
  /** The bytes of the hit in `data`, and the most that it may use in total. */
  { rawBytes, mostBytes }: { rawBytes: number; mostBytes: number },
  before = 0,
): PresentedHit {
  const least = Math.min(matchChars(hit.evidence?.match ?? null), MOST_MATCH_CHARS)
  const present = (variant: number): PresentedHit => {
    const { result, rung } = layOut(hit, index, LAYOUTS[variant] as Layout, least)
    return { result, rung, variant, texts: { result: JSON.stringify(result), rung: JSON.stringify(rung) } }
  }
  const fits = ({ texts }: PresentedHit) =>
    rawBytes + bytesOf(texts.result) + bytesOf(texts.rung) + NAMES_BYTES <= mostBytes
  let made = present(before)
  if (fits(made)) {
    while (made.variant > 0) {
      const better = present(made.variant - 1)
      if (!fits(better)) break
      made = better
    }
  } else {
    while (made.variant < LAYOUTS.length - 1 && !fits(made)) made = present(made.variant + 1)
  }
  return made
}

const NAMES_BYTES = bytesOf('{"result":,"rung":}')

function layOut(hit: Hit, index: number, layout: Layout, least: number) {
  const { evidence, handle, reference, title, url, snippet, author, display_name, occurred_at } = hit
  const preview = evidence
    ? around(evidence, Math.max(layout.preview, least))
    : snippet === null
      ? undefined
      : head(snippet, layout.preview)
  const rung = evidence
    ? rungOf(hit, evidence, Math.max(Math.floor(layout.preview / 2), least), layout)
    : null
  // The first hit keeps it for clients that see only the start (BU-5).
  const twice = layout.twice || index === 0 || !rung
  const result: JsonObject = {
    id: handle.id,
    title: cutText(title, layout.title),
    url,
    ...(preview === undefined ? {} : { snippet: preview }),
    ...(evidence && twice ? { field_path: evidence.field_path } : {}),
    ...(evidence?.range && twice ? { start_chars: evidence.range.start, end_chars: evidence.range.end } : {}),
    ...(evidence && twice ? { status: statusOf(evidence, preview ?? '') } : {}),
    ...(hit.next && (layout.next || index === 0 || !rung) ? { next: hit.next } : {}),
    ...(reference
      ? // The id has the same parts.
        layout.labels || handle.connection_id !== undefined
        ? partsOf(reference)
        : {}
      : { connection_id: handle.connection_id ?? '', stream: '', record_id: '' }),
    ...(layout.preview > LEAST_PREVIEW && hit.also ? { also_at: { ...hit.also } } : {}),
    ...(layout.labels && hit.files.length > 0 ? { files: hit.files } : {}),
    ...(layout.labels && hit.further > 0 ? { more_in_conversation: hit.further } : {}),
    ...(layout.labels ? labelsOf({ author, source: display_name ?? hit.connector_key, occurred_at }) : {}),
  }
  return { result, rung }
}

function labelsOf(labels: Record<string, string | null>): JsonObject {
  const known: JsonObject = {}
  for (const name in labels) if (labels[name] != null) known[name] = labels[name]
  return known
}

function rungOf(hit: Hit, evidence: Evidence, chars: number, layout: Layout): JsonObject | null {
  if (!hit.reference) return null
  const { field_path, range, size_chars, digest, mime_type } = evidence
  const preview = around(evidence, chars)
  const field: JsonObject = {
    path: field_path,
    type: 'string',
    ...(size_chars === null ? {} : { size_chars }),
    ...(layout.preview > LEAST_PREVIEW || size_chars === null
      ? { size_grade: sizeGrade(size_chars ?? undefined) }
      : {}),
    text_like: true,
    status: statusOf(evidence, preview),
    ...(range ? { start_chars: range.start, end_chars: range.end } : {}),
    preview,
    // `data` has both too.
    ...(mime_type === null || !layout.twice ? {} : { mime_type }),
    ...(digest === null || !layout.twice ? {} : { digest }),
    ...(hit.next === null ? {} : { read: hit.next }),
  }
  // The result beside it has the parts of the id.
  return layout.labels ? ladderRecord(hit.reference, [field]) : { id: hit.handle.id, fields: [field] }
}

/** Complete means that the whole field is shown, not a shortened part of a window that showed it. */
function statusOf({ range, size_chars, text: all }: Evidence, preview: string): string {
  const whole = range?.text_start === 0 && range.text_end === size_chars
  return whole && preview === all ? 'complete' : 'snippet-only'
}

/** At most this many characters of the window, including the match or at least its start. */
function around({ text: shown, match }: Evidence, chars: number): string {
  const before = Math.floor(Math.max(0, chars - matchChars(match)) / 3)
  const start = Math.max(0, Math.min((match?.start ?? 0) - before, countCodePoints(shown) - chars))
  return sliceCodePoints(shown, start, start + chars)
}

function matchChars(match: Evidence['match']): number {
  return match ? match.end - match.start : 0
}

/** How much of a hit is shown: only its id (0), a line (1 to 3), or a block of evidence (4 to 8). */
export type Detail = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
export const BARE = 0
export const LEAST_BLOCK = 4

interface Sizes {
  words: number
  author: number
  source: number
  snippet: number
  files: number
}

/** Bytes for each part. A part of size 0 is left out. */
const SIZES: Record<Exclude<Detail, typeof BARE>, Sizes> = {
  1: { words: 20, author: 0, source: 0, snippet: 0, files: 0 },
  2: { words: 40, author: 0, source: 0, snippet: 0, files: 36 },
  3: { words: 60, author: 28, source: 24, snippet: 0, files: 52 },
  4: { words: 20, author: 18, source: 12, snippet: 126, files: 40 },
  5: { words: 40, author: 32, source: 24, snippet: 150, files: 60 },
  6: { words: 64, author: 44, source: 32, snippet: 200, files: 90 },
  7: { words: 100, author: 60, source: 40, snippet: 280, files: 140 },
  8: { words: 200, author: 80, source: 60, snippet: 600, files: 260 },
}
/** For each degree of detail of a line, the bytes of text around a further match in the same record. */
const FURTHER_BYTES = 36
/** With less room for words, a line does not say how many hits follow. */
const LEAST_WORDS_WITH_MORE = 40
const NO_CALL = 'The server names no record for this hit, so it cannot be opened.'
const LEAST_BEGINNING_BYTES = 40
const LEAST_VALUE_BYTES = 3
/** A space before the value, and ` · ` after it, whose point has two bytes. */
const BETWEEN_VALUES = 5
/** A link longer than this is not printed. */
const MOST_LINK_BYTES = 300

/** What a hit may show beside its detail. */
export interface Beside {
  /** These bytes more of its text. */
  extra?: number
  /** Where the next best matches are. */
  places?: boolean
}

/** A hit as text; the first includes the complete call that continues reading. */
export function hitText(
  hit: Hit,
  detail: Detail,
  isFirst: boolean,
  { extra = 0, places = false }: Beside = {},
): string {
  const { id, connection_id } = hit.handle
  const first = connection_id === undefined ? id : `${id} connection_id=${quote(connection_id)}`
  const call = hit.next === null ? `\n  ${NO_CALL}` : isFirst ? `\n  ${callText(hit.next)}` : ''
  if (detail === BARE) return bytesOf(call) > 1_000 ? first : first + call
  const sizes = SIZES[detail]
  // The record is known; only the place and the text there are new.
  if (hit.isFurther)
    return evidenceLines(hit, { ...sizes, snippet: sizes.snippet || FURTHER_BYTES * detail }, extra).join(
      '\n',
    )
  const isBlock = detail >= LEAST_BLOCK
  const files = filesText(hit, sizes.files)
  // A block shows the text itself, so first words would be shown twice.
  const labels = isBlock
    ? labelsText(hit.isTitled ? hit : { ...hit, words: null }, sizes)
    : labelsText(hit, sizes, files)
  // Nothing else follows an id with spaces on its line, so that it is clear where the id ends.
  const separator = labels === '' ? '' : /\s/.test(first) ? '\n  ' : ' '
  if (!isBlock) return `${first}${separator}${labels}${call}`
  return (
    [
      first,
      ...(labels === '' ? [] : [`  ${labels}`]),
      ...evidenceLines(hit, sizes, extra, places),
      ...valueLines(hit, sizes.snippet + extra),
      ...beginningLines(hit, sizes.snippet + extra),
      ...(files === '' ? [] : [`  ${files}`]),
    ].join('\n') + call
  )
}

/** Title or first words, author, source and time, if known; on a line also the files. */
function labelsText(hit: Hit, sizes: Sizes, files = ''): string {
  const { words, author, display_name, connector_key, occurred_at, further } = hit
  const source = display_name ?? connector_key
  // If there is little room, the date is enough.
  const whole = sizes.words >= 60
  const labels = [
    words === null ? '' : quotedHead(words, sizes.words),
    author === null || sizes.author === 0 ? '' : word(author, sizes.author),
    source === null || sizes.source === 0 ? '' : word(source, sizes.source),
    occurred_at === null ? '' : word(whole ? occurred_at : occurred_at.slice(0, 10), 40),
    files,
    further === 0 || sizes.words < LEAST_WORDS_WITH_MORE ? '' : `+${further} in its conversation`,
  ]
  return labels.filter(label => label !== '').join(', ')
}

/** As many names of files as fit, at least the start of the first; empty without room or files. */
function filesText({ files }: Hit, bytes: number): string {
  const [first, ...others] = files
  if (first === undefined || bytes === 0) return ''
  let text = `files: ${quotedHead(first, bytes)}`
  for (const other of others) {
    const longer = `${text}, ${quote(other)}`
    if (bytesOf(longer) <= bytes) text = longer
  }
  return text
}

/** The start of the text, as much of it as fits beside the evidence. */
function beginningLines({ beginning, evidence }: Hit, bytes: number): string[] {
  const room = bytes - bytesOf(evidence?.text ?? '')
  if (beginning === null || room < LEAST_BEGINNING_BYTES) return []
  return [`  ${word(beginning.field)}: ${quotedHead(beginning.text, room)}`]
}

/** As many values as fit beside the evidence, which is short if a record has no text. The first is cut if it is too long. */
function valueLines({ values, evidence, snippet }: Hit, bytes: number): string[] {
  let room = bytes - bytesOf(evidence?.text ?? snippet ?? '')
  const shown: string[] = []
  for (const { field, text } of values) {
    const name = word(field)
    const left = room - bytesOf(name) - BETWEEN_VALUES
    const value = bytesOf(quote(text)) > left && shown.length === 0 ? quotedHead(text, left) : quote(text)
    if (left < LEAST_VALUE_BYTES || bytesOf(value) > left) continue
    shown.push(`${name} ${value}`)
    room = left - bytesOf(value)
  }
  return shown.length === 0 ? [] : [`  ${shown.join(' · ')}`]
}

function evidenceLines(
  { evidence, also, snippet, url, handle }: Hit,
  sizes: Sizes,
  extra: number,
  places = false,
): string[] {
  const bytes = sizes.snippet + extra
  if (!evidence) return snippet === null ? [] : [`  ${quotedHead(snippet, bytes)}`]
  const { field_path, range, size_chars, text, match } = evidence
  const size = size_chars === null || sizes.words < 40 ? '' : ` of ${size_chars}`
  const where = range ? ` ${range.start}-${range.end}${size}` : ''
  // The ellipses of a snippet are not counted, so that enough of the text itself is visible.
  const room = Math.min(bytes + 8, 4 * countCodePoints(text) + 8)
  const line = `  ${word(field_path)}${where}: ${quotedAround(text, match, room)}${places ? placesText(also, field_path) : ''}`
  const formable = handle.connection_id === undefined && isFormable(handle.id, field_path)
  return formable || bytesOf(url) > MOST_LINK_BYTES ? [line] : [line, `  ${url}`]
}

/** The offsets to pass to read_record_field, and the field if it is another one. */
function placesText(also: Hit['also'], field_path: string): string {
  if (also === null) return ''
  const field = also.field_path === field_path ? '' : `${word(also.field_path)} `
  return `, ${field}also at ${also.offset_chars.join(', ')}`
}
