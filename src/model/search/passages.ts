import { rarityOf } from './bm25.ts'
import type { Match, Span } from './match-windows.ts'
import { PASSAGE_REACH, WITHIN_RECORD } from './tuning.ts'

/** A clue in a span and in the passage around it counts less than this many times its worth. */
export const MOST_TIMES_WORTH = 1 + WITHIN_RECORD.k1 + 1

/** The matches in a part of a long text, and how long that part is. */
export interface MatchedText {
  matches: readonly Match[]
  length: number
}

/**
 * What each clue is worth in a passage: the fewer passages of these texts contain it, the more. How rare it is among
 * records says little about where in a record to read.
 */
export function passageWorths(texts: readonly MatchedText[], weights: readonly number[]): number[] {
  const holding = weights.map(() => 0)
  let passages = 0
  for (const { matches, length } of texts) {
    passages += length / (2 * PASSAGE_REACH)
    const last = weights.map(() => -1)
    for (const { clue, start } of matches) {
      const passage = Math.floor(start / (2 * PASSAGE_REACH))
      if (last[clue] === passage) continue
      last[clue] = passage
      holding[clue] = (holding[clue] ?? 0) + 1
    }
  }
  return weights.map((weight, i) => weight * rarityOf(holding[i] ?? 0, passages))
}

/** What the passage around a span is worth. A clue that occurs again counts more, but not twice as much. */
export function passageWorth(
  { start, end }: Span,
  matches: readonly Match[],
  worths: readonly number[],
): number {
  const middle = (start + end) / 2
  const counts = worths.map(() => 0)
  for (const match of matches)
    if (Math.abs(match.start - middle) <= PASSAGE_REACH) counts[match.clue] = (counts[match.clue] ?? 0) + 1
  const { k1 } = WITHIN_RECORD
  return worths.reduce((sum, worth, i) => {
    const count = counts[i] ?? 0
    return sum + (worth * count * (k1 + 1)) / (count + k1)
  }, 0)
}
