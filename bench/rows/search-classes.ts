import { mail, wordAt } from '../mail.ts'

/** Each class has several queries, asked in turn. The first word of the vocabulary is in every record, and a stop word. */
export const CLASSES: { name: string; queries: string[]; times: number }[] = [
  { name: 'a rare word', queries: places(19_000, 20), times: 3 },
  { name: 'a word in 2 % of the records', queries: places(500, 20), times: 2 },
  { name: 'a common word', queries: places(12, 10), times: 0.5 },
  { name: 'a stop word that all records hold', queries: [wordAt(1)], times: 0.5 },
  { name: 'a question of ten words', queries: Array.from({ length: 10 }, (_, i) => question(i)), times: 0.3 },
]
/** Queries that the floor has no equivalent for: the texts decide. */
export const BY_TEXT: { name: string; queries(records: number): string[] }[] = [
  { name: 'a phrase of two words', queries: records => phrases(records, 2) },
  { name: 'a phrase of three words', queries: records => phrases(records, 3) },
  { name: 'a phrase that common words make and no record holds', queries: () => unheard(10) },
  {
    name: 'a prefix',
    queries: () => ['qui*', 'an*', 'beco*', 'xix*', 'lolo*', 'ga*', 'gaanbe*'],
  },
]

function places(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => wordAt(first + i * 7))
}

/** Words that follow each other in records from the whole period. */
function phrases(records: number, words: number): string[] {
  const bodies = Array.from({ length: 10 }, (_, i) =>
    mail(Math.floor((records * (i + 0.5)) / 10)).body.split(' '),
  )
  return bodies.map((body, i) => `"${body.slice(i * 3, i * 3 + words).join(' ')}"`)
}

function unheard(count: number): string[] {
  return Array.from(
    { length: count },
    (_, i) => `"${wordAt(20 + i)} ${wordAt(60 + 2 * i)} ${wordAt(40 + 3 * i)}"`,
  )
}

/** Words of every rarity around two rare ones. */
export function question(n: number): string {
  const places = [1, 8, 11 + n, 25 + n, 60 + n, 150 + n, 400 + n, 900 + n, 18_000 + n, 17_000 + n]
  return places.map(wordAt).join(' ')
}

/** Rare words with two letters swapped. */
export function misspelt(count: number): string[] {
  return places(19_000, count).map(word => word.replace(/^(..)(.)(.)/, '$1$3$2'))
}
