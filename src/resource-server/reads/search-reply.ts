import { readRecord } from '../../api/records.ts'
import { addressOf, type ReplyOf } from '../../api/route.ts'
import type { MatchCount, MatchWindow, Reason, SearchHit, search } from '../../api/search.ts'
import type { Source } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { propertyOf } from '../../model/declaration/declaration.ts'
import { parseFieldPath } from '../../model/declaration/field-path.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import type { QueryMeaning } from '../../model/search/meaning.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { instantText } from '../../model/time.ts'
import type { Beginning, HitHead } from '../../store/search/hits.ts'
import type { RequestContext } from '../request/context.ts'
import type { SearchNarrowing } from './selection.ts'

/** The evidence for a hit. */
interface HitProof {
  windows: MatchWindow[]
  /** Windows of which only the places are shown, all in one field. */
  also?: readonly MatchWindow[]
  matched_fields: string[]
  /** What is shown of a text in which no word was found. */
  beginning?: Beginning | null
  further?: number
  reasons?: readonly Reason[]
}

/** A hit as the API returns it; its URL cites the best window. */
export function describeHit(
  { env: { publicUrl }, parameters: { view, explain } }: RequestContext<typeof search>,
  { connection_id, connector_key, display_name, source_id, stream }: Source,
  { record_id, emitted_at, title, author, occurred_at, values, files }: HitHead,
  { windows: match_windows, also = [], matched_fields, beginning, further = 0, reasons }: HitProof,
): SearchHit {
  const record = { connection_id, stream: stream.name, record_id }
  const [best] = match_windows
  const [place] = also
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
    ...(place && {
      also_at: {
        field_path: place.field_path,
        offset_chars: also.map(({ text_start_chars }) => text_start_chars),
      },
    }),
    ...(further > 0 && { more_in_conversation: further }),
    url: citationUrl(publicUrl, record, best),
    match_windows: match_windows.map(window => {
      const mime_type = propertyOf(stream, window.field_path)?.contentMediaType
      return mime_type === undefined ? window : { ...window, mime_type }
    }),
    ...(view === 'full' && recordAddress(publicUrl, record)),
    ...(explain && reasons && { explanation: reasons.map(rounded) }),
  }
}

function rounded({ by, points }: Reason): Reason {
  return { by, points: Number(points.toFixed(3)) }
}

/** Absent if no URL can name the record. */
function recordAddress(
  publicUrl: string,
  { connection_id, ...path }: Record<'connection_id' | 'stream' | 'record_id', string>,
): { record_url?: string } {
  try {
    return { record_url: publicUrl + addressOf(readRecord, path, { connection_id }) }
  } catch {
    return {}
  }
}

/** What a hit shows of its record: title and time, the texts of its windows, and that a match is at each further place. */
export function shownByHit(
  { connection_id, stream }: Source,
  { record_id, fields, ranges: begun, values, files }: HitHead,
  { windows, also = [], matched_fields, beginning }: HitProof,
): Shown {
  const ranges = { ...begun }
  if (beginning) ranges[beginning.field] = [[0, countCodePoints(beginning.text)]]
  for (const { field_path, text_start_chars, text_end_chars } of windows)
    ranges[field_path] = [...(ranges[field_path] ?? []), [text_start_chars, text_end_chars]]
  for (const { field_path, start_chars, end_chars } of also)
    ranges[field_path] = [...(ranges[field_path] ?? []), [start_chars, end_chars]]
  const valued = [...values, ...files].map(({ field }) => field)
  const all = new Set([...fields, ...matched_fields, ...valued, ...(beginning ? [beginning.field] : [])])
  return { connection_id, stream: stream.name, record_ids: [record_id], fields: [...all], ranges }
}

/** What the answer of a search says about itself. */
type Meta = Partial<ReplyOf<typeof search>['meta']>

export const NOT_COUNTED: MatchCount = { count: null, count_accuracy: 'not_counted' }

export function totals(counted: MatchCount, truncated: boolean) {
  const ranking_scope = truncated ? 'candidate_window' : 'all_matches'
  return { ...counted, recall: { complete: !truncated, ranking_scope, truncated } } as const
}

/** What the response says about meaning; nothing while it is off. */
export function meaningPart(meaning: QueryMeaning | null, compared: number | null): Pick<Meta, 'meaning'> {
  if (!meaning) return {}
  if ('absent' in meaning) return { meaning: { share: 0, absent: meaning.absent } }
  return { meaning: { share: Number((compared ?? 0).toFixed(3)) } }
}

export function searchedTime({ since, until }: SearchNarrowing): Pick<Meta, 'since' | 'until'> {
  return {
    ...(since === undefined ? {} : { since: instantText(since) }),
    ...(until === undefined ? {} : { until: instantText(until) }),
  }
}
