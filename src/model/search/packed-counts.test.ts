import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countPacked, hashOf, packSections } from './packed-counts.ts'

function section(code: number, length: number, counts: ReadonlyMap<string, number>) {
  return { code, length, hashes: [...counts.keys()].map(hashOf), counts: [...counts.values()] }
}

test('only fields with a weight count', () => {
  const counts = new Map(Array.from({ length: 300 }, (_, i) => [`w${i}`, i + 1]))
  const packed = packSections([section(1, 3, new Map([['w7', 2]])), section(2, 99, counts)])
  const found = [0, 0]
  assert.equal(countPacked(packed, [hashOf('w7'), hashOf('none')], [0, 2, 1], found), 102)
  assert.deepEqual(found, [12, 0])
  const hidden = [0]
  assert.equal(countPacked(packed, [hashOf('w8')], [0, 1], hidden), 3)
  assert.deepEqual(hidden, [0])
})

test('every word is found with its count, exact or rounded, in sections of any size', () => {
  for (const size of [0, 1, 2, 3, 64, 4_097]) {
    const counts = new Map(Array.from({ length: size }, (_, i) => [`word ${i}`, i + 1]))
    const packed = packSections([section(200_000, 1_000_000 + size, counts)])
    assert.match(packed, /^[0-o]+$/)
    const weights = []
    weights[200_000] = 1
    for (const [key, count] of counts) {
      const found = [0, 0]
      const length = countPacked(packed, [hashOf(key), hashOf(`no ${key}`)], weights, found)
      const [told = 0, other] = found
      assert.deepEqual([length, other], [1_000_000 + size, 0], key)
      if (count < 48) assert.equal(told, count, key)
      else if (count < 1_500) assert.ok(Math.abs(told / count - 1) < 0.13, `${key} ${told}`)
      else assert.equal(told, 1_536, key)
    }
    if (size === 0) assert.equal(countPacked(packed, [1], weights, [0]), 1_000_000)
  }
})
