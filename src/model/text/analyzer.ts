import { keyNumber, keysAt } from './counted-keys.ts'
import { type Further, initialsOfKey } from './further-keys.ts'
import { emojiEndAt, isAscii, isPartAscii, keyOf, keysOf, plainKey, wordEndAt, wordKey } from './words.ts'

/** A word of a text as search sees it; `start` and `end` are UTF-16 indexes into the original text. */
export interface Word {
  key: string
  start: number
  end: number
  /** False for joined names and segmented words, which overlap other words of the text, and for emoji. */
  basic: boolean
  /** Set for a further key of a word, which only helps to find the word. */
  further: Further | null
}

/** Must be raised when the same text would give different words; indexes of another version are rebuilt. */
export const ANALYZER_VERSION = `9/${process.versions.unicode}`

/** Characters that join words into one name: addresses, paths, versions, dates, codes. */
const IS_JOINER = marked('-._@/:\\+#&=?~%')
const ASCII_ALPHANUMERIC = marked('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々]+/gu
const HAS_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\ud840-\ud88f]/
const PRIVATE_USE = /[\ue000-\uf8ff]/g
const PAIR = /^[\u3400-\u9fff]{2}$/
const LONGEST_NAME = 200
/** Names such as e-mail and miR-7a are also written without their punctuation. */
const SPELLED_TOGETHER = /^[\p{L}\p{N}\p{M}]+(?:[-_.][\p{L}\p{N}\p{M}]+)+$/u
const MOST_SPELLED_PARTS = 3
/** Numbers of books, accounts and the like have more parts. */
const SPELLED_NUMBER = /^\d+(?:-\d+)+$/

/** What is written between thousands: 12,500, 12'500 or 12 500. A number with points is a name. */
const IS_SEPARATOR = /[,'’\u00a0\u202f ]/
const THOUSANDS = 3
const DIGITS = /^\d+$/

/** A table with 1 for each of the characters. */
function marked(characters: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * The words of a text, in order of their start. Indexing, queries and match verification all use this function. With
 * initials, words that start with another letter may be left out, or have no key.
 */
export function analyze(text: string, initials: Initials | null = null): Word[] {
  const words: Word[] = []
  const names = new NameFinder(text, initials)
  const isPlainText = isAscii(text)
  for (let start = 0; start < text.length; ) {
    const end = wordEndAt(text, start)
    if (end === start) {
      const emojiEnd = isPlainText ? start : emojiEndAt(text, start)
      if (emojiEnd > start) push(words, text.slice(start, emojiEnd), start, emojiEnd, false)
      start = Math.max(start + 1, emojiEnd)
    } else {
      names.add(start, end)
      const plain = isPlainText || isPartAscii(text, start, end)
      if (!plain || !initials || initials.letters[text.charCodeAt(start)] === 1) {
        const word = text.slice(start, end)
        if (!plain && HAS_UNSPACED.test(word)) splitMixed(word, start, words, initials?.unspaced ?? 'all')
        else pushWord(words, word, start, end)
      } else if (initials.areInSequence) words.push({ key: '', start, end, basic: true, further: null })
      start = end
    }
  }
  const found = names.end()
  if (found.length === 0) return words
  words.push(...found)
  return words.sort((a, b) => a.start - b.start || a.end - b.end)
}

/**
 * The number of every key of a text, and whether it is a further key, in any order: the same as `analyze` finds,
 * without the positions. Plain text takes half the time this way. Call it only inside `countingKeys`.
 */
export function eachKey(text: string, take: (key: number, isFurther: boolean) => void): void {
  if (!isAscii(text)) {
    for (const { key, further } of analyze(text)) take(keyNumber(key), further !== null)
    return
  }
  const names = new NameFinder(text)
  const bytes = bytesOf(text)
  const size = text.length
  for (let i = 0; i < size; i++) {
    if (ASCII_ALPHANUMERIC[bytes[i] as number] !== 1) continue
    const start = i
    let hash = 0
    do hash = Math.imul(hash ^ (bytes[i++] as number), 0x01000193)
    while (i < size && ASCII_ALPHANUMERIC[bytes[i] as number] === 1)
    names.add(start, i)
    keysAt(text, bytes, start, i, hash, take)
  }
  for (const { key, further } of names.end()) take(keyNumber(key), further !== null)
}

let scratch = Buffer.alloc(2 ** 14)

/** The characters of plain text as bytes, which are faster to read. Valid until the next call. */
function bytesOf(text: string): Uint8Array {
  if (text.length > scratch.length) scratch = Buffer.alloc(text.length)
  scratch.write(text, 'latin1')
  return scratch
}

/** How the words to find begin. A key determines the first letters of its words. */
export interface Initials {
  letters: Uint8Array
  /** Which words of scripts without spaces are to be found: those of the segmenter take most of the time. */
  unspaced: 'none' | 'pairs' | 'all'
  /** Whether words are asked for that follow each other: then the words between them are found too, without keys. */
  areInSequence: boolean
}

export function markInitials(keys: readonly string[], areInSequence = false): Initials {
  const letters = keys.map(initialsOfKey).join('')
  const others = keys.filter(key => !isAscii(key.replace(PRIVATE_USE, '')))
  return {
    letters: marked(letters.replace(/[^a-z0-9]/g, '') + letters.replace(/[^a-z]/g, '').toUpperCase()),
    unspaced: others.some(key => !PAIR.test(key))
      ? 'all'
      : others.length > 0 || areInSequence
        ? 'pairs'
        : 'none',
    areInSequence,
  }
}

/** Collects words that are separated only by joiners into names, in one pass. */
class NameFinder {
  readonly #text: string
  readonly #initials: Initials | null
  readonly #names: Word[] = []
  #start = -1
  #end = -1
  #parts = 0
  /** Where the number begins whose thousands are written apart, if there is one, and its digits. */
  #number = -1
  #digits = ''

  constructor(text: string, initials: Initials | null = null) {
    this.#text = text
    this.#initials = initials
  }

  add(start: number, end: number): void {
    const gap = start - this.#end
    if (gap !== 1 || end - start !== THOUSANDS || !this.#addThousands(start, end))
      this.#beginNumber(start, end)
    if (this.#parts > 0 && gap <= 3 && this.#joins(start)) this.#parts++
    else {
      this.#close()
      this.#start = start
      this.#parts = 1
    }
    this.#end = end
  }

  /** Takes the word as the next three digits of a number. */
  #addThousands(start: number, end: number): boolean {
    if (this.#number < 0 || !IS_SEPARATOR.test(this.#text.charAt(start - 1))) return false
    const digits = this.#text.slice(start, end)
    if (!DIGITS.test(digits)) return false
    this.#digits += digits
    return true
  }

  /** Ends the number before the word, and begins another one if the word is up to three digits. */
  #beginNumber(start: number, end: number): void {
    if (this.#digits.length > THOUSANDS && this.#end - this.#number <= LONGEST_NAME)
      push(this.#names, this.#digits, this.#number, this.#end, false, 'spelling')
    const first = this.#text.charCodeAt(start)
    const mayBegin = end - start <= THOUSANDS && first >= 0x30 && first <= 0x39
    const digits = mayBegin ? this.#text.slice(start, end) : ''
    const begins = digits !== '' && DIGITS.test(digits)
    this.#number = begins ? start : -1
    this.#digits = begins ? digits : ''
  }

  /** Whether there are only joiners between the last word and this one. */
  #joins(start: number): boolean {
    for (let i = this.#end; i < start; i++) if (IS_JOINER[this.#text.charCodeAt(i)] !== 1) return false
    return true
  }

  end(): Word[] {
    this.#close()
    this.#beginNumber(this.#text.length, this.#text.length)
    return this.#names
  }

  #mayBeAsked(): boolean {
    if (!this.#initials || this.#initials.letters[this.#text.charCodeAt(this.#start)] === 1) return true
    return !isPartAscii(this.#text, this.#start, this.#end)
  }

  #close(): void {
    if (this.#parts < 2 || this.#end - this.#start > LONGEST_NAME || !this.#mayBeAsked()) return
    const name = this.#text.slice(this.#start, this.#end)
    const key = plainKey(name).replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, escapeJoiner)
    push(this.#names, key, this.#start, this.#end, false)
    if (this.#parts <= MOST_SPELLED_PARTS ? SPELLED_TOGETHER.test(name) : SPELLED_NUMBER.test(name))
      push(this.#names, keyOf(name.replace(/[-_.]/g, '')), this.#start, this.#end, false, 'spelling')
  }
}

function push(
  words: Word[],
  key: string,
  start: number,
  end: number,
  basic = true,
  further: Further | null = null,
): void {
  if (key !== '') words.push({ key, start, end, basic, further })
}

/** Adds a word of a script with spaces, and its further keys. */
function pushWord(words: Word[], word: string, start: number, end: number): void {
  const { key, further } = keysOf(word)
  push(words, key, start, end)
  for (const each of further) push(words, each.key, start, end, false, each.further)
}

/**
 * Splits a run that contains a script without spaces: that part into segmented words and pairs, the rest into words.
 */
function splitMixed(word: string, offset: number, words: Word[], unspaced: Initials['unspaced']): void {
  let done = 0
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > done) pushWord(words, word.slice(done, run.index), offset + done, offset + run.index)
    if (unspaced !== 'none') addUnspaced(run[0], offset + run.index, words, unspaced === 'all')
    done = run.index + run[0].length
  }
  if (done < word.length) pushWord(words, word.slice(done), offset + done, offset + word.length)
}

/** Adds the words found by the segmenter and every pair of neighbouring characters, so that any part can be found. */
function addUnspaced(run: string, offset: number, words: Word[], areSegmented: boolean): void {
  const found: Word[] = []
  const characters: { text: string; at: number }[] = []
  for (let at = 0; at < run.length; ) {
    const text = String.fromCodePoint(run.codePointAt(at) ?? 0)
    if (characters.length > 0 && isMark(text)) {
      const last = characters[characters.length - 1]
      if (last) last.text += text
    } else characters.push({ text, at })
    at += text.length
  }
  const [only] = characters
  if (characters.length === 1 && only) push(found, wordKey(only.text), offset, offset + run.length)
  for (let i = 0; i + 1 < characters.length; i++) {
    const [a, b] = [characters[i], characters[i + 1]]
    if (a && b) push(found, wordKey(a.text + b.text), offset + a.at, offset + b.at + b.text.length)
  }
  if (characters.length > 2 && areSegmented) {
    for (const { segment, index } of segmenter.segment(run)) {
      if (Array.from(segment).filter(character => !isMark(character)).length === 2) continue
      push(found, wordKey(segment), offset + index, offset + index + segment.length, false)
    }
  }
  words.push(...found.sort((a, b) => a.start - b.start || a.end - b.end))
}

/** Ideographs are checked by their numbers, because most characters here are ideographs. */
function isMark(character: string): boolean {
  return !(character >= '\u3400' && character <= '\u9fff') && /^\p{M}$/u.test(character)
}

/** Keys contain only letters and digits; the joiners of a name become private-use characters. */
function escapeJoiner(character: string): string {
  return String.fromCharCode(0xe000 + character.charCodeAt(0))
}

/** Whether a text contains characters of a script that is written without spaces. */
export function isUnspaced(text: string): boolean {
  return HAS_UNSPACED.test(text)
}
