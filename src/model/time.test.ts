import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantKey } from './time.ts'

const TIMES = [
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.5Z',
  '2024-02-29T23:59:60.123456789Z',
  '2023-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-02T24:00:00Z',
  '2026-01-02T23:60:00Z',
  '2026-01-02T23:59:61Z',
]

test('the usual form of a time has the same key as the same time in another form', () => {
  for (const time of TIMES) assert.equal(instantKey(time), instantKey(time.replace('T', ' ')), time)
  assert.equal(instantKey('2026-01-02T03:04:05.5Z'), '2026-01-02T03:04:05.500000000Z')
  assert.equal(instantKey('2026-01-02T03:04:05.1234567891Z'), '2026-01-02T03:04:05.123456789Z')
  assert.equal(instantKey('2023-02-29T00:00:00Z'), null)
})
