import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../../test/processor-time.ts'
import { nameOf, personOf } from './people.ts'

test('a person is known by an address, and is shown by the name before it', () => {
  for (const [text, person, name] of [
    ['Tilda Brennick <Tilda@example.org>', 'tilda@example.org', 'Tilda Brennick'],
    ['"Brennick, Tilda"  <tilda@example.org>', 'tilda@example.org', 'Brennick, Tilda'],
    ['tilda@example.org', 'tilda@example.org', 'tilda@example.org'],
    ['<tilda@example.org>', 'tilda@example.org', '<tilda@example.org>'],
    ['<a@@b>', 'a@@b', '<a@@b>'],
    ['@tilda@example.org', '@tilda@example.org', '@tilda@example.org'],
    ['mailto:tilda@example.org', 'tilda@example.org', 'mailto:tilda@example.org'],
    ['@tilda', '@tilda', '@tilda'],
    ['tilda@ (home)', 'tilda@ (home)', 'tilda@ (home)'],
    [` 'Tilda'  `, `'tilda'`, 'Tilda'],
    [' " ', '"', '"'],
  ] as const) {
    assert.deepEqual([personOf(text), nameOf(text)], [person, name])
  }
})

test('a long text that names nobody is read as quickly as it is long', () => {
  const chars = 50_000
  for (const part of ['a', '@', '<', '<a@', 'a@', ' ', ' "', '<@']) {
    for (const text of [part.repeat(chars), `x${part.repeat(chars)}x`, `<${part.repeat(chars)}x`]) {
      const spent = processorTime()
      personOf(text)
      nameOf(text)
      assert.ok(spent() < 500, `${text.slice(0, 5)}… took ${spent()} ms`)
    }
  }
})
