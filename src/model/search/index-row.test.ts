import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyText } from '../text/counted-keys.ts'
import { indexRow } from './index-row.ts'
import { type PieceText, pieceTexts, wordsOf } from './index-rows.ts'

/** The expected counts, computed word by word. */
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

test('a row counts the words of each field, however many texts and pieces the field has in it', () => {
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
    const found = row.map(({ code, length, keys, counts, neighbours }) => ({
      code,
      length,
      counts: keys.map((key, i) => [keyText(key), counts[i]]).sort(),
      neighbours: neighbours.map(keyText).sort(),
    }))
    const expected = fields.flatMap((field, code) => (field.length > 0 ? [{ code, ...counted(field) }] : []))
    assert.deepEqual(found, expected)
  }
})

test('counts stay correct when there are more words than are kept in memory', () => {
  const row = (text: string) => {
    const found = indexRow([...pieceTexts(text)].map(piece => ({ code: 1, piece })))
    return found.map(({ keys, ...counted }) => ({ ...counted, keys: keys.map(keyText) }))
  }
  const text = 'running runners ran to müller and bob.smith@example.org, went running'
  const before = row(text)
  for (let i = 0; i < 60_000; i += 1_000)
    row(Array.from({ length: 1_000 }, (_, n) => `q${(i + n).toString(36)}`).join(' '))
  assert.deepEqual(row(text), before)
})
