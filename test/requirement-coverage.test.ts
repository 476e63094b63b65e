import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { REQUIREMENTS } from './requirements.ts'

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

test('every requirement is cited in the title of a test', () => {
  const cited = citations()
  const missing = Object.entries(REQUIREMENTS).filter(([id]) => !cited.has(id))
  assert.deepEqual(missing, [])
})

test('every id cited in the title of a test is a requirement', () => {
  const unknown = [...citations()].filter(([id]) => !(id in REQUIREMENTS))
  assert.deepEqual(unknown, [])
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
