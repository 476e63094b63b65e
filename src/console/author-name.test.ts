import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../test/processor-time.ts'
import { authorName } from './author-name.ts'

test('a list shows an author without the address, even one that an archive has altered', () => {
  assert.equal(authorName('Ada <ada@example.org>'), 'Ada')
  assert.equal(authorName('Ada <ada at example.org>'), 'Ada')
  assert.equal(authorName('Ada <the elder>'), 'Ada <the elder>')
  assert.equal(authorName('assistant'), 'Assistant')
})

test('a long author is shown as quickly as it is long', () => {
  for (const part of [' ', ' <', ' @', ' at ', '<a at ', ' <@']) {
    for (const text of [`x${part.repeat(30_000)}x`, `x <${part.repeat(30_000)}x`]) {
      const spent = processorTime()
      authorName(text)
      assert.ok(spent() < 500, `${text.slice(0, 9)}… took ${spent()} ms`)
    }
  }
})
