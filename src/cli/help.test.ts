import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folded, overview } from './help.ts'

test('help on a narrow terminal is broken at words, in its column', () => {
  const help = folded(overview(), 60)
  const rows = help.split('\n').filter(line => line.startsWith('  '))
  assert.ok(rows.every(row => row.length <= 60))
  assert.match(help, /^ {2}serve {15}Serves the data, and imports from\n {22}watched folders\.$/m)
  const words = (text: string) => text.split(/\s+/)
  assert.deepEqual(words(help), words(overview()))
  assert.equal(folded(overview(), 200), overview())
})
