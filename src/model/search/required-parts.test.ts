import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requiredParts } from './required-parts.ts'

test('the parts of a query that records must contain are shown as written, without stop words and operators', () => {
  const asked = 'How often was "special ref" mentioned in:list by Junio (again), -draft -"old ref" d3* d3*'
  assert.deepEqual(requiredParts(asked), ['often', '"special ref"', 'mentioned', 'Junio', 'd3*'])
  assert.deepEqual(requiredParts('"When was the harbour frozen last?"'), ['harbour', 'frozen', 'last'])
  assert.deepEqual(requiredParts('to be or not'), ['to', 'be', 'or', 'not'])
  assert.deepEqual(requiredParts('from:hedda after:2015'), [])
})
