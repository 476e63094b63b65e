import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexRow } from './index-row.ts'
import { type PieceText, pieceTexts, wordsOf } from './index-rows.ts'

/** The same, word by word. */
function counted(pieces: readonly PieceText[]) {
  const counts = new Map<string, number>()
  const words = pieces.map(piece => wordsOf(piece))
  const own = words.flatMap(each => each.own)
  for (const { key } of own) counts.set(key, (counts.get(key) ?? 0) + 1)
  const neighbours = new Set(words.flatMap(each => each.neighbours.map(({ key }) => key)))
  return {
    length: own.filter(({ further }) => further === null).length,
    counts: [...counts].sort(),
    neighbours: [...neighbours].filter(key => !counts.has(key)).sort(),
  }
}

test('a row counts the words of each field, however many texts and pieces the field has there', () => {
  const long = 'Zebras ran to bob.smith@example.com, müller went home. 北京大学 '
  const texts = [
    ['running runners ran', 'Runs RUNNING e-mail email'],
    [long, 'plain words after words'],
    Array.from({ length: 3_000 }, (_, i) => `w${i}x`),
    [long.repeat(400)],
    [''],
  ]
  for (const cut of [0, 1]) {
    const fields = texts.map(field => field.flatMap(text => [...pieceTexts(text)].slice(cut, cut + 1)))
    const row = indexRow(fields.flatMap((field, code) => field.map(piece => ({ code, piece }))))
    const found = row.map(({ code, length, words, neighbours }) => ({
      code,
      length,
      counts: words.map(({ key, count }) => [key.text, count]).sort(),
      neighbours: neighbours.map(({ text }) => text).sort(),
    }))
    const expected = fields.flatMap((field, code) => (field.length > 0 ? [{ code, ...counted(field) }] : []))
    assert.deepEqual(found, expected)
  }
})
