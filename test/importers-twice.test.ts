import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { folderWith, zipWith } from './imported-folder.ts'
import { LETTER, pdfOf } from './made-documents.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const run = promisify(execFile)

test('a second import adds nothing and changes nothing, for every format', async context => {
  const mapping = {
    a: { id: 'a', parent: null, message: { author: { role: 'user' }, content: { parts: ['Bread?'] } } },
    b: { id: 'b', parent: 'a', message: { author: { role: 'assistant' }, content: { parts: ['Flour.'] } } },
  }
  const sources = [
    zipWith(context, {
      'x/2024-03-30.json': [{ type: 'message', ts: '1711800000.000100', text: 'a' }, { ts: 7 }],
    }),
    folderWith(context, {
      'conversations.json': [{ id: 'c', title: 't', create_time: 1700000000, mapping }],
    }),
    folderWith(context, { 'a.md': '![[p.png]] text', 'b.md': Buffer.alloc(3), 'p.png': 'PNG' }),
    folderWith(context, {
      'a.csv': 'day,what\n2024-01-01,coffee\n2024-01-01,coffee\n',
      'b.json': [{ id: 1 }, { id: 2 }],
    }),
    folderWith(context, { 'a.pdf': pdfOf(['one', 'two']), 'b.docx': LETTER, 'c.pdf': '%PDF-1.7' }),
  ]
  const data = folderWith(context, {})
  const imported = async () => {
    const args = [MAIN, 'import', ...sources, '--json', '--data-dir', data]
    const { code, stdout } = await run(process.execPath, args, { env: { PATH: process.env.PATH } }).then(
      () => assert.fail('rejections set the exit code'),
      (error: { code: number; stdout: string }) => error,
    )
    assert.equal(code, 65)
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    return lines.map(({ connection_id, format, seen, added, updated, unchanged, rejected }) => ({
      connection_id,
      figures: [format, seen, added, updated, unchanged, rejected],
    }))
  }
  const first = await imported()
  assert.deepEqual(
    first.map(({ figures }) => figures),
    [
      ['slack', 2, 1, 0, 0, 1],
      ['chatgpt', 3, 3, 0, 0, 0],
      ['markdown', 2, 1, 0, 0, 1],
      ['table', 4, 4, 0, 0, 0],
      ['documents', 3, 2, 0, 0, 1],
      [null, 14, 11, 0, 0, 3],
    ],
  )
  const second = await imported()
  assert.deepEqual(
    second.map(({ figures }) => figures),
    first.map(({ figures: [format, seen, added, , , rejected] }) => [format, seen, 0, 0, added, rejected]),
  )
  assert.deepEqual(
    second.map(({ connection_id }) => connection_id),
    first.map(({ connection_id }) => connection_id),
  )
})
