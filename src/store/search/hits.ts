import { visibleFields } from '../../model/access/enforce.ts'
import { peopleFields } from '../../model/reading/people.ts'
import { project } from '../../model/reading/record.ts'
import type { HitHead, MatchWindow, Reason } from '../../model/search/search-hit.ts'
import { MOST_WINDOW_ROWS, WINDOWS_APART } from '../../model/search/tuning.ts'
import { allEnded } from '../budget/all-ended.ts'
import { BudgetExceeded } from '../budget/budget.ts'
import { TextReplaced } from '../records/long-text.ts'
import { headOf } from './hit-head.ts'
import { createProver, type ProofOptions, piecesOfRows } from './proof.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import type { SearchScope } from './search-scope.ts'

/** A hit as data: the index of its source among the selected ones, its title and time, and its verified windows. */
export interface FoundHit {
  source: number
  head: HitHead
  windows: MatchWindow[]
  /** The fields that contain a match; never empty. */
  matched_fields: string[]
  /** Only in a search by rank. */
  reasons: readonly Reason[]
  /** How many rows of the page come before it; some of them may not have become a hit. */
  before: number
}

/** The best row of a record, and its other rows that contain clues. */
export interface RowToProve extends RowPlace {
  others?: readonly RowPlace[]
  reasons?: readonly Reason[]
}

/**
 * Reads the records of the rows and finds the windows of each. A record is left out if it was changed in the meantime,
 * or if the budget did not reach it.
 */
export async function proveHits(
  scope: SearchScope,
  rows: readonly RowToProve[],
  options: ProofOptions,
  rarities: readonly number[] | null,
): Promise<FoundHit[]> {
  const { database, owner_id } = scope
  const records = await scope.records.of(database, owner_id, rows)
  const prove = createProver(options, rarities)
  const hits = rows.map(async (row, before): Promise<FoundHit[]> => {
    const entry = scope.sourceOf(row)
    const record = records.get(recordPlace(row))
    const visible = entry && record && visibleFields(entry.source, record)
    if (!entry || !record || visible === undefined) return []
    try {
      await scope.budget.pause()
      const projection = project(entry.source, record, visible)
      const numbers = [row, ...(row.others ?? [])].slice(0, MOST_WINDOW_ROWS).map(({ row_no }) => row_no)
      const pieces = await piecesOfRows(database, owner_id, projection, numbers, entry.title)
      const people = new Set(peopleFields(entry.source.stream))
      const { windows, fields } = prove(pieces, people, numbers.length > 1 ? WINDOWS_APART : 0)
      if (fields.length === 0) return []
      const head = await headOf(database, owner_id, projection, entry.conditions)
      const { index: source } = entry
      return [{ source, head, windows, matched_fields: fields, reasons: row.reasons ?? [], before }]
    } catch (error) {
      if (error instanceof BudgetExceeded) scope.isTruncated = true
      else if (!(error instanceof TextReplaced)) throw error
      return []
    }
  })
  return (await allEnded(hits)).flat()
}
