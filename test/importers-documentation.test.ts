import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { IMPORTERS } from '../src/importers/importers.ts'
import { SHIPPED_SOURCES } from '../src/importers/shipped-sources.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/reference/formats.md'), 'utf8')
const HOW_TO = readFileSync(join(ROOT, 'docs/how-to/import-your-data.md'), 'utf8')
const FOLDER = join(ROOT, 'src/importers')

test('both pages name every format', () => {
  for (const { format } of IMPORTERS) {
    assert.match(PAGE, new RegExp(`^## .*\\(.*\`${format}\`.*\\)$`, 'm'))
    assert.match(HOW_TO, new RegExp(`\\| \`${format}\` \\|$`, 'm'))
  }
})

test('the formats page names every stream, and only fields that exist', () => {
  const sections = PAGE.split(/^## /m).filter(section => /^\| `[a-z_]+` \|/m.test(section))
  const declared = SHIPPED_SOURCES.map(({ streams }) => {
    const names = streams.map(({ name }) => name)
    const rows = (text: string) => names.filter(name => text.includes(`| \`${name}\` |`)).length
    const section = sections.toSorted((a, b) => rows(b) - rows(a))[0] ?? ''
    for (const name of names) assert.ok(section.includes(`| \`${name}\` |`), name)
    return { section, fields: streams.flatMap(({ schema }) => Object.keys(schema.properties)) }
  })
  for (const { section, fields } of declared) {
    for (const [, word = ''] of section.matchAll(
      /`((?:is|reply|thread|time|date|sent|linked|content|properties)_[a-z_]+)`/g,
    )) {
      assert.ok(fields.includes(word), word)
    }
  }
})

test('the formats page lists exactly the existing rejection codes', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const written = /(?:\bcode: |\breject\(|\bnew Unreadable\(\s*|\bleave\(relative, )'([a-z_]+)'/g
  const codes = new Set(
    files.flatMap(file =>
      [...readFileSync(join(FOLDER, file), 'utf8').matchAll(written)].map(([, code = '']) => code),
    ),
  )
  const section = PAGE.slice(PAGE.indexOf('## Why an item was rejected'))
  const listed = [...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code = '']) => code)
  assert.deepEqual(listed, [...codes].sort())
})
