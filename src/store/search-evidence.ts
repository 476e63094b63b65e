import { findMatches } from '../model/match-windows.ts'
import type { RowEvidence } from '../model/ranking.ts'
import { project } from '../model/record.ts'
import type { Clue } from '../model/search-query.ts'
import { countPacked, hashOf, tokensOf } from '../model/search-rows.ts'
import { piecesOfRow } from './search-proof.ts'
import { loadRecords, recordPlace } from './search-records.ts'
import { type IndexedRow, placeKey, type SearchScope } from './search-scope.ts'

/** A row that may be a hit, with what it says about each clue. */
export interface Candidate {
  row: IndexedRow
  evidence: RowEvidence
}

const TITLE_WEIGHT = 2

/** Counts words by the index, in open fields only; a title counts in every row of its record. */
export async function countWords(
  scope: SearchScope,
  row_ids: readonly number[],
  clues: readonly Clue[],
): Promise<Candidate[]> {
  const hashes = clues.map(clue => (clue.kind === 'word' ? hashOf(clue.key) : 0))
  const rows = await scope.rows(row_ids)
  const firstIds = new Set(rows.filter(row => row.row_no > 0).map(row => row.row_id - row.row_no))
  const firsts = new Map((await scope.rows([...firstIds])).map(row => [row.row_id, row]))
  const candidates: Candidate[] = []
  for (const row of rows) {
    const open = scope.openFields(row)
    if (!open) continue
    const counts = clues.map(() => 0)
    const title = scope.sources.get(placeKey(row.connection_id, row.stream))?.title?.code ?? -1
    const weightOf = (code: number) => (open.has(code) ? (code === title ? TITLE_WEIGHT : 1) : 0)
    let length = countPacked(row.sections, hashes, weightOf, counts)
    const first = firsts.get(row.row_id - row.row_no)
    if (first && row.row_no > 0 && open.has(title))
      length += countPacked(first.sections, hashes, code => (code === title ? TITLE_WEIGHT : 0), counts)
    candidates.push({ row, evidence: { counts, length } })
  }
  return candidates
}

/** Counts clues by the text itself: for phrases and prefixes, which counts of words cannot tell. */
export async function countInTexts(
  scope: SearchScope,
  row_ids: readonly number[],
  clues: readonly Clue[],
): Promise<Candidate[]> {
  const rows = await scope.rows(row_ids)
  const records = await loadRecords(scope.database, scope.owner_id, rows)
  const candidates: Candidate[] = []
  for (const row of rows) {
    const open = scope.openFields(row)
    const entry = scope.sources.get(placeKey(row.connection_id, row.stream))
    const record = records.get(recordPlace(row))
    if (!open || !entry || !record) continue
    const fields = new Set([...entry.codes].flatMap(([field, code]) => (open.has(code) ? [field] : [])))
    const projection = project(entry.source, record, fields)
    const title = entry.title?.field ?? null
    const counts = clues.map(() => 0)
    let length = 0
    for (const { text, piece } of await piecesOfRow(
      scope.database,
      scope.owner_id,
      projection,
      row.row_no,
      title,
    )) {
      const { own, neighbours } = tokensOf(piece)
      const weight = text.field === title ? TITLE_WEIGHT : 1
      length += own.length
      for (const { clue, start } of findMatches(piece.text, [...own, ...neighbours], clues)) {
        if (start < piece.own) counts[clue] = (counts[clue] ?? 0) + weight
      }
    }
    candidates.push({ row, evidence: { counts, length } })
  }
  return candidates
}
