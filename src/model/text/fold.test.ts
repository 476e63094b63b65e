import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold, foldDecomposed, spellings } from './fold.ts'

const EQUAL: [string, string][] = [
  ['', ''],
  ['Straße', 'straße'],
  ['STRAẞE', 'straße'],
  ['Ärger', 'arger'],
  ['A\u0308rger', 'arger'],
  ['\u212B', 'a'],
  ['\u212Aelvin', 'kelvin'],
  ['İstanbul', 'istanbul'],
  ['ΟΔΥΣΣΕΎΣ', 'οδυσσευσ'],
  ['Ὀδυσσεύς', 'οδυσσευσ'],
  ['ᾳ ᾼ', 'α α'],
  ['\u2126', 'ω'],
  ['Ёлка й', 'елка и'],
  ['ǅ Ǆ ǆ', 'ǆ ǆ ǆ'],
  ['\u13A0\u13F0', '\uAB70\u13F8'],
  ['\u{10400}', '\u{10428}'],
  ['שָׁלוֹם', 'שלום'],
  ['\uFB2A', 'ש'],
  ['مُحَمَّد', 'محمد'],
  ['أإآ', 'ااا'],
  ['한국', '한국'],
  ['한국'.normalize('NFD'), '한국'],
  ['か\u3099', 'が'],
  ['か\u034F\u3099', 'が'],
  ['CRLF\r\n—“x”', 'crlf\r\n—“x”'],
]

const DIFFERENT: [string, string][] = [
  ['≠', '='],
  ['か', 'が'],
  ['は', 'ぱ'],
  ['ß', 'ss'],
  ['ſ', 's'],
  ['ı', 'i'],
  ['µ', 'μ'],
  ['क', 'क\u093C'],
  ['क', 'क\u094D'],
  ['ก', 'ก\u0E48'],
  ['가', '각'],
  ['ﬁ', 'fi'],
  ['²', '2'],
  ['Ａ', 'a'],
  ['-', '–'],
  [' ', '\u00A0'],
]

test('RF-4 folding removes differences of case and diacritics', () => {
  for (const [text, folded] of EQUAL) assert.equal(fold(text), folded, JSON.stringify(text))
})

test('RF-4 folding keeps different letters, signs and spaces apart', () => {
  for (const [one, other] of DIFFERENT) assert.notEqual(fold(one), fold(other), `${one} ${other}`)
})

/** Accents and points of Latin, Greek and Cyrillic (also for symbols), Hebrew, Arabic, in code points. */
const DIACRITICS = [
  '300-337 339-36f 1ab0-1aff 1dc0-1dff 20d0-20ff fe20-fe2f',
  '591-5bd 5bf 5c1-5c2 5c4-5c5 5c7',
  '610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8 6ea-6ed',
]

test('RF-4 folding removes exactly the diacritics', () => {
  const removed = new Set<string>()
  for (const range of DIACRITICS.join(' ').split(' ')) {
    const [first = 0, last = first] = range.split('-').map(hex => Number.parseInt(hex, 16))
    for (let codePoint = first; codePoint <= last; codePoint++) removed.add(String.fromCodePoint(codePoint))
  }
  for (const char of removed) assert.equal(fold(`x${char}y`), 'xy', nameOf(char))
  for (const char of assigned()) assert.equal(fold(char) === '', removed.has(char), nameOf(char))
})

test('RF-4 folding again changes nothing, for every assigned code point', () => {
  for (const char of assigned()) {
    const folded = fold(char)
    assert.equal(fold(folded), folded, nameOf(char))
    assert.equal(fold(`a${folded}b`), `a${folded}b`, nameOf(char))
  }
})

test('RF-4 canonically equal texts fold alike, for every assigned code point', () => {
  for (const char of assigned()) {
    const folded = fold(char)
    assert.equal(fold(char.normalize('NFD')), folded, nameOf(char))
    assert.equal(fold(char.normalize('NFC')), folded, nameOf(char))
    assert.equal(foldDecomposed(char).normalize('NFC'), folded, nameOf(char))
  }
})

test('RF-4 every assigned code point is among the spellings of its folding', () => {
  for (const char of assigned()) {
    const [first, ...rest] = [...foldDecomposed(char)]
    if (first === undefined || first === char) continue
    assert.ok(spellings(first, new Set(rest)).includes(char), nameOf(char))
    if (rest.length > 0) assert.ok(!spellings(first, new Set()).includes(char), nameOf(char))
  }
})

/** Planes 4 to 13 are empty, 15 and 16 private. */
function* assigned(): Generator<string> {
  for (let codePoint = 0; codePoint < 0xf0000; codePoint++) {
    if (codePoint === 0x40000) codePoint = 0xe0000
    const char = String.fromCodePoint(codePoint)
    if (/[^\p{Cn}\p{Co}\p{Cs}]/u.test(char)) yield char
  }
}

function nameOf(char: string): string {
  return `U+${char.codePointAt(0)?.toString(16)}`
}
