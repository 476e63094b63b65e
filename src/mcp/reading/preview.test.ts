import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewOf } from './preview.ts'

test('a list that cannot fit is not looked through', () => {
  const short = previewOf({ rows: Array(40).fill({ text: 'x'.repeat(4_000) }) }, undefined, 60)
  assert.equal(short.cuts.length, 40, 'long texts are cut')
  for (const rows of [Array(20_000).fill(1), Array(100).fill(Array(200).fill(1))]) {
    const long = previewOf({ rows, text: 'y'.repeat(100) }, undefined, 60)
    const size_chars = JSON.stringify(rows).length
    assert.deepEqual(long.data, {
      rows: `[array of ${rows.length}, ${size_chars} bytes, left out]`,
      text: 'y'.repeat(60),
    })
    assert.deepEqual(long.omitted, [{ path: 'rows', type: 'array', size_chars }])
  }
})
