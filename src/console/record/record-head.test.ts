import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../../test/processor-time.ts'
import type { RecordBody } from '../../api/records.ts'
import type { Visit } from '../visit.ts'
import { type RecordShape, recordHead } from './record-head.ts'

function headOf(to: string[]): string {
  const shape = { head: [{ term: 'To', fields: ['to'], people: true }], heading: null, ends: [] }
  const visit = { isDemo: false } as Visit
  return String(recordHead({ data: { to } } as unknown as RecordBody, shape as unknown as RecordShape, visit))
}

test('an address that is already part of a name is not repeated', () => {
  const head = headOf(['Ada <ada@example.org>', 'ada@example.org', 'bo@example.org'])
  assert.deepEqual(head.match(/<a [^>]*>[^<]*/g), [
    '<a href="/people/ada%40example.org">Ada &lt;ada@example.org&gt;',
    '<a href="/people/bo%40example.org">bo@example.org',
  ])
})

test('what is too long for a name leads nowhere', () => {
  assert.match(headOf(['a'.repeat(500)]), /<a /)
  assert.doesNotMatch(headOf(['a'.repeat(501)]), /<a /)
})

test('a message to thousands of people is shown quickly', () => {
  const spent = processorTime()
  const head = headOf(Array.from({ length: 10_000 }, (_, n) => `Person ${n} <p${n}@example.org>`))
  assert.ok(spent() < 1_000, `${spent()} ms`)
  assert.match(head, /Person 11 .* and 9988 more/)
})
