export const ACCURACIES = ['exact', 'lower_bound', 'not_counted'] as const
export const RANKING_SCOPES = ['all_matches', 'candidate_window'] as const

/** How many visible records contain all words of a search, not counting stop words; null if they are not counted. */
export interface MatchCount {
  count: number | null
  count_accuracy: (typeof ACCURACIES)[number]
}

/** What a response says about everything that a search matches, beyond the page. */
export interface SearchTotals extends MatchCount {
  /** How much of what matches was ranked. */
  recall: {
    complete: boolean
    ranking_scope: (typeof RANKING_SCOPES)[number]
    truncated: boolean
  }
}

export const NOT_COUNTED: MatchCount = { count: null, count_accuracy: 'not_counted' }

export function exactly(count: number): MatchCount {
  return { count, count_accuracy: 'exact' }
}

export function totals(counted: MatchCount, truncated: boolean): SearchTotals {
  const ranking_scope = truncated ? 'candidate_window' : 'all_matches'
  return { ...counted, recall: { complete: !truncated, ranking_scope, truncated } }
}
