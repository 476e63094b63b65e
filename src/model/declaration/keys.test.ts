import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberOrderKey } from './keys.ts'

test('equal numbers have equal keys, and keys have the order of numbers', () => {
  for (const same of ['1', '1.0', '1.000', '10e-1', '0.1e1', '0001'])
    assert.equal(numberOrderKey(same), numberOrderKey('1'), same)
  for (const zero of ['0', '-0', '0.00', '0e9']) assert.equal(numberOrderKey(zero), numberOrderKey('0'), zero)
  const ordered = [
    '-1e400',
    '-10',
    '-1.01',
    '-1',
    '-0.1',
    '0',
    '5e-324',
    '0.1',
    '1',
    '1.01',
    '10',
    '101',
    '1e400',
  ]
  const keys = ordered.map(numberOrderKey)
  assert.deepEqual(keys.toSorted(), keys)
})

test('a number may have any number of zeros', () => {
  const zeros = '0'.repeat(1_000_000)
  assert.equal(numberOrderKey(`1${zeros}1`).length, numberOrderKey('1').length + zeros.length + 1)
  assert.equal(numberOrderKey(`1${zeros}.${zeros}`), numberOrderKey('1e1000000'))
})
