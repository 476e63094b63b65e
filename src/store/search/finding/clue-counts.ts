import { type Projectable, project } from '../../../model/reading/record.ts'
import type { ClueCounts } from '../../../model/search/bm25.ts'
import { wordsOf } from '../../../model/search/index-rows.ts'
import { createMatcher, type Matcher } from '../../../model/search/match-windows.ts'
import { jsonMayContain, textMayContain } from '../../../model/search/may-contain.ts'
import { countPacked, hashOf, NO_HASH } from '../../../model/search/packed-counts.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import { type Clue, initialsOf } from '../../../model/search/search-query.ts'
import { allEnded, BudgetExceeded } from '../../budget/budget.ts'
import type { RecordContent } from '../../records/records.ts'
import { loadRecords } from '../records-of-rows.ts'
import { type IndexedRow, type RowPlace, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { keptPiecesOfRow, type RowPiece } from '../searched-texts.ts'
import type { Candidate } from './finder.ts'

/** Rows that are counted or checked between two looks at the clock, which takes as long as one of them. */
const CHECKED_AT_ONCE = 20
const PIECES_AT_ONCE = 8

/**
 * Counts the words in open fields by the packed counts of the index. Stop words are not counted. The title counts in
 * every row of its record. The rows that contain one of the words become candidates.
 */
export async function countWords(
  scope: SearchScope,
  row_ids: readonly number[],
  clues: readonly Clue[],
  candidates: Candidate[],
): Promise<void> {
  const hashes = clues.map(clue => (clue.kind === 'word' && !clue.stop ? hashOf(clue.key) : NO_HASH))
  const rows = await scope.rows(row_ids)
  const firsts = await scope.firstsOf(rows)
  for (const [i, row] of rows.entries()) {
    if (i % CHECKED_AT_ONCE === 0 && scope.budget.isDue) await scope.budget.pause()
    const open = scope.open(row)
    if (!open) continue
    const counts: number[] = new Array(clues.length).fill(0)
    let length = countPacked(row.sections, hashes, open.weights, counts)
    const first = row.row_no > 0 ? firsts.get(firstRow(row)) : undefined
    if (first) length += countPacked(first.sections, hashes, open.titleWeights, counts)
    if (counts.some(count => count > 0)) candidates.push({ row, counts, length })
  }
}

/** Whether a candidate contains every clue of a group. */
export function holdsAll({ counts }: Candidate, clues: readonly Clue[], group: readonly Clue[]): boolean {
  return group.every(clue => (counts[clues.indexOf(clue)] ?? 0) > 0)
}

/** Visible rows and the records that they belong to. */
export interface LoadedTexts {
  places: readonly RowPlace[]
  records: ReadonlyMap<string, RecordContent>
}

export async function loadTexts(scope: SearchScope, row_ids: readonly number[]): Promise<LoadedTexts> {
  const places = (await scope.places(row_ids)).filter(place => scope.open(place))
  return { places, records: await loadRecords(scope.database, scope.owner_id, places) }
}

/**
 * Counts clues in the texts themselves: for phrases and prefixes, which the packed counts do not cover. Yields only the
 * rows that contain all clues of one of the groups, one by one, because the budget may end in between.
 */
export async function* countInTexts(
  scope: SearchScope,
  { places, records }: LoadedTexts,
  clues: readonly Clue[],
  groups: readonly (readonly Clue[])[],
): AsyncGenerator<Candidate> {
  const { budget } = scope
  const likely: RowPlace[] = []
  for (const [i, place] of places.entries()) {
    if (i % CHECKED_AT_ONCE === 0 && budget.isDue) await budget.pause()
    const record = records.get(recordPlace(place))
    if (record && (record.long_texts.length > 0 || jsonMayContain(record.data, groups))) likely.push(place)
  }
  const rows = await scope.rows(likely.map(place => place.row_id))
  const asked = { clues, groups, initials: initialsOf(clues), findMatches: createMatcher(clues) }
  // A server is asked for the pieces of several rows of long texts at once.
  for (let i = 0; i < rows.length; i += PIECES_AT_ONCE) {
    const some = rows.slice(i, i + PIECES_AT_ONCE)
    const read = await allEnded(some.map(row => openPieces(scope, row, records.get(recordPlace(row)))))
    for (const [n, row] of some.entries()) {
      const pieces = read[n]
      if (!pieces) continue
      if (budget.isDue) await budget.pause()
      const counts = countInText(scope, row, pieces, asked)
      const candidate = counts && { row, ...counts }
      if (!candidate || !groups.some(group => holdsAll(candidate, clues, group))) continue
      const place = recordPlace(row)
      scope.records.keep(place, records.get(place) as RecordContent)
      yield candidate
    }
  }
}

/** The pieces of a row in open fields; null if it has none. */
async function openPieces(
  scope: SearchScope,
  row: RowPlace,
  record: Projectable | undefined,
): Promise<RowPiece[] | null> {
  const [open, entry] = [scope.open(row), scope.sourceOf(row)]
  if (!open || !entry || !record) return null
  const projection = project(entry.source, record, open.fields)
  return keptPiecesOfRow(scope, projection, row.row_no, entry.title)
}

interface AskedOfText {
  clues: readonly Clue[]
  groups: readonly (readonly Clue[])[]
  initials: ReturnType<typeof initialsOf>
  findMatches: Matcher
}

function countInText(
  scope: SearchScope,
  row: IndexedRow,
  pieces: readonly RowPiece[],
  { clues, groups, initials, findMatches }: AskedOfText,
): ClueCounts | null {
  const open = scope.open(row)
  const entry = scope.sourceOf(row)
  if (!open || !entry) return null
  const counts = clues.map(() => 0)
  let length = 0
  const mayHold = (clue: Clue) => pieces.some(({ piece }) => textMayContain(piece.text, clue))
  if (!groups.some(group => group.every(mayHold))) return null
  const chars = pieces.reduce((sum, { piece }) => sum + piece.text.length, 0)
  if (!scope.budget.take('texts', 1) || !scope.budget.take('chars', chars)) throw new BudgetExceeded()
  for (const { text, piece } of pieces) {
    const { own, neighbours } = wordsOf(piece, row.row_no === 0 ? initials : null)
    const weight = open.weights[entry.codes.get(text.field) ?? 0] ?? 0
    length += own.filter(word => word.further === null).length
    for (const { clue, start } of findMatches(piece.text, [...own, ...neighbours])) {
      if (start < piece.own) counts[clue] = (counts[clue] ?? 0) + weight
    }
  }
  // The packed counts have the length of a first row, including the words that the analysis skipped here.
  if (row.row_no === 0) length = countPacked(row.sections, [], open.weights, [])
  return { counts, length }
}
