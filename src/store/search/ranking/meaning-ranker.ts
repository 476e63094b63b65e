import { placeKey } from '../../../model/access/enforce.ts'
import { fieldsSince } from '../../../model/reading/record-history.ts'
import { likeness, meaningFields } from '../../../model/search/meaning.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import { LEAST_SPREAD, MEANING_WEIGHT, MOST_COMPARED } from '../../../model/search/tuning.ts'
import { parsedHistory } from '../../records/records.ts'
import { digestOfWords, loadVectors } from '../meaning/vectors.ts'
import { loadChanged } from '../records-of-rows.ts'
import { type RowPlace, recordPlace } from '../search-rows.ts'
import type { Ranked, Ranker, RankingContext } from './ranker.ts'

/** Among the records that contain the words of the query, raises those whose text has a similar meaning. */
export const meaningRanker: Ranker = {
  name: 'meaning',
  refinement: 'meaning',
  depth: MOST_COMPARED,
  async score(ranked, context) {
    if (!context.meaning || ranked.length === 0) return null
    const scores = ranked.map(({ score }) => score)
    const found = await likenesses(ranked, context)
    const known = found.filter(value => value !== null)
    context.meaning.share = known.length / ranked.length
    if (known.length === 0) return null
    const least = Math.min(...known)
    const spread = Math.max(LEAST_SPREAD, Math.max(...known) - least)
    // A record without a vector is neither raised nor lowered relative to the others.
    const usual = known.reduce((sum, value) => sum + value, 0) / known.length
    const weight = (MEANING_WEIGHT * Math.max(0, ...scores)) / spread
    return scores.map((score, i) => score + weight * ((found[i] ?? usual) - least))
  },
}

/**
 * How similar each record is to the query; null if the reader may not see everything the vector is made from, or if no
 * vector is up to date. The vector of a record that became visible or changed lately does not count before all vectors
 * up to then are made, even if it exists: it may have been made while the record was hidden.
 */
async function likenesses(
  ranked: readonly Ranked[],
  { scope, meaning }: RankingContext,
): Promise<(number | null)[]> {
  if (!meaning) return []
  const rows = ranked.map(({ candidate }) => candidate.row)
  const vectors = await loadVectors(scope.database, scope.owner_id, [...new Set(rows.map(firstRow))])
  const firsts = await scope.firstsOf(rows)
  const { up_to, streams } = meaning.made
  const madeUpTo = (row: RowPlace) => streams[placeKey(row.connection_id, row.stream)] ?? up_to
  const changed = await loadChanged(scope.database, scope.owner_id, rows, madeUpTo)
  return rows.map(row => {
    const stored = vectors.get(firstRow(row))
    const [entry, visible] = [scope.sourceOf(row), scope.visibleFields(row)]
    if (!stored || !entry || visible === undefined) return null
    const fields = meaningFields(entry.source.stream)
    if (visible !== null && !fields.every(field => visible.has(field))) return null
    const record = changed.get(recordPlace(row))
    const known = record && { ...record, record_id: row.record_key, history: parsedHistory(record.history) }
    if (known && fieldsSince(entry.rowSource, known, fields) > madeUpTo(row)) return null
    const { sections } = firsts.get(firstRow(row)) ?? row
    if (digestOfWords(entry.source.stream, sections, entry.codes) !== stored.digest) return null
    return likeness(meaning.vector, stored.vector)
  })
}
