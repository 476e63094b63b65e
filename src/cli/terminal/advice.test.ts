import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf } from './advice.ts'

test('a failure of the disk or of a file is said in words, with what to do', () => {
  const failure = (facts: object) => failureOf(Object.assign(new Error('raw words'), facts))
  assert.deepEqual(failure({ code: 'EACCES', path: '/backups/b' }), [
    '/backups/b: permission denied.',
    'check who may read and write there',
  ])
  const full = ['The disk is full.', 'free some space, then repeat the command']
  assert.deepEqual(failure({ code: 'ENOSPC' }), full)
  assert.deepEqual(failure({ code: 'ERR_SQLITE_ERROR', errcode: 13 }), full)
  assert.equal(failure({ code: 'ERR_SQLITE_ERROR', errcode: 11 }), null)
  assert.equal(failure({}), null)
  assert.deepEqual(failureOf(new Error('The database cannot be reached. Repeat the request in 5 seconds.')), [
    'The database cannot be reached.',
    'footnote doctor, then repeat the command',
  ])
  assert.deepEqual(failureOf(new Error('database "nodb" does not exist')), [
    'database "nodb" does not exist.',
    'check --database-url',
  ])
})
