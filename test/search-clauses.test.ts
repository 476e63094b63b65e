import assert from 'node:assert/strict'
import { MOST_LATER_ROWS, MOST_LATER_ROWS_OF_RECORD } from '../src/model/search/tuning.ts'
import { PIECE_CHARS } from '../src/model/text/pieces.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

/** More postings of one word than a search reads before it checks access. */
const RECORDS = 800

function timeOf(no: number): string {
  return new Date(Date.UTC(2026, 0, 1) + no * 3_600_000).toISOString()
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** Grants for the same fields of one stream, and the records that they cover together, which are all old. */
const GRANTS: [title: string, grants: object[], opened: number[]][] = [
  [
    'two stretches of time',
    [{ until: timeOf(20) }, { since: timeOf(30), until: timeOf(40) }],
    [...range(0, 20), ...range(30, 40)],
  ],
  [
    'a stretch of time and single records',
    [{ until: timeOf(20) }, { records: ['messages:m25', 'messages:m27'] }],
    [...range(0, 20), 25, 27],
  ],
  ['single records', [{ records: ['messages:m3', 'messages:m5'] }], [3, 5]],
]

onEachEngine(
  'RS-5 newer records that no grant covers do not displace records that one does',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const lines = range(0, RECORDS).map(no =>
      message(`m${no}`, { subject: 'Stones', body: 'A pebble on the beach.', received_at: timeOf(no) }),
    )
    await server.ingest('messages', connection, lines)
    for (const [title, grants, opened] of GRANTS) {
      const made = []
      for (const grant of grants) made.push(await server.grants({ streams: ['messages'], ...grant }))
      const token = await server.tokenFor(...made)
      const inTime = opened.map(no => `m${no}`)
      for (const q of ['pebble', 'pebble beach', 'pebb*', '"pebble on the beach"']) {
        for (const sort of ['relevance', 'newest', 'oldest']) {
          const query = new URLSearchParams({ q, sort, limit: '100' })
          const { body } = await server.json(`/v1/search?${query}`, { token })
          const about = `${title}: ${query}`
          const found = body.data.map((hit: { record_key: string }) => hit.record_key)
          const expected = sort === 'newest' ? inTime.toReversed() : inTime
          assert.deepEqual(
            sort === 'relevance' ? found.sort() : found,
            sort === 'relevance' ? expected.toSorted() : expected,
            about,
          )
          assert.equal(body.meta.recall.truncated, false, about)
          const isCounted = !/[*"]/.test(q)
          assert.deepEqual(
            [body.meta.count, body.meta.count_accuracy],
            isCounted ? [opened.length, 'exact'] : [null, 'not_counted'],
            about,
          )
        }
      }
      const counted = await server.json('/v1/streams/messages/aggregate?q=pebble', { token })
      assert.equal(counted.body.value, opened.length, title)
    }
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine(
  'RS-5 matches in fields of a record that no grant covers do not displace visible matches',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const long = `pebble ${' '.repeat(PIECE_CHARS - 7)}`.repeat(MOST_LATER_ROWS_OF_RECORD + 1)
    const hidden = Math.ceil(MOST_LATER_ROWS / MOST_LATER_ROWS_OF_RECORD)
    const lines = range(0, hidden).map(no =>
      message(`m${no}`, { subject: 'Stones', body: long, received_at: timeOf(no) }),
    )
    const last = message('last', { subject: 'Stones', body: 'A pebble.', received_at: timeOf(hidden) })
    await server.ingest('messages', connection, [...lines, last])
    const token = await server.tokenFor(
      await server.grants({ streams: ['messages'], fields: ['subject', 'received_at'] }),
      await server.grants({
        streams: ['messages'],
        fields: ['subject', 'body', 'received_at'],
        since: timeOf(hidden),
      }),
    )
    const { body } = await server.json('/v1/search?q=pebble', { token })
    assert.deepEqual(
      body.data.map((hit: { record_key: string }) => hit.record_key),
      ['last'],
    )
    assert.deepEqual([body.meta.count, body.meta.recall.truncated], [1, false])
  },
)
