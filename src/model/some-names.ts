import { fold } from './text/fold.ts'

/**
 * Names for a message, each once: the first of them, and how many more there are. Those that resemble what was asked for
 * come first.
 */
export function someNames(names: Iterable<string>, most: number, asked?: string): string {
  const all = [...new Set(names)]
  const sorted = asked === undefined ? all : alikeFirst(all, fold(asked))
  const more = all.length > most ? ` and ${all.length - most} more` : ''
  return `${sorted.slice(0, most).join(', ')}${more}`
}

/** Compares each name once, because a client may ask for a very long text. */
function alikeFirst(names: readonly string[], wanted: string): string[] {
  const words = new Set(wordsOf(wanted))
  const compared = names.map(name => ({ name, alike: likeness(name, wanted, words) }))
  return compared.sort((a, b) => b.alike - a.alike).map(({ name }) => name)
}

/** How much a name resembles a folded text with these words: as a whole, as a part of it or by a word. */
function likeness(name: string, wanted: string, words: ReadonlySet<string>): number {
  const folded = fold(name)
  if (folded === wanted) return 3
  if (folded.includes(wanted) || wanted.includes(folded)) return 2
  return wordsOf(folded).some(word => words.has(word)) ? 1 : 0
}

/** Words of at least three characters; an s at the end does not count. */
function wordsOf(folded: string): string[] {
  return folded.split(/[^\p{L}\p{N}]+/u).flatMap(word => (word.length > 2 ? [word.replace(/s$/, '')] : []))
}
