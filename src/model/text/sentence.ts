import { advance, countCodePoints } from './code-points.ts'

/** For a longer sentence, at most this many characters on each side of the match are taken. */
const MOST_SIDE_CHARS = 400

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' })

/** The sentence or sentences that contain a range of a text, without surrounding white space; in code points. */
export function sentenceAround(
  text: string,
  { start, end }: { start: number; end: number },
): { start: number; end: number } {
  const from = advance(text, 0, start)
  const to = advance(text, from, end - start)
  const left = leftOf(text.slice(0, from))
  const right = rightOf(text.slice(from), to - from)
  const whole = text.slice(from - left, from + right)
  const trimmedStart = whole.length - whole.trimStart().length
  const trimmedEnd = whole.length - whole.trimEnd().length
  const first = Math.min(from, from - left + trimmedStart)
  const last = Math.max(to, from + right - trimmedEnd)
  return {
    start: start - countCodePoints(text.slice(first, from)),
    end: end + countCodePoints(text.slice(to, last)),
  }
}

/** How many code units before a match belong to its sentence. */
function leftOf(before: string): number {
  const near = tail(before)
  const line = near.slice(near.lastIndexOf('\n') + 1)
  // A letter takes the place of the match: without it the last sentence would seem to have ended.
  const last = [...sentences.segment(`${line}x`)].at(-1)
  return line.length - (last?.index ?? 0)
}

/** How many code units, counted from the start of a match, belong to its sentence. */
function rightOf(after: string, matched: number): number {
  const near = after.slice(0, advance(after, matched, MOST_SIDE_CHARS))
  const breakAt = near.indexOf('\n', matched)
  const line = breakAt === -1 ? near : near.slice(0, breakAt)
  for (const { index, segment } of sentences.segment(line)) {
    if (index + segment.length >= matched) return index + segment.length
  }
  return line.length
}

function tail(text: string): string {
  const near = text.slice(-2 * MOST_SIDE_CHARS)
  const chars = countCodePoints(near)
  return chars <= MOST_SIDE_CHARS ? near : near.slice(advance(near, 0, chars - MOST_SIDE_CHARS))
}
