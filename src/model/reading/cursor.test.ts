import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cursors } from './cursor.ts'

const NOW = new Date('2026-01-02T03:04:05Z')

test('page cursors open for what they were sealed for, never look like a flag, and bear no change', () => {
  const cursors = new Cursors(Buffer.alloc(32, 7), 60)
  for (let n = 0; n < 300; n++) {
    const cursor = cursors.sealPage({ n }, 'binding', NOW)
    assert.match(cursor, /^[A-Za-z0-9]/)
    assert.deepEqual(cursors.openPage(cursor, 'binding', NOW), { n })
    assert.throws(() => cursors.openPage(cursor, 'another', NOW), /cursor/)
    const at = n % (cursor.length - 1)
    const changed = cursor.slice(0, at) + (cursor[at] === 'x' ? 'y' : 'x') + cursor.slice(at + 1)
    assert.throws(() => cursors.openPage(changed, 'binding', NOW), /cursor/, `${at}`)
  }
})
