/** How often a row contains each clue, in the fields that may be seen. */
export interface ClueCounts {
  /** Weighted occurrences of each clue. */
  counts: number[]
  /** Words in the row. */
  length: number
}

export interface Bm25Constants {
  k1: number
  b: number
  /** Added to every length, in words, so that short messages do not rank high just because they are short. */
  added: number
}

/** The weight of a clue: higher the fewer visible records contain it. */
export function rarityOf(records: number, population: number): number {
  const n = Math.max(population, records)
  return Math.log(1 + (n - records + 0.5) / (records + 0.5))
}

/** BM25 over visible records only: rarities and lengths are computed from what the reader may see. */
export function bm25(
  rows: readonly ClueCounts[],
  rarities: readonly number[],
  { k1, b, added }: Bm25Constants,
): number[] {
  const total = rows.reduce((sum, row) => sum + row.length, 0)
  const average = Math.max(1, total / Math.max(1, rows.length)) + added
  return rows.map(({ counts, length }) => {
    const norm = k1 * (1 - b + (b * (length + added)) / average)
    let score = 0
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i] as number
      if (count > 0) score += ((rarities[i] ?? 0) * count * (k1 + 1)) / (count + norm)
    }
    return score
  })
}
