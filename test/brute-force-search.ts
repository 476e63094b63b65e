import type { Seen } from './brute-force-query.ts'

/**
 * The parts of a query. A match contains the phrase, or without a phrase any of the words and prefixes, and none of
 * the excluded words, nor the excluded phrase.
 */
export interface PlainQuery {
  words: string[]
  prefixes: string[]
  phrase: string[] | null
  excluded: string[]
  excludedPhrase: string[] | null
  /** The words that also match similar words; if absent, all of them do. */
  alike?: string[]
}

export function writeQuery({ words, prefixes, phrase, excluded, excludedPhrase }: PlainQuery): string {
  return [
    ...words,
    ...prefixes.map(prefix => `${prefix}*`),
    ...(phrase ? [`"${phrase.join(' ')}"`] : []),
    ...excluded.map(word => `-${word}`),
    ...(excludedPhrase ? [`-"${excludedPhrase.join(' ')}"`] : []),
  ].join(' ')
}

/** The words of a text in lower case, in order; Chinese as pairs of adjacent characters. */
export function plainWords(text: string): string[] {
  const runs = text.toLowerCase().match(/\p{sc=Han}+|(?:(?!\p{sc=Han})[\p{L}\p{N}])+/gu) ?? []
  return runs.flatMap(run =>
    /\p{sc=Han}/u.test(run) ? (run.match(/.(?=(.))/gu) ?? []).map((one, i) => one + run[i + 1]) : run,
  )
}

/** All texts in the visible searchable fields of a record. */
export function searchedTexts({ source, data }: Seen): string[] {
  return source.searched.flatMap(field => textsIn(data[field]))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Words longer than five letters with the same first five. */
export function isAlike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 5 && one.slice(0, 5) === other.slice(0, 5)
}

/**
 * Whether two words of one script differ by one inserted, deleted or changed letter, or by two swapped neighbours. The first
 * letter of a short word may only be swapped.
 */
export function isOneEdit(one: string, other: string): boolean {
  if (one === other || ![/^[a-z]+$/, /^[а-я]+$/].some(script => script.test(one) && script.test(other)))
    return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const rests = (a: number, b: number) => one.slice(start + a) === other.slice(start + b)
  const isSwapped = one[start] === other[start + 1] && one[start + 1] === other[start] && rests(2, 2)
  if (isSwapped || (start === 0 && one.length < 6)) return isSwapped
  return rests(1, 0) || rests(0, 1) || rests(1, 1)
}

/** If no text contains the phrase, its words are searched for. */
export function loosened(query: PlainQuery): PlainQuery {
  const { words, phrase } = query
  return { ...query, words: [...words, ...(phrase ?? [])], phrase: null, alike: words }
}

export function excludes({ excluded, excludedPhrase }: PlainQuery): boolean {
  return excluded.length > 0 || excludedPhrase !== null
}

export function matches(query: PlainQuery, texts: readonly string[]): boolean {
  const all = texts.map(plainWords)
  const holds = (test: (word: string) => boolean) => all.some(words => words.some(test))
  const holdsPhrase = (phrase: string[]) =>
    all.some(words => words.some((_, at) => phrase.every((word, i) => words[at + i] === word)))
  if (query.excluded.some(excluded => holds(word => word === excluded))) return false
  if (query.excludedPhrase && holdsPhrase(query.excludedPhrase)) return false
  if (query.phrase) return holdsPhrase(query.phrase)
  // If the query has prefixes, words match exactly. Otherwise words with the same first letters match too.
  const alike = query.prefixes.length > 0 ? [] : (query.alike ?? query.words)
  return holds(
    word =>
      query.words.includes(word) ||
      alike.some(asked => isAlike(asked, word)) ||
      query.prefixes.some(prefix => word.startsWith(prefix)),
  )
}

/** Whether texts contain every part of a query and no excluded word. */
export function matchesAll(query: PlainQuery, texts: readonly string[]): boolean {
  const { words, prefixes, phrase, excluded, excludedPhrase } = query
  const parts = [
    ...words.map(word => ({ words: [word] })),
    ...prefixes.map(prefix => ({ prefixes: [prefix] })),
    ...(phrase ? [{ phrase }] : []),
  ]
  return parts.every(part =>
    matches({ words: [], prefixes: [], phrase: null, excluded, excludedPhrase, alike: [], ...part }, texts),
  )
}
