import { bm25 } from '../../../model/search/bm25.ts'
import { BM25, BM25_BEFORE } from '../../../model/search/tuning.ts'
import type { Ranker } from './ranker.ts'

/** Scores every row by how often it contains the clues and how rare they are. */
export const bm25Ranker: Ranker = {
  name: 'words',
  depth: Number.POSITIVE_INFINITY,
  score(ranked, { rarities, query }) {
    const candidates = ranked.map(({ candidate }) => candidate)
    return bm25(candidates, rarities, query.without.includes('length') ? BM25_BEFORE : BM25)
  },
}
