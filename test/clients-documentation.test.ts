import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CLIENT_KINDS } from '../src/clients/client-kinds.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/reference/clients.md'), 'utf8')
const HEAD = '| client | version | tried how | result | date |\n|---|---|---|---|---|\n'
const NAMED = ['Claude Code', 'Codex', 'Gemini CLI', 'OpenCode', 'Cursor', 'Claude Desktop', 'ChatGPT']

/** The rows of the table of clients, each as its cells. */
function rows(): string[][] {
  const start = PAGE.indexOf(HEAD)
  assert.ok(start > 0, 'the page has the table')
  const table = PAGE.slice(start + HEAD.length).split('\n\n')[0] ?? ''
  return table.split('\n').map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

test('HO-6 every named client and every client with a recipe is listed once in the docs, with what was observed', () => {
  const table = rows()
  const clients = table.map(([client]) => client)
  for (const client of new Set([...NAMED, ...CLIENT_KINDS.map(({ label }) => label)]))
    assert.equal(clients.filter(each => each === client).length, 1, `one row for ${client}`)
  for (const cells of table) {
    const [client, version = '', how = '', result = '', date = ''] = cells
    assert.equal(cells.length, 5, client)
    assert.match(date, /^[A-Z][a-z]+ 20\d\d$/, client)
    if (version === 'not tried') {
      assert.equal(how, '–', client)
      assert.match(result, /\w+ \w+ \w+/, `${client}: why it was not tried`)
    } else {
      assert.match(version, /^\d+\.\d+\.\d+$/, client)
      assert.match(how, /\w+ \w+/, `${client}: how it was tried`)
      assert.match(result, /\w+ \w+/, `${client}: what it did`)
    }
  }
})
