import { stemmer as stemArabic } from '@orama/stemmers/arabic'
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { fold, withoutUnseen } from './fold.ts'
import { type FurtherKey, furtherKeys } from './further-keys.ts'

/** What a word consists of, a soft hyphen included; everything else separates words. */
const IN_WORD = /[\p{L}\p{N}\p{M}\p{Co}\u00ad]/u
/** Flags and other pictures, without signs such as © and ™, and without the colour of a skin. */
const EMOJI =
  /\p{RI}{2}|[\p{Extended_Pictographic}&&[\u231a-\u23f3\u2600-\u27bf\u2b05-\u2b55\u{1f000}-\u{1faff}]]/vy
const FIRST_EMOJI = 0x231a
const NOT_ASCII = /[^\0-\x7f]/
const LAST_ASCII = 127

/** For each UTF-16 unit whether it is part of a word, or half of a character; 0 until that is asked. */
const UNITS = new Uint8Array(2 ** 16)
const INSIDE = 1
const OUTSIDE = 2
const HALF = 3

/** How many UTF-16 units the character at an index has if it is part of a word; otherwise 0. */
function unitsAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (UNITS[unit] === 0) UNITS[unit] = kindOf(unit)
  if (UNITS[unit] !== HALF) return UNITS[unit] === INSIDE ? 1 : 0
  const character = text.codePointAt(index) ?? 0
  return character > 0xffff && IN_WORD.test(String.fromCodePoint(character)) ? 2 : 0
}

function kindOf(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return HALF
  return IN_WORD.test(String.fromCharCode(unit)) ? INSIDE : OUTSIDE
}

/** Where the word at an index ends; the index itself if there is none. */
export function wordEndAt(text: string, index: number): number {
  let end = index
  while (end < text.length) {
    // Nearly always it is known that the next unit is part of the word.
    if (UNITS[text.charCodeAt(end)] === INSIDE) end++
    else {
      const units = unitsAt(text, end)
      if (units === 0) break
      end += units
    }
  }
  return end
}

/** Where the picture at an index ends; the index itself if there is none. */
export function emojiEndAt(text: string, index: number): number {
  if (text.charCodeAt(index) < FIRST_EMOJI) return index
  EMOJI.lastIndex = index
  return EMOJI.test(text) ? EMOJI.lastIndex : index
}

/** Whether a text is plain ASCII. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text)
}

/** Whether a part of a text is plain ASCII. */
export function isPartAscii(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) > LAST_ASCII) return false
  return true
}

const LONGEST_KEY = 64

/** A word of a script with spaces, and the keys that it is found by. */
interface WordKeys {
  word: string
  key: string
  further: readonly FurtherKey[]
}

const entries = new Map<string, WordKeys>()
const MOST_ENTRIES = 20_000

/** The key of one word of a script with spaces. */
export function keyOf(word: string): string {
  return keysOf(word).key
}

/** The same for one of many words of which most are looked at only once: nothing is kept of it. */
export function keyAlone(word: string): string {
  return stem(wordKey(word))
}

export function keysOf(word: string): WordKeys {
  const known = entries.get(word)
  if (known !== undefined) return known
  const own = detached(word)
  const entry = newKeysOf(own)
  if (entries.size >= MOST_ENTRIES) entries.clear()
  entries.set(own, entry)
  return entry
}

/** The keys of a word, for callers that keep them themselves: nothing is kept here. */
export function newKeysOf(word: string): WordKeys {
  const folded = wordKey(word)
  const key = stem(folded)
  // Further keys of a word whose key was cut come from what is left of it, because an index refuses longer ones.
  const further = furtherKeys(word.length > LONGEST_KEY ? folded : word, folded, stem)
  return { word, key, further: further.filter(each => each.key !== key) }
}

/** A copy of a word that does not keep the text it was cut from in memory. */
export function detached(word: string): string {
  return Buffer.from(word, 'utf16le').toString('utf16le')
}

/**
 * The key of a word before stemming, which prefixes are compared with. Only letters and digits: compatibility forms
 * such as ⑴ contain punctuation.
 */
export function wordKey(word: string): string {
  return plainKey(word).replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, '')
}

/** The same for a name, whose punctuation is kept. */
export function plainKey(word: string): string {
  const folded = /[^\0-\x7f]/.test(word) ? foldedOf(word) : word.toLowerCase()
  return folded.length > LONGEST_KEY
    ? folded.slice(0, LONGEST_KEY).toWellFormed().replaceAll('\uFFFD', '')
    : folded
}

/** Ideographs and kana, which folding does not change. */
const FOLDED = /^[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff]+$/

function foldedOf(word: string): string {
  return FOLDED.test(word) ? word : fold(withoutUnseen(word).normalize('NFKC'))
}

/**
 * A conjunction before an article or another alif, and a preposition before the commonest verbal nouns, which the
 * stemmer keeps. eval, known ar in other forms: .610 without this, .683 with it.
 */
const ARABIC_PREFIX = /^(?:[وف](?=ا.{4})|[بلك](?=است.{2}))/

/** The script chooses the stemmer. All Latin words are stemmed as English, in texts and queries alike. */
function stem(word: string): string {
  if (word.length < 3) return word
  if (/^[a-z]+$/.test(word)) return stemEnglish(word)
  if (/^[\u0430-\u045f]+$/.test(word)) return stemRussian(word)
  if (/^[\u0621-\u064a]+$/.test(word)) return stemArabic(word.replace(ARABIC_PREFIX, ''))
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
  ).split(' '),
)
const STOP_KEYS = new Set([...STOP_WORDS].map(keyOf))

/**
 * Whether a written word is too common in English to affect what is found. "Doe" and "hi" are not, although they have
 * the keys of "does" and "his".
 */
export function isStopWord(word: string, key = keyAlone(word)): boolean {
  return STOP_WORDS.has(wordKey(word)) || STOP_WORDS.has(key)
}

/** Whether a word of which only the key is known is a stop word. */
export function isStopKey(key: string): boolean {
  return STOP_KEYS.has(key)
}
