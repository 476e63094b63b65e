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
  const keys = keysOf(clue)
  if (!keys) return true
  const lower = keys.map(key => key.charCodeAt(0))
  const upper = keys.map(key => key.toUpperCase().charCodeAt(0))
  for (let at = 0; at + keys.length <= words; at++) {
    let n = 0
    for (; n < keys.length; n++) {
      const initial = json.charCodeAt(borders[2 * (at + n)] ?? 0)
      if (initial !== lower[n] && initial !== upper[n]) break
    }
    if (n === keys.length && keys.every((key, i) => isWord(json, at + i, key, clue.kind === 'prefix')))
      return true
  }
  return false
}

/** The words that must occur, one after the other; null for a kind of clue that this check does not support. */
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
