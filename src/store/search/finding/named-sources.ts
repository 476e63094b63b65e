import type { NamedSources } from '../../../model/search/named-sources.ts'
import { type Clue, isFurther } from '../../../model/search/search-query.ts'
import type { SearchScope } from '../search-scope.ts'
import type { Candidate } from './finder.ts'

/**
 * Counts the name of a kind of source once in each record of that kind, however often its text contains the name: whoever
 * asks for a message in Slack means any message there. In other records the name counts as usual.
 */
export function withNamedSources(
  scope: SearchScope,
  clues: readonly Clue[],
  candidates: readonly Candidate[],
  named: readonly NamedSources[],
): readonly Candidate[] {
  if (named.length === 0) return candidates
  return candidates.map(candidate => {
    const index = scope.sourceOf(candidate.row)?.index
    const own = named.filter(({ sources }) => index !== undefined && sources.has(index))
    const counted =
      own.length === 0
        ? candidate.counts
        : candidate.counts.map((count, i) => {
            const clue = clues[i]
            if (clue?.kind !== 'word') return count
            if (isFurther(clue)) return own.some(({ further }) => further.includes(clue.key)) ? 0 : count
            return own.some(({ keys }) => keys.includes(clue.key)) ? 1 : count
          })
    return { ...candidate, counts: counted }
  })
}
