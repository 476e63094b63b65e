import { fold } from './fold.ts'

/** Letters that folding keeps, and how they are written on keyboards that lack them. */
const KEPT: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
}
const KEPT_LETTERS = /[ßæœøđðłıþ]/g
/** Letters that folding turns into one letter and that many people write as two. */
const DOUBLED: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const DOUBLED_LETTERS = /[äöüøå]/g
const NOT_ASCII = /[^\0-\x7f]/

/**
 * How a word is written on keyboards that lack some of its letters, apart from its folding `folded`: `mueller` for
 * `müller`. The word is in lower case and composed.
 */
export function keyboardSpellings(word: string, folded: string): Set<string> {
  if (!NOT_ASCII.test(word)) return NONE
  const plain = folded.replace(KEPT_LETTERS, letter => KEPT[letter] ?? letter)
  const doubled = fold(word.replace(DOUBLED_LETTERS, letter => DOUBLED[letter] ?? letter))
  const spellings = new Set([plain, doubled.replace(KEPT_LETTERS, letter => KEPT[letter] ?? letter)])
  spellings.delete(folded)
  return spellings
}

const NONE = new Set<string>()
