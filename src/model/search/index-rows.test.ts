import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze } from '../text/analyzer.ts'
import { PIECE_CHARS } from '../text/pieces.ts'
import { firstRows, pieceTexts, wordsOf } from './index-rows.ts'

/** Every word of a text with its position, as the pieces report it. */
function ownWords(text: string): string[] {
  let offset = 0
  const words: string[] = []
  for (const piece of pieceTexts(text)) {
    for (const word of wordsOf(piece).own) if (word.basic) words.push(`${offset + word.start} ${word.key}`)
    offset += piece.own
  }
  return words
}

test('EV-8 the words of all pieces are exactly the words of the text, wherever it is cut', () => {
  for (const shift of [0, 1, 2, 3, 4, 5, 6]) {
    for (const word of ['zebra ', '北京大学', 'abc漢字', 'bob.smith@example.com ', '👋 wave ']) {
      const text = 'x'.repeat(shift) + ' '.repeat(3) + word.repeat(Math.ceil(20_000 / word.length))
      const expected = analyze(text).flatMap(word => (word.basic ? [`${word.start} ${word.key}`] : []))
      assert.deepEqual(ownWords(text), expected, `${word} ${shift}`)
    }
  }
})

test('EV-8 a word that is cut at the end of a piece does not count', () => {
  const text = `${'a '.repeat(PIECE_CHARS / 2)}${'b '.repeat(126)}zebra zebra`
  const [piece] = [...pieceTexts(text)]
  assert.ok(piece?.cut)
  assert.ok(wordsOf(piece).neighbours.every(word => word.key === 'b'))
})

test('a field of many texts is spread over rows', () => {
  assert.deepEqual(firstRows([10, 20, PIECE_CHARS, 5, 5]), [0, 0, 0, 1, 1])
  assert.ok(Math.max(...firstRows(new Array(100_000).fill(10))) > 100)
})
