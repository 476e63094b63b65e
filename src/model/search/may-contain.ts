import { ASCII_ALPHANUMERIC } from '../text/analyzer.ts'
import { keyOf } from '../text/word-keys.ts'
import type { Clue } from './search-query.ts'

const BACKSLASH = 92
const LOWER_U = 117
const LAST_ASCII = 127

/**
 * A cheap check of a record's JSON before its texts are analysed: false only if each group has a clue that no text can
 * contain. JSON that is not plain ASCII always passes.
 */
export function jsonMayContain(json: string, groups: readonly (readonly Clue[])[]): boolean {
  const words = findWords(json, true)
  return words === -1 || groups.some(clues => clues.every(clue => contains(json, words, clue)))
}

/** The same check for one text and one clue. */
export function textMayContain(text: string, clue: Clue): boolean {
  const words = findWords(text, false)
  return words === -1 || contains(text, words, clue)
}

/** The start and end of each word of the last text. Allocated once, because this runs often. */
let borders = new Int32Array(4_096)

/** Fills `borders` and returns the number of words; -1 if the text is not plain ASCII. JSON escapes separate words. */
function findWords(json: string, escaped: boolean): number {
  if (borders.length < json.length + 2) borders = new Int32Array(json.length * 2)
  let [count, inside] = [0, 0]
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code > LAST_ASCII) return -1
    const inWord = ASCII_ALPHANUMERIC[code] ?? 0
    if (inWord !== inside) {
      borders[count++] = i
      inside = inWord
    }
    if (escaped && code === BACKSLASH && json.charCodeAt(++i) === LOWER_U) return -1
  }
  if (inside === 1) borders[count++] = json.length
  return count / 2
}

function contains(json: string, words: number, clue: Clue): boolean {
  const asked = askedWords(clue)
  if (!asked) return true
  for (let at = 0; at + asked.keys.length <= words; at++)
    if (mayStartAt(json, at, asked) && startsAt(json, at, asked, clue.kind === 'prefix')) return true
  return false
}

/** Whether the words from a place on have the right first letters, which is rare enough to look at nothing else. */
function mayStartAt(json: string, at: number, { lower, upper }: AskedWords): boolean {
  for (let n = 0; n < lower.length; n++) {
    const initial = json.charCodeAt(borders[2 * (at + n)] ?? 0)
    if (initial !== lower[n] && initial !== upper[n]) return false
  }
  return true
}

function startsAt(json: string, at: number, { keys }: AskedWords, isPrefix: boolean): boolean {
  return keys.every((key, i) => isWord(json, at + i, key, isPrefix))
}

/** The words that must occur, one after the other, and their first letters in both cases. */
interface AskedWords {
  keys: string[]
  lower: number[]
  upper: number[]
}

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
  const asked = { keys, lower, upper }
  askedOf.set(clue, asked)
  return asked
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

function isWord(json: string, at: number, key: string, isPrefix: boolean): boolean {
  const word = json.slice(borders[2 * at], borders[2 * at + 1])
  return isPrefix ? word.toLowerCase().startsWith(key) : keyOf(word) === key
}
