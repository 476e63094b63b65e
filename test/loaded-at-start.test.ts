import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
/** Static imports and re-exports of values; types are gone before anything is loaded. */
const LOADED = /^(?:import|export)\s+(?!type\s)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm
const ONLY_TYPES = /^(?:import|export)\s*\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}/

/** What is loaded together with a file: files of ours, and packages. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  for (const [statement, specifier = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(LOADED)) {
    if (ONLY_TYPES.test(statement)) continue
    if (specifier.startsWith('.')) loadedWith(posix.join(posix.dirname(file), specifier), loaded)
    else loaded.add(specifier)
  }
  return loaded
}

const among = (loaded: ReadonlySet<string>, unwanted: RegExp) =>
  [...loaded].filter(each => unwanted.test(each))

test('a server that starts loads no importer, no OAuth library and no MCP library', () => {
  const starting = ['commands/serve.ts', 'commands/start.ts'].map(file => `src/cli/${file}`)
  for (const file of [...starting, 'src/authorization-server/server.ts']) {
    const loaded = loadedWith(file)
    assert.ok(loaded.size > 30, file)
    assert.deepEqual(
      among(
        loaded,
        /^(?:oidc-provider|@modelcontextprotocol\/.*|yaml|yauzl|htmlparser2|ical\.js|iconv-lite|imapflow|unpdf)$|^src\/(?:mcp|sync)\/|importers\/importers\.ts$/,
      ),
      [],
      file,
    )
  }
})

test('a command that reads loads no pages, no HTTP server and no importer', () => {
  const loaded = loadedWith('src/cli/commands/search.ts')
  assert.ok(loaded.has('src/cli/own-server.ts'))
  assert.deepEqual(
    among(loaded, /^src\/(?:console|authorization-server|importers)\/|^@hono\/|^@modelcontextprotocol\//),
    [],
  )
})
