import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPartAscii, wordEndAt } from './words.ts'

const WORD = /[\p{L}\p{N}\p{M}\p{Co}\u00ad]+/gu
const LAST_CODE_POINT = 0x10ffff

function wordsIn(text: string): string[] {
  const words: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = wordEndAt(text, start)
    if (end > start) words.push(text.slice(start, end))
    start = Math.max(end, start + 1)
  }
  return words
}

test('EV-8 words are runs of letters, digits, marks and soft hyphens, whatever code point is inside or beside them', () => {
  for (let first = 0; first <= LAST_CODE_POINT; first += 64) {
    const characters = Array.from({ length: 64 }, (_, i) => String.fromCodePoint(first + i))
    const text = characters.map(character => `a${character}b ${character} `).join('')
    assert.deepEqual(wordsIn(text), text.match(WORD) ?? [], first.toString(16))
  }
})

test('EV-8 a part of a text is plain only if it is ASCII from its start to its end', () => {
  assert.ok(isPartAscii('über plain ü', 5, 11))
  assert.ok(!isPartAscii('über plain', 0, 4))
  assert.ok(!isPartAscii('plain ü', 0, 7))
})
