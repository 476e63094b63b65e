import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowId } from '../../../model/search/row-numbers.ts'
import type { Candidate } from '../finding/finder.ts'
import { type Ranker, type RankingContext, rankBy } from './ranker.ts'

/** Row `row_no` of the record whose first row is `first`; the rankers score its count of the only clue. */
function candidate(first: number, row_no: number, count: number): Candidate {
  const row = {
    row_id: rowId(first, row_no),
    row_no,
    connection_id: 'cin_a',
    stream: 'messages',
    record_key: `r${first}`,
    time_key: `t${first}`,
    sections: '',
  }
  return { row, counts: [count], length: 1 }
}

const context = {
  scope: { visibleTime: (row: Candidate['row']) => row.time_key },
  query: { without: [] },
  clues: [{ kind: 'word', key: 'word', weight: 1, stop: false }],
} as unknown as RankingContext

const byCount: Ranker = {
  name: 'count',
  depth: Number.POSITIVE_INFINITY,
  score: ranked => ranked.map(({ candidate }) => candidate.counts[0] ?? 0),
}

test('EV-1 a record ranks by its best row, and equal records by time', async () => {
  const candidates = [candidate(10, 0, 1), candidate(10, 1, 5), candidate(20, 0, 3), candidate(30, 0, 3)]
  const ranked = await rankBy([byCount], candidates, context)
  assert.deepEqual(
    ranked.map(({ candidate }) => candidate.row.row_id),
    [rowId(10, 1), 30, 20],
  )
  assert.deepEqual(
    ranked.map(({ rows }) => rows.map(row => row.row_id)),
    [[rowId(10, 1), 10], [30], [20]],
  )
})

test('EV-1 the rows of a record come first that have the clues which its other rows lack', async () => {
  const clues = ['common', 'rare'].map(key => ({ kind: 'word' as const, key, weight: 1, stop: false }))
  const row = (row_no: number, counts: number[]) => ({ ...candidate(10, row_no, 0), counts })
  const candidates = [row(0, [9, 0]), row(1, [8, 0]), row(2, [1, 1]), row(3, [7, 0])]
  const [record] = await rankBy([byCount], candidates, { ...context, clues })
  assert.equal(record?.candidate.row.row_no, 0)
  assert.deepEqual(
    record?.rows.map(({ row_no }) => row_no),
    [2, 0, 1, 3],
  )
})

test('EV-1 a second ranker reorders the best records, and the others stay behind them', async () => {
  const seen: number[][] = []
  const turned: Ranker = {
    name: 'turned',
    depth: 2,
    score: async ranked => {
      seen.push(ranked.map(({ score }) => score))
      return ranked.map(({ score }) => -score)
    },
  }
  const candidates = [1, 2, 3, 4].map(count => candidate(count * 10, 0, count))
  const ranked = await rankBy([byCount, turned], candidates, context)
  assert.deepEqual(seen, [[4, 3]])
  assert.deepEqual(ranked[0]?.reasons, [
    { by: 'count', points: 3 },
    { by: 'turned', points: -6 },
  ])
  assert.deepEqual(
    ranked.map(({ candidate }) => candidate.row.row_id),
    [30, 40, 20, 10],
  )
})
