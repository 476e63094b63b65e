import { ASCII_ALPHANUMERIC, keyOf } from './analyzer.ts'
import type { Clue } from './search-query.ts'

const UNCLEAR = /[^\0-\x7f]|\\u/
const BACKSLASH = 92

/**
 * A cheap look at the JSON of a record before its texts are analysed: false only when one of the clues surely stands in
 * none of them. What is not plain ASCII is always worth the analysis.
 */
export function mayHold(json: string, clues: readonly Clue[]): boolean {
  if (UNCLEAR.test(json)) return true
  const borders = wordBorders(json)
  return clues.every(clue => standsIn(json, borders, clue))
}

/** Where words begin and end, one after the other. Escapes of JSON part words. */
function wordBorders(json: string): number[] {
  const borders: number[] = []
  let inside = false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    const inWord = ASCII_ALPHANUMERIC[code] === 1
    if (inWord !== inside) {
      borders.push(i)
      inside = inWord
    }
    if (code === BACKSLASH) i++
  }
  if (inside) borders.push(json.length)
  return borders
}

function standsIn(json: string, borders: readonly number[], clue: Clue): boolean {
  const keys = clue.kind === 'phrase' ? clue.keys : [clue.key]
  const lower = keys[0]?.charCodeAt(0) ?? 0
  const upper = keys[0]?.toUpperCase().charCodeAt(0) ?? 0
  for (let at = 0; at + 2 * keys.length <= borders.length; at += 2) {
    const initial = json.charCodeAt(borders[at] ?? 0)
    if (initial !== lower && initial !== upper) continue
    const word = (n: number) => json.slice(borders[at + 2 * n], borders[at + 2 * n + 1])
    if (
      clue.kind === 'prefix'
        ? word(0).toLowerCase().startsWith(clue.key)
        : keys.every((key, n) => keyOf(word(n)) === key)
    )
      return true
  }
  return false
}
