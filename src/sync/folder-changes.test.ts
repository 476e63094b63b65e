import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelsOf } from './folder-changes.ts'

test('a label of Gmail may have any name', () => {
  const flags = new Set(['\\Seen', 'work'])
  const labels = new Set(['\\Draft', '\\Sent', 'constructor', '__proto__'])
  assert.deepEqual(labelsOf({ flags, labels }), ['Drafts', 'Sent', '__proto__', 'constructor', 'work'])
})
