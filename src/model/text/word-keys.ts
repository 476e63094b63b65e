import { stemmer as stemArabic } from '@orama/stemmers/arabic'
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { fold } from './fold.ts'
import { type FurtherKey, furtherKeys } from './further-keys.ts'

const LONGEST_KEY = 64

/** A word of a script with spaces, and the keys that it is found by. */
interface WordKeys {
  word: string
  key: string
  further: readonly FurtherKey[]
  /** The same for counting, from the first time that the word is counted. */
  counted: CountedKeys | null
}

/** A key with a small number of its own: by it, keys are counted without comparing texts. */
export interface Key {
  readonly text: string
  readonly id: number
  /** For those who need a hash of the text again and again; negative until then. */
  hash: number
}

interface CountedKeys {
  own: Key | null
  further: readonly Key[]
}

const MOST_ENTRIES = 50_000
const MOST_KEYS = 100_000
const RECENT_ENTRIES = 2 ** 15

const entries = new Map<string, WordKeys>()
const keys = new Map<string, Key>()
/** Entries by a hash of their words, so that a word that was just seen need not be cut out of its text. */
const recent: (WordKeys | undefined)[] = new Array(RECENT_ENTRIES).fill(undefined)
let isCounting = false

/** The key of one word of a script with spaces. */
export function keyOf(word: string): string {
  return keysOf(word).key
}

export function keysOf(word: string): WordKeys {
  const known = entries.get(word)
  if (known !== undefined) return known
  const own = detached(word)
  const folded = wordKey(own)
  const key = stem(folded)
  const further = furtherKeys(own, folded, stem).filter(each => each.key !== key)
  const entry = { word: own, key, further, counted: null }
  if (entries.size >= MOST_ENTRIES) forgetKeys()
  entries.set(own, entry)
  return entry
}

/** Runs what counts keys. Each key has one number meanwhile. */
export function countingKeys<T>(work: () => T): T {
  forgetKeys()
  isCounting = true
  try {
    return work()
  } finally {
    isCounting = false
  }
}

/** Forgets everything when it is too much, but not while keys are counted. */
function forgetKeys(): void {
  if (isCounting || (entries.size < MOST_ENTRIES && keys.size < MOST_KEYS)) return
  entries.clear()
  keys.clear()
  recent.fill(undefined)
}

/** The key with this text, as it is counted. */
export function countedKey(text: string): Key {
  const known = keys.get(text)
  if (known !== undefined) return known
  const own = detached(text)
  const key = { text: own, id: keys.size, hash: -1 }
  keys.set(own, key)
  return key
}

/** The keys of the word between two places of a plain text, which is also given as bytes, and whose hash is known. */
export function recentKeys(
  text: string,
  bytes: Uint8Array,
  start: number,
  end: number,
  hash: number,
): CountedKeys {
  const slot = (hash ^ (hash >>> 15)) & (RECENT_ENTRIES - 1)
  const known = recent[slot]
  const entry =
    known !== undefined && isAt(known.word, bytes, start, end) ? known : keysOf(text.slice(start, end))
  recent[slot] = entry
  entry.counted ??= {
    own: entry.key === '' ? null : countedKey(entry.key),
    further: entry.further.flatMap(({ key }) => (key === '' ? [] : [countedKey(key)])),
  }
  return entry.counted
}

/** Whether this word is between two places. */
function isAt(word: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/** A copy that does not keep the text in memory that the word was cut from. */
function detached(word: string): string {
  return Buffer.from(word, 'utf16le').toString('utf16le')
}

/** The key of a word before stemming, which prefixes are compared with. Letters and digits only: compatibility forms such as ⑴ contain signs. */
export function wordKey(word: string): string {
  return plainKey(word).replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, '')
}

/** The same of a name, whose signs stay. */
export function plainKey(word: string): string {
  const folded = /[^\0-\x7f]/.test(word) ? fold(word.normalize('NFKC')) : word.toLowerCase()
  return folded.length > LONGEST_KEY
    ? folded.slice(0, LONGEST_KEY).toWellFormed().replaceAll('\uFFFD', '')
    : folded
}

/** The script chooses the stemmer. All Latin words are stemmed as English, in texts and queries alike. */
function stem(word: string): string {
  if (word.length < 3) return word
  if (/^[a-z]+$/.test(word)) return stemEnglish(word)
  if (/^[\u0430-\u045f]+$/.test(word)) return stemRussian(word)
  if (/^[\u0621-\u064a]+$/.test(word)) return stemArabic(word)
  return word
}

const STOP_WORDS = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below ' +
    'between both but by can could did do does doing down during each few for from further had has have ' +
    'having he her here hers him his how i if in into is it its itself just me more most my no nor not ' +
    'now of off on once only or other our out over own s same she should so some such t than that the ' +
    'their them then there these they this those through to too under until up very was we were what when ' +
    'where which while who whom why will with would you your'
  )
    .split(' ')
    .map(word => keyOf(word)),
)

/** Whether a word is too common in English to decide what is found. */
export function isStopWord(key: string): boolean {
  return STOP_WORDS.has(key)
}
