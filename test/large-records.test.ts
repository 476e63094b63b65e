import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_RECORD_CHARS } from '../src/model/declaration/ingest-line.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { folderWith, readingOf } from './imported-folder.ts'
import { source, stream } from './mailbox.ts'

const NOTES = { ...source('notes', 'Notes'), streams: [stream('notes', { parts: {}, text: {}, more: {} })] }

/** A list whose JSON has this many characters, with texts that are not long. */
function listOf(chars: number): string[] {
  const text = 'x'.repeat(12_000)
  const whole = Math.floor((chars - 2) / (text.length + 3))
  const list = Array<string>(whole).fill(text)
  const missing = chars - JSON.stringify(list).length
  if (missing > 0) list[0] += 'x'.repeat(missing)
  return list
}

onEachEngine(
  'ER-1 RF-1 a record with more JSON than a read should parse is rejected, whatever is in it; long texts do not count',
  async engine => {
    await using server = await TestServer.start(engine)
    const cin = await server.connect(NOTES)
    const fitting = listOf(MOST_RECORD_CHARS - 100)
    const answer = await server.ingest('notes', cin, [
      { data: { id: 'fits', parts: fitting, text: 'long '.repeat(1_000_000) } },
      { data: { id: 'list', parts: listOf(MOST_RECORD_CHARS) } },
      { data: { id: 'numbers', text: 'short', parts: Array(MOST_RECORD_CHARS / 2).fill(0) } },
      { data: { id: 'together', parts: listOf(700_000), more: { a: listOf(700_000) } } },
      { data: { id: 'texts', parts: Array(100).fill({ text: 'y'.repeat(20_000) }) } },
      { key: 'list', op: 'delete', data: { id: 'list', parts: listOf(MOST_RECORD_CHARS) } },
    ])
    const { rejections } = answer.body
    assert.deepEqual(
      rejections.map(({ line, code }: { line: number; code: string }) => [line, code]),
      [2, 3, 4].map(line => [line, 'record_too_large']),
    )
    assert.match(rejections[1].message, /1,048,5\d\d characters .* at most 1,048,576 .* Most are in "parts"/)
    assert.equal(answer.body.added, 2)
    const read = await server.json('/v1/streams/notes/records/fits')
    assert.deepEqual(read.body.data.parts, fitting)
    assert.equal(read.body.data.text.length, 5_000_000)
    assert.deepEqual(server.failures, [])
  },
)

test('a row of a table that is too large for a record keeps its large lists and objects as texts', async context => {
  const points = Array.from({ length: 120_000 }, (_, n) => [n, n + 1])
  const rows = [
    { id: 1, name: 'Short walk', points: [[1, 2]], tags: ['a'] },
    { id: 2, name: 'Long walk', points, tags: ['b', 'c'] },
  ]
  const walks = await readingOf('table', folderWith(context, { 'walks.json': JSON.stringify(rows) }))
  const [short, long] = walks.of('rows')
  assert.deepEqual([short?.points, short?.other_values], [[[1, 2]], null])
  assert.deepEqual([long?.points, long?.tags], [null, ['b', 'c']])
  assert.deepEqual(long?.other_values, { points: JSON.stringify(points) })
})
