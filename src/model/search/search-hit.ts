import type { Source } from '../access/enforce.ts'
import type { Shown } from '../access/shown.ts'
import { parseFieldPath } from '../declaration/field-path.ts'
import { citationUrl } from '../ids/citation.ts'

/** A match of the query in a field, proven on the text itself, with the text around it. */
export interface MatchWindow {
  field_path: string
  start_chars: number
  end_chars: number
  text: string
  text_start_chars: number
  text_end_chars: number
  size_chars: number
  digest: string
}

/** The title and time of a hit, and the fields that these disclose. */
export interface HitHead {
  record_id: string
  title: string | null
  occurred_at: string | null
  fields: string[]
  /** If the title is a long text, the range of it that is shown. */
  ranges: Record<string, [number, number][]>
}

export interface SearchHit {
  object: 'search_hit'
  stream: string
  record_id: string
  connection_id: string
  connector_key: string
  display_name: string
  title: string | null
  occurred_at: string | null
  url: string
  match_windows: MatchWindow[]
}

/** A hit as the API returns it; its URL cites the best window. */
export function describeHit(
  publicUrl: string,
  { connection_id, connector_key, display_name, stream }: Source,
  { record_id, title, occurred_at }: HitHead,
  match_windows: MatchWindow[],
): SearchHit {
  const record = { connection_id, stream: stream.name, record_id }
  return {
    object: 'search_hit',
    stream: stream.name,
    record_id,
    connection_id,
    connector_key,
    display_name,
    title,
    occurred_at,
    url: citationUrl(publicUrl, record, match_windows[0]),
    match_windows,
  }
}

/** What a hit shows of its record: title and time, and the texts of its windows. */
export function shownByHit(
  { connection_id, stream }: Source,
  { record_id, fields, ranges: begun }: HitHead,
  match_windows: readonly MatchWindow[],
): Shown {
  const ranges = { ...begun }
  for (const { field_path, text_start_chars, text_end_chars } of match_windows) {
    ranges[field_path] = [...(ranges[field_path] ?? []), [text_start_chars, text_end_chars]]
  }
  const matched = match_windows.map(window => parseFieldPath(window.field_path).field)
  const all = new Set([...fields, ...matched])
  return { connection_id, stream: stream.name, record_ids: [record_id], fields: [...all], ranges }
}
