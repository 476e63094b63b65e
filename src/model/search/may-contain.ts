import { isUnspaced } from '../text/analyzer.ts'
import { isAscii, isPartAscii, keyOf, wordEndAt, wordKey } from '../text/words.ts'
import type { Clue } from './search-query.ts'

const BACKSLASH = 92
const LOWER_U = 117

/**
 * A cheap check of a record's JSON before its texts are analysed: false only if each group has a clue that no text can
 * contain. JSON with a script without spaces, or with characters written by their number, always passes.
 */
export function jsonMayContain(json: string, groups: readonly (readonly Clue[])[]): boolean {
  const isPlain = isAscii(json) && !json.includes('\\u')
  if (isPlain && !groups.some(clues => clues.every(clue => haveInitials(json, clue)))) return false
  const words = findWords(json, true)
  return words === -1 || groups.some(clues => clues.every(clue => contains(json, words, clue)))
}

/** Whether words of plain JSON with the first letters of a phrase follow each other, which rules out most of it. */
function haveInitials(json: string, clue: Clue): boolean {
  return clue.kind !== 'phrase' || (askedWords(clue)?.initials.test(json) ?? true)
}

/** A cheap check of one text: false only if it cannot contain the clue. */
export function textMayContain(text: string, clue: Clue): boolean {
  const words = findWords(text, false)
  return words === -1 || contains(text, words, clue)
}

/**
 * The start and end of each word of the last text; the end is negative if the word is not plain ASCII. Allocated once,
 * because this runs often.
 */
let borders = new Int32Array(4_096)

/** Fills `borders` and returns the number of words; -1 if the text cannot be checked. JSON escapes separate words. */
function findWords(text: string, isJson: boolean): number {
  if (borders.length < text.length + 2) borders = new Int32Array(text.length * 2)
  const isPlainText = isAscii(text)
  if (!isPlainText && isUnspaced(text)) return -1
  let count = 0
  for (let start = 0; start < text.length; ) {
    const end = wordEndAt(text, start)
    if (end === start) {
      const isEscaped = isJson && text.charCodeAt(start) === BACKSLASH
      if (isEscaped && text.charCodeAt(start + 1) === LOWER_U) return -1
      start += isEscaped ? 2 : 1
      continue
    }
    const isPlain = isPlainText || isPartAscii(text, start, end)
    // The analyzer leaves out what is only marks, so words on both sides of it are neighbours.
    if (isPlain || keyOf(text.slice(start, end)) !== '') {
      borders[count++] = start
      borders[count++] = isPlain ? end : -end
    }
    start = end
  }
  return count / 2
}

function contains(json: string, words: number, clue: Clue): boolean {
  const asked = askedWords(clue)
  if (!asked) return true
  for (let at = 0; at + asked.keys.length <= words; at++)
    if (
      mayStartAt(json, at, asked) &&
      asked.keys.every((key, i) => isWord(json, at + i, key, clue.kind === 'prefix'))
    )
      return true
  return false
}

/** Whether the words from a place on have the right first letters. A letter outside of ASCII may fold to any. */
function mayStartAt(json: string, at: number, { lower, upper }: AskedWords): boolean {
  for (let n = 0; n < lower.length; n++) {
    const initial = json.charCodeAt(borders[2 * (at + n)] ?? 0)
    if (initial !== lower[n] && initial !== upper[n] && isPlainAt(at + n)) return false
  }
  return true
}

/** The words that must occur, one after the other, and their first letters in both cases. */
interface AskedWords {
  keys: string[]
  lower: number[]
  upper: number[]
  /** Matches plain JSON with words that begin so, one after the other. */
  initials: RegExp
}

const REST_OF_WORD = '[A-Za-z0-9]*'
const BETWEEN_WORDS = '(?:[^A-Za-z0-9\\\\]|\\\\.)'

/** Computed once for each clue, because hundreds of texts are checked. */
const askedOf = new WeakMap<Clue, AskedWords>()

/** Null for a kind of clue that this check does not support. */
function askedWords(clue: Clue): AskedWords | null {
  const known = askedOf.get(clue)
  if (known) return known
  const keys = keysOf(clue)
  if (!keys) return null
  const lower = keys.map(key => key.charCodeAt(0))
  const upper = keys.map(key => key.toUpperCase().charCodeAt(0))
  const letters = lower.map((unit, i) => `[${escaped(unit)}${escaped(upper[i] as number)}]`)
  const initials = new RegExp(BETWEEN_WORDS + letters.join(`${REST_OF_WORD}${BETWEEN_WORDS}+`))
  const asked = { keys, lower, upper, initials }
  askedOf.set(clue, asked)
  return asked
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

function keysOf(clue: Clue): string[] | null {
  switch (clue.kind) {
    case 'word':
    case 'prefix':
      return [clue.key]
    case 'phrase':
      return clue.keys
    default:
      return null
  }
}

function isPlainAt(at: number): boolean {
  return (borders[2 * at + 1] ?? 0) > 0
}

function isWord(json: string, at: number, key: string, isPrefix: boolean): boolean {
  const word = json.slice(borders[2 * at], Math.abs(borders[2 * at + 1] ?? 0))
  if (!isPrefix) return keyOf(word) === key
  return (isPlainAt(at) ? word.toLowerCase() : wordKey(word)).startsWith(key)
}
