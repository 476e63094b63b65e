import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowRange, WordExpression } from '../../engine/word-index.ts'
import { holdingToo, partsOf } from './rows-among.ts'

const MOST_WORDS = 16
const WIDEST = 10_000

test('many words are looked up in parts, among rows that are near each other', async () => {
  const words = Array.from({ length: 40 }, (_, n) => `word${n}`)
  // Groups of rows that are far apart. Each row lacks at most one of the words.
  const lacking = new Map<number, number>()
  for (let group = 0; group < 6; group++)
    for (let n = 0; n < 50; n++) lacking.set(1 + group * 25_000 + n * 150, (group * 50 + n) % 60)
  const holds = (row_id: number, { word }: { word: string }) => words[lacking.get(row_id) ?? 0] !== word
  const rows = [...lacking.keys()].sort((a, b) => b - a)
  const lookups: { words: number; span: number }[] = []
  const match = async (expression: WordExpression, { below, from = 0 }: RowRange, limit: number) => {
    const all = 'all' in expression ? (expression.all as { word: string }[]) : []
    lookups.push({ words: all.length, span: below - from })
    const found = rows.filter(row_id => row_id < below && row_id >= from)
    return found.filter(row_id => all.every(each => holds(row_id, each))).slice(0, limit)
  }
  const parts = partsOf(words.map(word => ({ word })))
  const held = await holdingToo(match, rows, parts)
  assert.deepEqual(
    held,
    rows.filter(row_id => (lacking.get(row_id) ?? 0) >= words.length),
  )
  assert.ok(held.length > 0)
  assert.equal(lookups.length, 6 * Math.ceil(words.length / MOST_WORDS))
  assert.ok(lookups.every(({ words, span }) => words <= MOST_WORDS && span <= WIDEST))
})

test('once no row is left, no further word is looked up', async () => {
  let lookups = 0
  const match = async () => {
    lookups++
    return []
  }
  const parts = partsOf(Array.from({ length: 200 }, (_, n) => ({ word: `word${n}` })))
  assert.deepEqual(await holdingToo(match, [3, 2, 1], parts), [])
  assert.equal(lookups, 1)
})
