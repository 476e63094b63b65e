import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/explanation/threat-model.md'), 'utf8')
const SHOWN = /\[([\w-]+)\]\(\.\.\/\.\.\/([\w/-]+\.test\.ts)\) “([^”]+)”/g

/** The titles of the tests of a file. */
function titlesOf(source: string): string[] {
  const calls = source.matchAll(
    /\b(?:test|onEachEngine|onEitherEngine|onOneEngine)\(\s*(['"`])((?:(?!\1).)+)\1/g,
  )
  return [...calls].map(([, , title = '']) => title)
}

test('every threat of the threat model names a test that exists', () => {
  const tables = PAGE.split('| threat | defence | shown by |\n|---|---|---|\n').slice(1)
  const threats = tables.flatMap(table => (table.split('\n\n')[0] ?? '').split('\n'))
  const missing = threats.flatMap(row => {
    const shown = [...row.matchAll(SHOWN)]
    if (shown.length === 0) return [`no test: ${row}`]
    return shown.flatMap(([, , file = '', title = '']) => {
      const path = join(ROOT, file)
      const isThere = existsSync(path) && titlesOf(readFileSync(path, 'utf8')).includes(title)
      return isThere ? [] : [`${file} has no test “${title}”`]
    })
  })
  assert.ok(threats.length > 40, `${threats.length} threats`)
  assert.deepEqual(missing, [])
})

test('a title counts only as the title of a test', () => {
  const source = "// 'gone'\ntest('there', () => {})\nonEachEngine(\n  'there too',\n  async () => {},\n)"
  assert.deepEqual(titlesOf(source), ['there', 'there too'])
})
