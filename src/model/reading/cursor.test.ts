import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cursors } from './cursor.ts'

const NOW = new Date('2026-01-02T03:04:05Z')

test('page cursors open only for what they were sealed for, never look like a flag, and detect any change', () => {
  const cursors = new Cursors(Buffer.alloc(32, 7), 60)
  for (let n = 0; n < 300; n++) {
    const { cursor, kept } = cursors.sealPage({ n }, 'binding', NOW)
    assert.match(cursor, /^[A-Za-z0-9]/)
    assert.equal(cursor.length, 64)
    assert.equal(kept, null)
    assert.deepEqual(cursors.openPage(cursor, 'binding', NOW), { state: { n } })
    assert.throws(() => cursors.openPage(cursor, 'another', NOW), {
      details: { reason: 'foreign', param: 'cursor' },
    })
    assert.ok(cursors.isBound(cursor, 'binding') && !cursors.isBound(cursor, 'another'))
    const at = n % cursor.length
    const changed = cursor.slice(0, at) + (cursor[at] === 'x' ? 'y' : 'x') + cursor.slice(at + 1)
    assert.throws(() => cursors.openPage(changed, 'binding', NOW), /cursor/, `${at}`)
    assert.ok(!cursors.isBound(changed, 'binding'))
  }
})

test('a state of any size gives a cursor of 64 characters; one that does not fit is stored under its own key', () => {
  const cursors = new Cursors(Buffer.alloc(32, 7), 60)
  const states = [
    [0, 127, 128, 2 ** 40],
    [2 ** 53 - 1, 10_000_000, 10_000],
    0,
    42,
    null,
    'imp_0123456789',
    [],
    '',
    '山川草木',
  ]
  for (const state of states) {
    const { cursor, kept } = cursors.sealPage(state, 'b', NOW)
    assert.equal(kept, null, JSON.stringify(state))
    assert.deepEqual(cursors.openPage(cursor, 'b', NOW), { state })
    assert.notEqual(cursors.sealPage(state, 'b', NOW).cursor, cursor, 'two cursors of one state differ')
  }
  for (const state of [{ record_key: 'x'.repeat(1_200) }, [-1, 1.5, 'a longer one']]) {
    const { cursor, kept } = cursors.sealPage(state, 'b', NOW)
    assert.equal(cursor.length, 64)
    assert.deepEqual(JSON.parse(kept?.state ?? ''), state)
    assert.deepEqual(cursors.openPage(cursor, 'b', NOW), { key: kept?.key })
    assert.deepEqual(cursors.sealPage(state, 'other', NOW).kept, kept, 'the key depends on the state alone')
    assert.notEqual(new Cursors(Buffer.alloc(32, 8), 60).sealPage(state, 'b', NOW).kept?.key, kept?.key)
  }
})
