import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewOf } from './preview.ts'

test('a list that cannot fit is not looked through', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(4_000) }))
  const short = previewOf({ rows: rows(30) }, undefined, 60)
  assert.equal(short.cuts.length, 30)
  const long = previewOf({ rows: rows(40), text: 'y'.repeat(100) }, undefined, 60)
  assert.deepEqual(long.data, { rows: '[array of 40, 160751 bytes, left out]', text: 'y'.repeat(60) })
  assert.deepEqual(long.omitted, [{ path: 'rows', type: 'array', size_chars: 160_751 }])
})
