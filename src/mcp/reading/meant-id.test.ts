import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../../test/processor-time.ts'
import { withoutSurroundings } from './meant-id.ts'

test('what is around an id is left out in time that grows with its length', () => {
  assert.equal(withoutSurroundings(' <cin_a/mail:b>.; '), 'cin_a/mail:b')
  const spent = processorTime()
  for (const sign of [' ', ')', '.;', '#', '#a@1', '[', '](x)'])
    withoutSurroundings(`a${sign.repeat(100_000 / sign.length)}b`)
  assert.ok(spent() < 1_000, `${spent()} ms`)
})
