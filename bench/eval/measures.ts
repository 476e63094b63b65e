import { Random } from '../../test/random.ts'
import type { JudgedCollection } from './collections.ts'

const FIRST = 10

/**
 * What each query shows, best first. Each place names a document, or the passages of a long record that are read around
 * one of its windows.
 */
export type Shown = Map<string, readonly (readonly string[])[]>

/** The score of each judged query, in their order. */
export function scoresOf(collection: JudgedCollection, shown: Shown): number[] {
  const judged = collection.queries.filter(query => query.relevant.size > 0)
  return judged.map(({ id, relevant }) => {
    const places = shown.get(id) ?? []
    if (collection.metric === 'nDCG@10') return ndcg(places.slice(0, FIRST).flat(), relevant)
    return Number(isAmong(places, collection.metric === 'W@3' ? 3 : FIRST, relevant))
  })
}

function isAmong(
  places: readonly (readonly string[])[],
  first: number,
  relevant: ReadonlySet<string>,
): boolean {
  return places.slice(0, first).some(place => place.some(name => relevant.has(name)))
}

/** The shares of queries whose answer is read with the first window of a record, the first three, and the first five. */
export interface Read {
  one: number
  three: number
  five: number
}

/** Null for a collection of short documents. */
export function readOf({ metric, queries }: JudgedCollection, shown: Shown): Read | null {
  if (metric !== 'W@3') return null
  const judged = queries.filter(({ relevant }) => relevant.size > 0)
  const share = (windows: number) =>
    mean(judged.map(({ id, relevant }) => Number(isAmong(shown.get(id) ?? [], windows, relevant))))
  return { one: share(1), three: share(3), five: share(5) }
}

/** How often a known item is found: the shares of queries that find it first and among the first ten, and the mean of 1 / rank. */
export interface Reached {
  first: number
  ten: number
  mrr: number
}

/** Null for long records, and for a collection in which a query has several relevant documents. */
export function reachedOf(collection: JudgedCollection, shown: Shown): Reached | null {
  if (collection.metric === 'W@3') return null
  const ranks: number[] = []
  for (const { id, relevant } of collection.queries) {
    if (relevant.size === 0) continue
    if (relevant.size > 1) return null
    const places = (shown.get(id) ?? []).slice(0, FIRST)
    const at = places.findIndex(([document = '']) => relevant.has(document))
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
