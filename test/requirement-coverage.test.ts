import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Part, REQUIREMENTS } from './requirements.ts'

/** The finished parts. Add each part when it is finished. */
const PARTS_BUILT: readonly Part[] = ['foundation', 'search', 'authorization', 'mcp']

const ROOT = join(import.meta.dirname, '..')
const TITLE =
  /\b(?:test|it|describe|onEachEngine|onEitherEngine|onOneEngine)\s*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
const ID = /\b(?:ID|EV|LA|RF|RS|RC|BU|CL|ER|HO|AN)-\d+\b/g

function idsCited(source: string): string[] {
  return [...source.matchAll(TITLE)].flatMap(match => match[2]?.match(ID) ?? [])
}

function citations(): Map<string, string> {
  const cited = new Map<string, string>()
  for (const folder of ['src', 'test']) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.test.ts')) continue
      for (const id of idsCited(readFileSync(join(ROOT, folder, file), 'utf8'))) {
        cited.set(id, join(folder, file))
      }
    }
  }
  return cited
}

test('every requirement of the parts that exist is cited in the title of a test', () => {
  const cited = citations()
  const missing = REQUIREMENTS.filter(row => PARTS_BUILT.includes(row.part) && !cited.has(row.id))
  assert.deepEqual(
    missing.map(row => `${row.id} ${row.text}`),
    [],
  )
})

test('every id cited in the title of a test is a requirement', () => {
  const known = new Set(REQUIREMENTS.map(row => row.id))
  const unknown = [...citations()].filter(([id]) => !known.has(id))
  assert.deepEqual(unknown, [])
})

test('requirement ids are unique', () => {
  const ids = REQUIREMENTS.map(row => row.id)
  assert.deepEqual(ids, [...new Set(ids)])
})

test('ids are found in titles with any kind of quotes, and nowhere else', () => {
  const call = (name: string, title: string) => `${name}(${title}, () => {})`
  assert.deepEqual(idsCited(call('test', "'RS-1: it\\'s flat, RF-10'")), ['RS-1', 'RF-10'])
  assert.deepEqual(idsCited(call('describe', `\`RS-2 on \${engine}\``)), ['RS-2'])
  assert.deepEqual(idsCited(call('it', '"LA-7 says stale"')), ['LA-7'])
  assert.deepEqual(idsCited(call('await t.test', "\n  'ER-1 is typed'")), ['ER-1'])
  assert.deepEqual(idsCited(call('test.skip', "'RS-3 later'")), [])
  assert.deepEqual(idsCited('// RS-4\nassert.ok(found, "RS-5")'), [])
})
