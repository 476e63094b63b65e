import { fold } from './text/fold.ts'

/**
 * Names for a message, each once: the first of them, and how many more there are. Those that resemble what was asked for
 * come first.
 */
export function someNames(names: Iterable<string>, most: number, asked?: string): string {
  const all = [...new Set(names)]
  const wanted = asked === undefined ? '' : fold(asked)
  const sorted = wanted === '' ? all : [...all].sort((a, b) => likeness(b, wanted) - likeness(a, wanted))
  const more = all.length > most ? ` and ${all.length - most} more` : ''
  return `${sorted.slice(0, most).join(', ')}${more}`
}

/** How much a name resembles a folded text: as a whole, as a part of it or by a word. */
function likeness(name: string, wanted: string): number {
  const folded = fold(name)
  if (folded === wanted) return 3
  if (folded.includes(wanted) || wanted.includes(folded)) return 2
  const words = wordsOf(folded)
  return wordsOf(wanted).some(word => words.includes(word)) ? 1 : 0
}

/** Words of at least three characters; an s at the end does not count. */
function wordsOf(folded: string): string[] {
  return folded.split(/[^\p{L}\p{N}]+/u).flatMap(word => (word.length > 2 ? [word.replace(/s$/, '')] : []))
}
