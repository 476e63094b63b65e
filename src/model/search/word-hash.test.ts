import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze } from '../text/analyzer.ts'
import { oneEditAway } from '../text/one-edit.ts'
import { keyAlone, keyOf } from '../text/words.ts'
import { packHashes, WordHashes, wordHash } from './word-hash.ts'

test('words of letters have a hash of a few bits, and nothing else has one', () => {
  const words = ['lantern', 'fjörður', 'библиотека', 'βιβλιοθήκη', 'مكتبة', 'ספרייה', 'straße']
  for (const word of words) {
    for (const text of [word, ...oneEditAway(word)]) {
      const hash = wordHash(keyOf(text))
      assert.ok(hash !== null && hash >= 0 && hash < 2 ** 22, text)
      assert.equal(keyAlone(text), keyOf(text))
    }
  }
  const others = ['r2d2', '1987', '図書館', 'ห้องสมุด', 'x'.repeat(60)]
  for (const word of others) assert.equal(wordHash(keyOf(word)), null, word)
  const further = analyze('e-mail went lanterns').filter(each => !each.basic && each.further !== 'spelling')
  assert.equal(further.length, 3)
  for (const { key } of further) assert.equal(wordHash(key), null, key)
  assert.equal(new Set(words.map(word => wordHash(keyOf(word)))).size, words.length)
})

test('every word one edit away is found once', () => {
  const alike = oneEditAway('ab')
  for (const text of ['ba', 'a', 'b', 'xb', 'ax', 'xab', 'axb', 'abx']) assert.ok(alike.includes(text), text)
  // One swapped, 2 shorter, 2 · 25 changed, 3 · 26 longer; of these ba is there once, aab and abb twice.
  assert.equal(alike.length, 1 + 2 + 50 + 78 - 2)
  assert.equal(new Set(alike).size, alike.length)
  assert.ok(!alike.includes('ab'))
})

test('a set of hashes contains exactly the packed ones', () => {
  const hashes = [0, 7, 8, 2 ** 22 - 1, 4_000_001]
  const set = new WordHashes()
  set.addPacked(packHashes(hashes))
  for (const hash of hashes) assert.ok(set.has(hash))
  for (const hash of [1, 9, 2 ** 22 - 2, 4_000_000]) assert.ok(!set.has(hash))
})
