import { grantsFieldThroughout, type Source, visibleFields } from '../../model/access/enforce.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import { type AggregateQuery, type AggregateResult, Aggregation } from '../../model/reading/aggregate.ts'
import { project } from '../../model/reading/record.ts'
import type { Correction } from '../../model/search/misspelt-words.ts'
import { requiredClues, type SearchQuery } from '../../model/search/search-query.ts'
import type { TimeBounds } from '../../model/time-bounds.ts'
import { type Budget, BudgetExceeded } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import { type Selection, withDigests } from '../records/scan.ts'
import { without } from './by-time.ts'
import { holdersOf } from './finding/holders.ts'
import { correctedQuery } from './finding/spelling.ts'
import { loadRecords } from './records-of-rows.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import { SearchScope } from './search-scope.ts'
import { takeSnapshot } from './snapshot.ts'

export interface MatchesToAggregate {
  selection: Selection
  query: AggregateQuery
  words: SearchQuery
  /** Everything that may be seen, regardless of filter and time: only a word that none of it contains is misspelt. */
  readable: readonly Source[]
  bounds: TimeBounds
}

export interface AggregatedMatches {
  result: AggregateResult
  /** Known words that were searched for in place of misspelt ones. */
  corrections: Correction[]
}

/** The most later rows of long records that may contain a word. A bound on memory. */
const MOST_LATER_ROWS = 20_000
const RECORDS_AT_ONCE = 500

/**
 * Aggregates every visible record that contains all words of a query. The result is complete, or the request is
 * refused.
 */
export async function aggregateMatches(
  database: View,
  { selection, query, words, readable, bounds }: MatchesToAggregate,
  budget: Budget,
): Promise<AggregatedMatches> {
  const { owner_id, parts: selected } = selection
  const { below } = await takeSnapshot(database, owner_id, selected, [])
  const scope = await SearchScope.open({ database, budget, owner_id, selected, bounds, below })
  const corrected = await correctedQuery(database, { owner_id, readable, below }, words, budget)
  const aggregation = new Aggregation(query)
  const clues = requiredClues(corrected.query.clues)
  if (scope.groups.length > 0 && clues.length > 0)
    for await (const held of holdersOf(scope, clues, { later: { most: MOST_LATER_ROWS } })) {
      const rows = await without(scope, held, words.excluded)
      for (let i = 0; i < rows.length; i += RECORDS_AT_ONCE)
        await addRows(aggregation, scope, query, rows.slice(i, i + RECORDS_AT_ONCE))
    }
  if (scope.isTruncated) throw new BudgetExceeded()
  return { result: aggregation.result(), corrections: corrected.corrections }
}

async function addRows(
  aggregation: Aggregation,
  scope: SearchScope,
  query: AggregateQuery,
  rows: readonly RowPlace[],
): Promise<void> {
  const sourceOf = (row: RowPlace) => scope.sourceOf(row)?.source
  const isCounted = (row: RowPlace) => {
    const source = sourceOf(row)
    return source !== undefined && knowsByTime(source, query)
  }
  for (const row of rows.filter(isCounted)) {
    const source = sourceOf(row)
    if (source) aggregation.addCounted(source, row.time_key?.slice(1) ?? null, 1)
  }
  const unread = rows.filter(row => !isCounted(row))
  const records = await loadRecords(scope.database, scope.owner_id, unread)
  for (const row of unread) {
    const [source, record] = [sourceOf(row), records.get(recordPlace(row))]
    const visible = source && record && visibleFields(source, { ...record, time_key: row.time_key })
    if (!source || !record || visible === undefined) continue
    aggregation.add(withDigests(project(source, record, visible)), source)
  }
}

/** Whether the time of a record is enough to answer the query. */
function knowsByTime(source: Source, query: AggregateQuery): boolean {
  if (query.metric !== 'count' || query.group_by !== null || query.split_by !== null) return false
  const { group_by_time: field } = query
  return field === null || (field === timeField(source.stream) && grantsFieldThroughout(source, field))
}
