import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chatgpt } from '../src/importers/chatgpt/chatgpt.ts'
import { CHATGPT } from '../src/importers/chatgpt/declaration.ts'
import { MARKDOWN } from '../src/importers/markdown/declaration.ts'
import { markdown } from '../src/importers/markdown/markdown.ts'
import { SLACK } from '../src/importers/slack/declaration.ts'
import { slack } from '../src/importers/slack/slack.ts'
import { table } from '../src/importers/table/table.ts'
import { connectorKeyOf } from '../src/model/declaration/source-id.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/reference/formats.md'), 'utf8')
const IMPORTERS = join(ROOT, 'src/importers')

test('the page of formats names every format and stream, and no field that does not exist', () => {
  for (const { format } of [slack, chatgpt, markdown, table])
    assert.match(PAGE, new RegExp(`^## .*\\(\`${format}\`\\)$`, 'm'))
  for (const declaration of [SLACK, CHATGPT, MARKDOWN]) {
    const section =
      PAGE.split(/^## /m).find(part => part.includes(`(\`${connectorKeyOf(declaration.source.id)}\`)`)) ?? ''
    for (const { name } of declaration.streams) assert.ok(section.includes(`| \`${name}\` |`), name)
    const fields = declaration.streams.flatMap(({ schema }) => Object.keys(schema.properties))
    for (const [, word = ''] of section.matchAll(
      /`((?:is|reply|thread|time|date|sent|linked|content|properties)_[a-z_]+)`/g,
    )) {
      assert.ok(fields.includes(word), word)
    }
  }
})

test('every reason for a rejection is on the page, and none that does not exist', () => {
  const files = readdirSync(IMPORTERS, { recursive: true, encoding: 'utf8' }).filter(
    file => /^(slack|chatgpt|markdown|table)\/|^json-items\.ts$/.test(file) && file.endsWith('.ts'),
  )
  const codes = new Set(
    files.flatMap(file =>
      [
        ...readFileSync(join(IMPORTERS, file), 'utf8').matchAll(
          /(?:code: |reject\((?:place, )?)'([a-z_]+)'/g,
        ),
      ].map(([, code = '']) => code),
    ),
  )
  const listed = [...PAGE.slice(PAGE.indexOf('## Why')).matchAll(/^\| `([a-z_]+)` \|/gm)].map(
    ([, code = '']) => code,
  )
  assert.deepEqual([...codes].sort(), listed.sort())
})
