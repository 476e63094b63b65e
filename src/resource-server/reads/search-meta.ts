import type { ReplyOf } from '../../api/route.ts'
import type * as api from '../../api/search.ts'
import type { QueryMeaning } from '../../model/search/meaning.ts'
import { instantText } from '../../model/time.ts'
import type { SearchNarrowing } from './selection.ts'

/** What the answer of a search says about itself. */
type Meta = Partial<ReplyOf<typeof api.search>['meta']>

export const NOT_COUNTED: api.MatchCount = { count: null, count_accuracy: 'not_counted' }

export function totals(counted: api.MatchCount, truncated: boolean) {
  const ranking_scope = truncated ? 'candidate_window' : 'all_matches'
  return { ...counted, recall: { complete: !truncated, ranking_scope, truncated } } as const
}

/** What the response says about meaning; nothing while it is off. */
export function meaningPart(meaning: QueryMeaning | null, compared: number | null): Pick<Meta, 'meaning'> {
  if (!meaning) return {}
  if ('absent' in meaning) return { meaning: { share: 0, absent: meaning.absent } }
  return { meaning: { share: Number((compared ?? 0).toFixed(3)) } }
}

export function searchedTime({ since, until }: SearchNarrowing): Pick<Meta, 'since' | 'until'> {
  return {
    ...(since === undefined ? {} : { since: instantText(since) }),
    ...(until === undefined ? {} : { until: instantText(until) }),
  }
}
