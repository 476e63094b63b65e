import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStretch, WordStatistics } from './postgres-statistics.ts'

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

test('rare words, rare prefixes and rare combinations of common words are found by words, the most common ones by rows', async () => {
  const { words, reads } = statistics(1_000_000, { the: 0.9, house: 0.2, garden: 0.1, door: 0.15 }, 0.01)
  const by = async (expression: Parameters<WordStatistics['wayTo']>[0]) =>
    (await words.wayTo(expression, 700)).by
  assert.equal(await by({ word: 'xylophone' }), 'words')
  assert.equal(await by({ any: [{ word: 'xylophone' }, { word: 'zither' }] }), 'words')
  assert.equal(await by({ prefix: 'xyl' }), 'words')
  assert.equal(
    await by({ all: [{ word: 'house' }, { word: 'garden' }, { word: 'door' }, { word: 'xylophone' }] }),
    'words',
  )
  assert.equal(await by({ word: 'the' }), 'rows')
  assert.equal(await by({ any: [{ word: 'the' }, { word: 'xylophone' }] }), 'rows')
  assert.equal(await by({ prefix: 'th' }), 'rows')
  assert.equal(reads(), 1)
})

test('a word in some per cent of many rows is found in a stretch that is a little longer than needed', async () => {
  const { words } = statistics(1_000_000, { the: 0.9, sail: 0.03 }, 0.01)
  assert.deepEqual(await words.wayTo({ word: 'sail' }, 600), { by: 'stretch', rows: 25_000 })
  const { words: many } = statistics(1_000_000, { the: 0.9, garden: 0.1, gate: 0.1 }, 0.01)
  assert.equal((await many.wayTo({ word: 'garden' }, 700)).by, 'stretch')
  assert.equal((await many.wayTo({ prefix: 'ga' }, 700)).by, 'stretch')
  const few = statistics(20_000, { the: 0.9, sail: 0.03 }, 0.01)
  assert.deepEqual(await few.words.wayTo({ word: 'sail' }, 600), { by: 'words' }, 'of few rows, all are read')
})

test('of words that must occur together the index reads about as much as the rarest of them has', async () => {
  const { words } = statistics(1_000_000, { the: 0.95, sail: 0.02 }, 0.01)
  const both = { all: [{ word: 'the' }, { word: 'sail' }] }
  assert.equal((await words.wayTo(both, 1_700)).by, 'stretch')
})

test('after a stretch with too few matches, the next one is as long as those say', () => {
  assert.equal(nextStretch(10_000, 400, 700), 9_375)
  assert.equal(nextStretch(10_000, 1, 700), 40_000, 'few matches say little')
  assert.equal(nextStretch(10_000, 0, 700), 40_000)
})

test('without statistics, rows are found by words', async () => {
  const queryable = { query: async () => ({ rows: [{ rows: -1, words: null, shares: null }] }) }
  assert.deepEqual(await new WordStatistics(queryable).wayTo({ word: 'the' }, 700), { by: 'words' })
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
  await assert.rejects(words.wayTo({ word: 'a' }, 1), /away/)
  assert.deepEqual(await words.wayTo({ word: 'a' }, 1), { by: 'words' })
})
