import { Random } from '../../test/random.ts'
import type { JudgedCollection } from './collections.ts'

const FIRST = 10

/** The score of each judged query, in their order. */
export function scoresOf(collection: JudgedCollection, found: Map<string, string[]>): number[] {
  const judged = collection.queries.filter(query => query.relevant.size > 0)
  return judged.map(({ id, relevant }) => {
    const first = (found.get(id) ?? []).slice(0, FIRST)
    return collection.metric === 'R@10'
      ? Number(first.some(document => relevant.has(document)))
      : ndcg(first, relevant)
  })
}

/** How often a known item is found: the shares of queries that find it first and among the first ten, and the mean of 1 / rank. */
export interface Reached {
  first: number
  ten: number
  mrr: number
}

/** Null for a collection in which a query has several relevant documents. */
export function reachedOf(collection: JudgedCollection, found: Map<string, string[]>): Reached | null {
  const ranks: number[] = []
  for (const { id, relevant } of collection.queries) {
    if (relevant.size === 0) continue
    if (relevant.size > 1) return null
    const at = (found.get(id) ?? []).slice(0, FIRST).findIndex(document => relevant.has(document))
    ranks.push(at === -1 ? Number.POSITIVE_INFINITY : at + 1)
  }
  return {
    first: mean(ranks.map(rank => Number(rank === 1))),
    ten: mean(ranks.map(rank => Number(rank <= FIRST))),
    mrr: mean(ranks.map(rank => 1 / rank)),
  }
}

/** nDCG with binary relevance. */
function ndcg(found: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const actual = found.reduce((sum, document, i) => sum + (relevant.has(document) ? gain(i) : 0), 0)
  const ideal = Array.from({ length: Math.min(FIRST, relevant.size) }, (_, i) => gain(i))
  return actual / ideal.reduce((a, b) => a + b, 0)
}

export function mean(scores: readonly number[]): number {
  return scores.reduce((a, b) => a + b, 0) / Math.max(1, scores.length)
}

const ROUNDS = 5_000

/**
 * The probability of a difference of the means at least as large if the two scores of each query were swapped at
 * random: a paired randomisation test.
 */
export function chanceOf(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((score, i) => score - (other[i] ?? 0)).filter(difference => difference !== 0)
  const observed = Math.abs(differences.reduce((a, b) => a + b, 0))
  const random = new Random(1)
  let asLarge = 0
  for (let round = 0; round < ROUNDS; round++) {
    const sum = differences.reduce((total, each) => total + (random.chance(0.5) ? each : -each), 0)
    if (Math.abs(sum) >= observed - 1e-9) asLarge++
  }
  return asLarge / ROUNDS
}
