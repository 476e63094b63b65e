import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JudgedCollection } from '../bench/eval/collections.ts'
import { longRecords, passagesAround, READ_CHARS } from '../bench/eval/long-records.ts'
import { reachedOf, readOf, scoresOf } from '../bench/eval/measures.ts'

const document = (id: string, text: string, thread?: string) => ({
  ...{ id, title: '', text },
  ...(thread && { who: 'Ada', thread, at: '2024-01-01T00:00:00Z' }),
})
const collection = (
  documents: JudgedCollection['documents'],
  ...queries: (readonly [string, ...string[]])[]
): JudgedCollection => ({
  ...{ name: 'made', language: 'en', metric: 'R@10', target: null, documents },
  queries: queries.map(([text, ...relevant], i) => ({ id: `q${i}`, text, relevant: new Set(relevant) })),
})

test('a conversation is one long record, and is asked about where it has an answer', () => {
  const documents = [
    document('a1', 'Where? 😀', 'a'),
    document('b1', 'When?', 'b'),
    document('a2', 'Here', 'a'),
  ]
  const [made, ...others] = longRecords([
    collection(documents, ['where', 'a2'], ['both', 'a1', 'b1'], ['none']),
  ])
  assert.deepEqual(others, [])
  assert.equal(made?.name, 'made, long records')
  assert.deepEqual(
    made?.documents.map(({ id, text }) => [id, text]),
    [
      ['a', '<Ada> Where? 😀\n<Ada> Here\n'],
      ['b', '<Ada> When?\n'],
    ],
  )
  assert.deepEqual(made?.passages?.get('a'), [
    { id: 'a1', start: 0, end: 15 },
    { id: 'a2', start: 15, end: 26 },
  ])
  assert.deepEqual(
    made?.queries.map(({ text, relevant, record }) => [text, [...relevant], record]),
    [
      ['where', ['a2'], 'a'],
      ['both', ['a1'], 'a'],
      ['both', ['b1'], 'b'],
    ],
  )
})

test('documents without conversations are joined so that neighbours are not next to each other', () => {
  const documents = Array.from({ length: 9 }, (_, i) => document(`d${i}`, `text ${i}`))
  const [made] = longRecords([collection(documents, ['text', 'd4'])])
  assert.equal(made?.documents.length, 1)
  const order = made?.passages?.get('record 0')?.map(({ id }) => id)
  assert.deepEqual(order, ['d0', 'd3', 'd6', 'd1', 'd4', 'd7', 'd2', 'd5', 'd8'])
})

test('an answer is read if the text around one of the first windows touches it', () => {
  const passages = [0, 1, 2].map(i => ({ id: `p${i}`, start: i * READ_CHARS, end: (i + 1) * READ_CHARS }))
  const middle = { start_chars: 1.5 * READ_CHARS, end_chars: 1.5 * READ_CHARS + 2 }
  assert.deepEqual(passagesAround(passages, middle), ['p1', 'p2'])
  assert.deepEqual(passagesAround(passages, { start_chars: 5, end_chars: 9 }), ['p0'])
  const asked = collection(
    [document('a', 'x', 't')],
    ['one', 'a'],
    ['three', 'a'],
    ['five', 'a'],
    ['never', 'a'],
  )
  const [made] = longRecords([asked])
  assert.ok(made)
  const places = [[], ['b'], [], []]
  const shown = new Map(
    [[['a']], [...places.slice(0, 2), ['b', 'a']], [...places, ['a']], places].map(
      (each, i) => [`q${i} t`, each] as const,
    ),
  )
  assert.deepEqual(readOf(made, shown), { one: 0.25, three: 0.5, five: 0.75 })
  assert.deepEqual(scoresOf(made, shown), [1, 1, 0, 0])
  assert.equal(reachedOf(made, shown), null)
  assert.equal(readOf(asked, shown), null)
})
