import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WordStatistics } from './postgres-statistics.ts'

function statistics(rows: number, shares: Record<string, number>, least: number) {
  let reads = 0
  const queryable = {
    query: async () => {
      reads++
      const values = Object.values(shares)
      return { rows: [{ rows, words: Object.keys(shares), shares: [...values, least, Math.max(...values)] }] }
    },
  }
  return { words: new WordStatistics(queryable), reads: () => reads }
}

test('rare words, rare prefixes and rare combinations of common words are found by words', async () => {
  const { words, reads } = statistics(1_000_000, { the: 0.9, house: 0.2, garden: 0.1, door: 0.15 }, 0.01)
  const favours = (expression: Parameters<WordStatistics['favourWords']>[0]) =>
    words.favourWords(expression, 700)
  assert.equal(await favours({ word: 'xylophone' }), true)
  assert.equal(await favours({ any: [{ word: 'xylophone' }, { word: 'zither' }] }), true)
  assert.equal(await favours({ prefix: 'xyl' }), true)
  assert.equal(
    await favours({ all: [{ word: 'house' }, { word: 'garden' }, { word: 'door' }, { word: 'xylophone' }] }),
    true,
  )
  assert.equal(await favours({ word: 'the' }), false)
  assert.equal(await favours({ word: 'garden' }), false)
  assert.equal(await favours({ any: [{ word: 'garden' }, { word: 'xylophone' }] }), false)
  assert.equal(await favours({ prefix: 'ho' }), false)
  assert.equal(reads(), 1)
})

test('without statistics, rows are found by words', async () => {
  const queryable = { query: async () => ({ rows: [{ rows: -1, words: null, shares: null }] }) }
  assert.equal(await new WordStatistics(queryable).favourWords({ word: 'the' }, 700), true)
})

test('statistics that cannot be read are read again', async () => {
  let reads = 0
  const queryable = {
    query: async () => {
      if (reads++ === 0) throw new Error('away')
      return { rows: [] }
    },
  }
  const words = new WordStatistics(queryable)
  await assert.rejects(words.favourWords({ word: 'a' }, 1), /away/)
  assert.equal(await words.favourWords({ word: 'a' }, 1), true)
})
