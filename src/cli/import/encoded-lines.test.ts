import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodedLines } from './import-run.ts'

test('parts of lines never end inside a character', () => {
  const lines = ['a\u{1f30a}b\u{1f30a}\u{1f30a}', '', 'naïve 潮', '\u{1f30a}']
  for (const partChars of [1, 2, 3, 5, 100]) {
    const parts = [...encodedLines(lines, partChars)]
    assert.equal(Buffer.concat(parts).toString(), `${lines.join('\n')}\n`)
    assert.ok(parts.every(part => part.length <= 4 * partChars))
  }
})
