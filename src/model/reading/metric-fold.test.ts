import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, parseJson } from '../json.ts'
import { foldOf } from './metric-fold.ts'

function sumOf(...values: string[]): string {
  const fold = foldOf('sum')
  for (const value of values) fold.add(parseJson(value) as Json, undefined)
  return JSON.stringify(fold.value())
}

test('amounts of money add up to the cent, in any order', () => {
  assert.equal(sumOf('0.1', '0.2'), '0.3')
  assert.equal(sumOf('-950.00', '3200', '-49.26', '-0.74'), '2200')
  const cents = Array.from({ length: 1_000 }, (_, n) => `${n % 7}.${String(n % 100).padStart(2, '0')}`)
  assert.equal(sumOf(...cents), sumOf(...cents.toReversed()))
  assert.equal(sumOf(...Array.from({ length: 1_000 }, () => '0.01')), '10')
  assert.equal(sumOf('-0.05', '-1'), '-1.05')
  assert.equal(sumOf('1e-30', '0.5'), '0.5')
  assert.equal(sumOf('1.5e3', '0.25'), '1500.25')
  assert.equal(sumOf('9007199254740993', '1'), '9007199254740994')
  assert.equal(sumOf(), '0')
})
