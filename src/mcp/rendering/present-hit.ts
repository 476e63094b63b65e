import type { JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import type { Evidence, Hit } from '../reading/hit.ts'
import { bytesOf, head } from '../text/quote.ts'
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
