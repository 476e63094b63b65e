import { analyze } from '../model/analyzer.ts'
import { countCodePoints } from '../model/code-points.ts'
import { pathOf } from '../model/field-path.ts'
import { digestOf } from '../model/long-text.ts'
import { bestSpans, cutWindow, findMatches, type Span } from '../model/match-windows.ts'
import { LONG_TEXT_CHARS, PIECE_CHARS } from '../model/pieces.ts'
import type { RowEvidence } from '../model/ranking.ts'
import { type Projection, project } from '../model/record.ts'
import type { Clue, SearchQuery } from '../model/search-query.ts'
import { leavesOf, pieceText, tokensOf } from '../model/search-rows.ts'
import type { Database } from './database.ts'
import { searchedFields } from './indexing.ts'
import { readRange } from './long-text.ts'
import { COLUMNS, type RecordRow, recordOf } from './records.ts'
import { type IndexedRow, placeKey, type SearchScope } from './search-candidates.ts'

/** A place in a field where the query was found, proven on the text itself. */
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

interface ProofOptions {
  query: SearchQuery
  windows: number
  window_chars: number
}

/** A text to prove on: all of a short one, a piece of a long one. */
interface ProofText {
  field_path: string
  text: string
  offset: number
  size_chars: number
  digest: () => string
}

/** The best windows of a record, each with the exact range of its match. */
export async function proveRecord(
  database: Database,
  owner_id: string,
  projection: Projection,
  row_no: number,
  { query, windows, window_chars }: ProofOptions,
): Promise<MatchWindow[]> {
  if (windows === 0) return []
  const ignored = new Set(query.clues.flatMap((clue, i) => (clue.stop ? [i] : [])))
  const found: { source: ProofText; span: Span; order: number }[] = []
  let order = 0
  for (const source of await textsToProve(database, owner_id, projection, row_no)) {
    const matches = findMatches(source.text, analyze(source.text), query.clues)
    for (const span of bestSpans(matches, window_chars, windows, ignored)) found.push({ source, span, order })
    order++
  }
  const width = (span: Span) => span.end - span.start
  found.sort(
    (a, b) => b.span.distinct - a.span.distinct || width(a.span) - width(b.span) || a.order - b.order,
  )
  const useful = found.filter((entry, i) => i === 0 || entry.span.distinct > 0)
  return useful.slice(0, windows).map(({ source, span }) => ({
    field_path: source.field_path,
    ...cutWindow(source.text, source.offset, span, window_chars),
    size_chars: source.size_chars,
    digest: source.digest(),
  }))
}

async function textsToProve(
  database: Database,
  owner_id: string,
  projection: Projection,
  row_no: number,
): Promise<ProofText[]> {
  const texts: ProofText[] = []
  for (const field of searchedFields(projection.source.stream)) {
    for (const { path, text } of leavesOf(projection.data[field], [field])) {
      if (text === '' || text.length > 2 * LONG_TEXT_CHARS) continue
      const field_path = pathOf(path[0] ?? '', path.slice(1)).text
      texts.push({
        field_path,
        text,
        offset: 0,
        size_chars: countCodePoints(text),
        digest: () => digestOf(text),
      })
    }
  }
  for (const long of projection.long_texts) {
    if (!searchedFields(projection.source.stream).includes(long.path[0] ?? '')) continue
    const start = row_no * PIECE_CHARS
    if (start >= long.size_chars) continue
    const range = { start, end: Math.min(long.size_chars, start + PIECE_CHARS + 256) }
    const text = await readRange(database, owner_id, long.text_no, range)
    const field_path = pathOf(long.path[0] ?? '', long.path.slice(1)).text
    texts.push({ field_path, text, offset: start, size_chars: long.size_chars, digest: () => long.digest })
  }
  return texts
}

/** Counts clues in a row by reading its text: for phrases and prefixes, which counts of words cannot tell. */
export async function textCounts(
  scope: SearchScope,
  owner_id: string,
  row: IndexedRow,
  open: ReadonlySet<number>,
  clues: readonly Clue[],
): Promise<RowEvidence> {
  const counts = clues.map(() => 0)
  let length = 0
  const entry = scope.sources.get(placeKey(row.connection_id, row.stream))
  const stored = await scope.database.get<RecordRow>(
    `SELECT ${COLUMNS} FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ? AND record_key = ? AND deleted = 0`,
    [owner_id, row.connection_id, row.stream, row.record_key],
  )
  if (!entry || !stored) return { counts, length }
  const fields = new Set([...entry.codes].flatMap(([field, code]) => (open.has(code) ? [field] : [])))
  const projection = project(entry.source, recordOf(stored), fields)
  for (const { text, field_path } of await textsToProve(scope.database, owner_id, projection, row.row_no)) {
    const { own } = tokensOf(pieceText('', text, ''))
    const title = entry.titleCode !== null && entry.codes.get(field_path) === entry.titleCode
    length += own.length
    for (const { clue } of findMatches(text, own, clues)) counts[clue] = (counts[clue] ?? 0) + (title ? 2 : 1)
  }
  return { counts, length }
}
