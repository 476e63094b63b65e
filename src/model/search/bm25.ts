import { BM25_B, BM25_K1 } from './tuning.ts'

/** How often a row holds each clue, in the fields that may be seen. */
export interface ClueCounts {
  /** Weighted occurrences of each clue. */
  counts: number[]
  /** Words in the row. */
  length: number
}

export interface ClueFrequency {
  weight: number
  /** Visible records that hold the clue. */
  records: number
}

/** BM25 over visible records only: population, frequencies and lengths all come from what the reader may see. */
export function bm25(
  rows: readonly ClueCounts[],
  clues: readonly ClueFrequency[],
  population: number,
): number[] {
  const total = rows.reduce((sum, row) => sum + row.length, 0)
  const average = Math.max(1, total / Math.max(1, rows.length))
  const rarity = clues.map(({ records, weight }) => {
    const n = Math.max(population, records)
    return weight * Math.log(1 + (n - records + 0.5) / (records + 0.5))
  })
  return rows.map(({ counts, length }) => {
    const norm = BM25_K1 * (1 - BM25_B + (BM25_B * length) / average)
    let score = 0
    for (const [i, count] of counts.entries()) {
      if (count > 0) score += ((rarity[i] ?? 0) * count * (BM25_K1 + 1)) / (count + norm)
    }
    return score
  })
}
