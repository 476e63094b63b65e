import { likeness, meaningFields } from '../../../model/search/meaning.ts'
import { firstRow } from '../../../model/search/row-numbers.ts'
import { LEAST_SPREAD, MEANING_WEIGHT, MOST_COMPARED } from '../../../model/search/tuning.ts'
import { digestOfWords, loadVectors } from '../meaning/vectors.ts'
import { codesOf } from '../open-fields.ts'
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
 * vector is up to date.
 */
async function likenesses(
  ranked: readonly Ranked[],
  { scope, meaning }: RankingContext,
): Promise<(number | null)[]> {
  if (!meaning) return []
  const numbers = [...new Set(ranked.map(({ candidate }) => firstRow(candidate.row)))]
  const vectors = await loadVectors(scope.database, scope.owner_id, numbers)
  const later = ranked.filter(({ candidate }) => candidate.row.row_no > 0)
  const firsts = new Map(
    (await scope.rows(later.map(({ candidate }) => firstRow(candidate.row)))).map(row => [row.row_id, row]),
  )
  return ranked.map(({ candidate: { row } }) => {
    const stored = vectors.get(firstRow(row))
    const [entry, visible] = [scope.sourceOf(row), scope.visibleFields(row)]
    if (!stored || stored.made > meaning.newest || !entry || visible === undefined) return null
    const fields = meaningFields(entry.source.stream)
    if (visible !== null && !fields.every(field => visible.has(field))) return null
    const { sections } = firsts.get(firstRow(row)) ?? row
    const codes = codesOf(entry.codes, new Set(fields))
    if (digestOfWords(sections, codes) !== stored.digest) return null
    return likeness(meaning.vector, stored.vector)
  })
}
