import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TARGETS } from '../bench/targets.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { SHIPPED_SOURCES } from '../src/importers/shipped-sources.ts'
import { APP_TOOLS } from '../src/mcp/apps.ts'
import { RESEARCH_TOOLS } from '../src/mcp/research.ts'
import type { Tool } from '../src/mcp/tool.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { output } from './command-line.ts'
import { TestServer } from './engines.ts'
import { bytes, ERAS, McpTestClient } from './mcp-client.ts'

/** Compares a text with the committed one; `npm run snapshots` writes it instead. */
function matchesSnapshot(name: string, text: string): void {
  const file = join(import.meta.dirname, 'snapshots', name)
  if (process.env.FOOTNOTE_WRITE_SNAPSHOTS === '1') writeFileSync(file, text)
  assert.equal(text, readFileSync(file, 'utf8'), `${name} changed: npm run snapshots, then look at the diff`)
}

test('BU-2 tools/list is the committed one for every protocol version, and small', async () => {
  await using server = await TestServer.start('sqlite')
  const served = []
  for (const era of ERAS) {
    await using client = await McpTestClient.connect(server, server.ownerToken, era)
    const { tools } = await client.client.listTools()
    assert.ok(bytes({ tools }) <= TARGETS.toolsList.limit, `${bytes({ tools })} bytes`)
    served.push(tools)
  }
  const [first, ...others] = served
  for (const other of others) assert.deepEqual(other, first)
  matchesSnapshot('tools-list.json', `${JSON.stringify(first, null, 2)}\n`)
})

test('RF-5 the reference has the whole schema of what each tool returns', () => {
  const outputs = (tools: readonly Tool[]) => Object.fromEntries(tools.map(tool => [tool.name, tool.output]))
  const addresses = { '/mcp': outputs([...TOOLS, ...APP_TOOLS]), '/mcp/research': outputs(RESEARCH_TOOLS) }
  matchesSnapshot('../../docs/reference/mcp-results.json', `${JSON.stringify(addresses, null, 2)}\n`)
})

test('the declarations of the sources are unchanged', () => {
  const versions = SHIPPED_SOURCES.map(({ source, declaration_version }) => [source.id, declaration_version])
  matchesSnapshot('declarations.json', `${JSON.stringify(Object.fromEntries(versions), null, 2)}\n`)
})

test('the help of every command is the committed one', async () => {
  const calls = [[], ...(await loadCommands()).map(({ name }) => name.split(' '))]
  const parts: string[] = []
  for (const words of calls) {
    const args = [...words, '--help']
    parts.push(`$ footnote ${args.join(' ')}\n${await output(args)}`)
  }
  matchesSnapshot('cli-help.txt', parts.join('\n'))
})
