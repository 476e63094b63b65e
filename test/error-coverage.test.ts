import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '../src/model/errors.ts'

const ROOT = join(import.meta.dirname, '..')

function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => ({ path: `${folder}/${path}`, text: readFileSync(join(ROOT, folder, path), 'utf8') }))
}

/** The codes of rejections, skipped files and warnings: every `code: '…'`, `reject('…'` and `new Unreadable('…'` in the source. */
function codesGiven(): Set<string> {
  const given = sources('src').filter(({ path }) => !path.endsWith('.test.ts'))
  return new Set(
    given.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:code: |reject\(|new Unreadable\(\s*)'([a-z_]+)'/g)].map(
        ([, code = '']) => code,
      ),
    ),
  )
}

test('ER-1 every code of an error, a rejection and a warning is named by a test', () => {
  const tests = [
    ...sources('test').filter(({ path }) => !path.endsWith('/error-coverage.test.ts')),
    ...sources('src').filter(({ path }) => path.endsWith('.test.ts')),
  ]
  const words = new Set(
    tests.flatMap(({ text }) => (text.match(/[a-z_.]+/g) ?? []).flatMap(word => [word, ...word.split('.')])),
  )
  const codes = new Set([...Object.keys(ERRORS), ...codesGiven()])
  assert.ok(codes.has('invalid_cursor') && codes.has('text_cleaned'))
  assert.deepEqual(
    [...codes].filter(code => !words.has(code)),
    [],
  )
})
