import type { Source } from '../access/enforce.ts'
import type { Shown } from '../access/shown.ts'
import { propertyOf } from '../declaration/declaration.ts'
import { parseFieldPath } from '../declaration/field-path.ts'
import { citationUrl } from '../ids/citation.ts'
import type { FieldValue } from '../reading/field-values.ts'
import { countCodePoints } from '../text/code-points.ts'

/** A match of the query, verified in the text of the field, with the text around it. */
export interface MatchWindow {
  field_path: string
  start_chars: number
  end_chars: number
  text: string
  text_start_chars: number
  text_end_chars: number
  size_chars: number
  digest: string
  /** Only if the stream declares one. */
  mime_type?: string
}

/** The title, author and time of a hit, and the fields that they disclose. */
export interface HitHead {
  record_id: string
  /** When the visible part of the record last changed. */
  emitted_at: string
  title: string | null
  author: string | null
  occurred_at: string | null
  fields: string[]
  /** If the title is the start of a text, the range that is shown. */
  ranges: Record<string, [number, number][]>
  values: FieldValue[]
  /** The names of the files that `has` or `type` found. */
  files: FieldValue[]
}

/** One reason for the rank of a hit: what a ranking step added to its score. */
export interface Reason {
  by: string
  points: number
}

export interface SearchHit {
  object: 'search_result'
  stream: string
  record_key: string
  /** The id of the source. Not in the compact view. */
  connector_id?: string
  /** Not in the compact view. */
  emitted_at?: string
  /** The readable fields that contain a match. */
  matched_fields: string[]
  /**
   * Literal text from one of these fields. Not in the compact view, because a window has the same text. A hit that was
   * not found by any word has the start of the record's text instead, in every view, and in the compact view also one
   * whose windows are all in other fields.
   */
  snippet?: { field: string; text: string }
  /** Where the record can be read. Not in the compact view, and absent if no URL can name it. */
  record_url?: string
  connection_id: string
  connector_key: string
  display_name: string
  title: string | null
  author: string | null
  occurred_at: string | null
  /** The first values of a record without a text; absent if there are none. */
  values?: FieldValue[]
  /** The names of the files that `has` or `type` found; absent if there are none. */
  files?: FieldValue[]
  url: string
  match_windows: MatchWindow[]
  /** Only if the owner asks for it. */
  explanation?: Reason[]
}

/** The evidence for a hit. */
export interface HitProof {
  windows: MatchWindow[]
  matched_fields: string[]
  /** What is shown of a text in which no word was found. */
  beginning?: { field: string; text: string } | null
}

export const HIT_VIEWS = ['compact', 'full'] as const
export type HitView = (typeof HIT_VIEWS)[number]

/** A hit as the API returns it; its URL cites the best window. */
export function describeHit(
  publicUrl: string,
  { connection_id, connector_key, display_name, source_id, stream }: Source,
  { record_id, emitted_at, title, author, occurred_at, values, files }: HitHead,
  { windows: match_windows, matched_fields, beginning }: HitProof,
  view: HitView,
): SearchHit {
  const record = { connection_id, stream: stream.name, record_id }
  const [best] = match_windows
  return {
    object: 'search_result',
    stream: stream.name,
    record_key: record_id,
    ...(view === 'full' && { connector_id: source_id, emitted_at }),
    matched_fields,
    ...(view === 'full' &&
      best && { snippet: { field: parseFieldPath(best.field_path).field, text: best.text } }),
    ...(beginning && { snippet: beginning }),
    connection_id,
    connector_key,
    display_name,
    title,
    author,
    occurred_at,
    ...(values.length > 0 && { values }),
    ...(files.length > 0 && { files }),
    url: citationUrl(publicUrl, record, best),
    match_windows: match_windows.map(window => {
      const mime_type = propertyOf(stream, window.field_path)?.contentMediaType
      return mime_type === undefined ? window : { ...window, mime_type }
    }),
  }
}

/** What a hit shows of its record: title and time, and the texts of its windows. */
export function shownByHit(
  { connection_id, stream }: Source,
  { record_id, fields, ranges: begun, values, files }: HitHead,
  { windows, matched_fields, beginning }: HitProof,
): Shown {
  const ranges = { ...begun }
  if (beginning) ranges[beginning.field] = [[0, countCodePoints(beginning.text)]]
  for (const { field_path, text_start_chars, text_end_chars } of windows)
    ranges[field_path] = [...(ranges[field_path] ?? []), [text_start_chars, text_end_chars]]
  const valued = [...values, ...files].map(({ field }) => field)
  const all = new Set([...fields, ...matched_fields, ...valued, ...(beginning ? [beginning.field] : [])])
  return { connection_id, stream: stream.name, record_ids: [record_id], fields: [...all], ranges }
}
