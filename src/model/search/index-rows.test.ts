import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze } from '../text/analyzer.ts'
import { PIECE_CHARS } from '../text/pieces.ts'
import { firstRows, pieceTexts, tokensOf } from './index-rows.ts'

/** Every word of a text by its place, as the pieces tell it. */
function ownWords(text: string): string[] {
  let offset = 0
  const words: string[] = []
  for (const piece of pieceTexts(text)) {
    for (const token of tokensOf(piece).own)
      if (token.basic) words.push(`${offset + token.start} ${token.key}`)
    offset += piece.own
  }
  return words
}

test('EV-8 pieces together have exactly the words of the text, wherever it is cut', () => {
  for (const shift of [0, 1, 2, 3, 4, 5, 6]) {
    for (const word of ['zebra ', '北京大学', 'abc漢字', 'bob.smith@example.com ', '👋 wave ']) {
      const text = 'x'.repeat(shift) + ' '.repeat(3) + word.repeat(Math.ceil(20_000 / word.length))
      const expected = analyze(text).flatMap(token => (token.basic ? [`${token.start} ${token.key}`] : []))
      assert.deepEqual(ownWords(text), expected, `${word} ${shift}`)
    }
  }
})

test('EV-8 half a word at the edge of what a piece sees is no word', () => {
  const text = `${'a '.repeat(PIECE_CHARS / 2)}${'b '.repeat(126)}zebra zebra`
  const [piece] = [...pieceTexts(text)]
  assert.ok(piece?.cut)
  assert.ok(tokensOf(piece).neighbours.every(token => token.key === 'b'))
})

test('a field of many texts is spread over rows', () => {
  assert.deepEqual(firstRows([10, 20, PIECE_CHARS, 5, 5]), [0, 0, 0, 1, 1])
  assert.ok(Math.max(...firstRows(new Array(100_000).fill(10))) > 100)
})
