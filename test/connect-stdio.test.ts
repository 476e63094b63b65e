import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { CLIENT_KINDS } from '../src/clients/client-kinds.ts'
import { Store } from '../src/store/store.ts'
import { CLIENT_FILES, clientHome, SECRET, tokenIn } from './client-home.ts'
import { listeningOn } from './command-line.ts'
import { COMPILE_CACHE } from './compile-cache.ts'

const CACHE = '.pdpp/clients'
const CREDENTIAL = `${CACHE}/127.0.0.1_7007.json`
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('footnote connect --stdio stores the token in the credential cache, readable only by its owner', async () => {
  await using place = await clientHome()
  const { code, stdout, stderr } = await place.run('gemini', '--stdio')
  assert.equal(code, 0, stderr)
  const { footnote } = JSON.parse(stdout).mcpServers
  assert.deepEqual(Object.keys(footnote), ['command', 'args'])
  assert.deepEqual(footnote.args.slice(1), ['mcp', '--provider-url', 'http://127.0.0.1:7007'])
  assert.doesNotMatch(stdout + stderr, SECRET)
  assert.ok(stderr.includes(`was stored in ${join(place.home, CREDENTIAL)}`), stderr)

  const held = await place.text(CREDENTIAL)
  const token = tokenIn(held)
  assert.deepEqual(JSON.parse(held), { credential: { access_token: token } })
  assert.equal((await place.server.json('/v1/schema', { token })).status, 200)
  assert.equal(await modeOf(join(place.home, CREDENTIAL)), '600')
  for (const folder of ['.pdpp', CACHE]) assert.equal(await modeOf(join(place.home, folder)), '700')
})

test('footnote connect --stdio --write gives each client an entry without a secret and its own token', async () => {
  await using place = await clientHome()
  const tokens = new Set<string>()
  for (const { key, label } of CLIENT_KINDS) {
    const file = CLIENT_FILES[key] ?? ''
    const first = await place.told(key, '--stdio', '--write')
    assert.equal(first.written, true)
    assert.equal(await modeOf(first.credential), '600')
    const text = await place.text(file)
    assert.doesNotMatch(text, SECRET)
    assert.equal(text.includes('--cache-root'), key !== 'claude-code', 'only the first has the usual place')
    const held = await readFile(first.credential, 'utf8')
    tokens.add(tokenIn(held))
    const second = await place.told(key, '--stdio', '--write')
    assert.deepEqual(
      [second.written, second.grant_ids[0], second.credential],
      [false, first.grant_ids[0], first.credential],
    )
    assert.deepEqual([await place.text(file), await readFile(first.credential, 'utf8')], [text, held])
    const printed = await place.told(key, '--stdio')
    assert.equal(printed.grant_ids[0], first.grant_ids[0], 'what is stored is shown, not made again')
    const owner = (await place.grants()).find(({ grant_id }) => grant_id === first.grant_ids[0])
    assert.equal(owner?.client_name, label)
  }
  assert.equal(tokens.size, CLIENT_KINDS.length)
  assert.equal((await place.grants()).length, CLIENT_KINDS.length)
})

test('a new grant replaces the stored one, and other files in the cache stay', async () => {
  await using place = await clientHome()
  await mkdir(join(place.home, CACHE), { recursive: true })
  await chmod(join(place.home, CACHE), 0o755)
  const other = join(place.home, CACHE, 'data.example.org.json')
  await writeFile(other, '{"credential":{"access_token":"theirs"}}')
  await writeFile(join(place.home, CREDENTIAL), 'no JSON', { mode: 0o644 })
  await place.out('cursor', '--stdio', '--write')
  const token = tokenIn(await place.text(CREDENTIAL))
  assert.equal(await modeOf(join(place.home, CREDENTIAL)), '600')
  assert.equal(await modeOf(join(place.home, CACHE)), '700')

  const narrowed = await place.told('cursor', '--stdio', '--write', '--fields', 'id')
  assert.equal(narrowed.written, false, 'the entry is the same')
  const fresh = tokenIn(await place.text(CREDENTIAL))
  assert.notEqual(fresh, token)
  assert.equal((await place.server.json('/v1/schema', { token })).status, 403, 'what was replaced is revoked')
  const page = await place.server.json('/v1/streams/messages/records', { token: fresh })
  assert.deepEqual(page.body.data[0].data, { id: 'm1' })

  const revoked = await place.server.json(`/v1/owner/grants/${narrowed.grant_ids[0]}`, { method: 'DELETE' })
  assert.equal(revoked.status, 200)
  const renewed = await place.told('cursor', '--stdio', '--write', '--fields', 'id')
  assert.notEqual(renewed.grant_ids[0], narrowed.grant_ids[0], 'a revoked one is no use')
  assert.equal(await readFile(other, 'utf8'), '{"credential":{"access_token":"theirs"}}')
  assert.deepEqual((await readdir(join(place.home, CACHE))).sort(), [
    '127.0.0.1_7007.json',
    'data.example.org.json',
  ])
})

test('--cache-root names another folder, which belongs to one client', async () => {
  await using place = await clientHome()
  const root = join(place.home, 'cache')
  const first = await place.told('cursor', '--stdio', '--write', '--cache-root', root)
  assert.equal(first.credential, join(root, 'clients/127.0.0.1_7007.json'))
  assert.ok((await place.text('.cursor/mcp.json')).includes(JSON.stringify(root)))
  const held = await readFile(first.credential, 'utf8')
  for (const args of [['vscode'], ['cursor', '--name', 'second', '--fields', 'id']]) {
    const refused = await place.run(...args, '--stdio', '--write', '--cache-root', root)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /contains the token of Cursor/)
  }
  assert.equal(await readFile(first.credential, 'utf8'), held)
  assert.equal((await place.grants()).length, 1)

  await writeFile(join(place.home, 'file'), '')
  const failed = await place.run('vscode', '--stdio', '--write', '--cache-root', join(place.home, 'file'))
  assert.equal(failed.code, 1)
  assert.equal(await place.text('.config/Code/User/mcp.json').catch(() => null), null)
  const active = (await place.grants()).filter(grant => grant.active)
  assert.deepEqual(
    active.map(({ grant_id }) => grant_id),
    [first.grant_ids[0]],
    'no grant is left over',
  )
})

test('Claude Desktop is set up over stdio, and its connector is described as steps', async () => {
  await using place = await clientHome()
  const file = CLIENT_FILES['claude-desktop'] ?? ''
  const before = '{\n  "globalShortcut": "",\n  "mcpServers": { "other": { "command": "x" } }\n}\n'
  await place.put(file, before)
  const told = await place.told('claude-desktop', '--write', '--stream', 'messages')
  assert.equal(await readFile(told.backup, 'utf8'), before)
  const { globalShortcut, mcpServers } = JSON.parse(await place.text(file))
  assert.deepEqual([globalShortcut, mcpServers.other], ['', { command: 'x' }])
  assert.deepEqual(Object.keys(mcpServers.footnote), ['command', 'args'])
  assert.match(told.connector_steps[0], /cannot be reached/)
  const printed = await place.out('claude-desktop', '--write', '--public-url', 'https://data.example.net')
  assert.match(
    printed,
    /^1\. .*Customize \(or Settings\) → Connectors.*\n2\. .*https:\/\/data\.example\.net\/mcp/m,
  )
  assert.doesNotMatch(printed, SECRET)

  const elsewhere = ['--data-dir', join(place.home, 'empty')]
  const missing = await place.run('claude-desktop', ...elsewhere)
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /There is no data in .*\nTry: check --data-dir/)
  await (await Store.open({ engine: 'sqlite', directory: join(place.home, 'empty') }))[Symbol.asyncDispose]()
  const empty = await place.run('claude-desktop', ...elsewhere)
  assert.equal(empty.code, 1)
  assert.match(empty.stderr, /no data yet.*\nTry: footnote --data-dir \S+ import PATH/)
})

test('a client starts the written command and reads with the cached token', async () => {
  await using place = await clientHome()
  await using server = await listeningOn(place.server.location)
  await place.out('claude-desktop', '--write', '--public-url', server.address)
  const { mcpServers } = JSON.parse(await place.text(CLIENT_FILES['claude-desktop'] ?? ''))
  const transport = new StdioClientTransport({
    ...mcpServers.footnote,
    env: { ...COMPILE_CACHE, HOME: place.home },
  })
  const client = new Client({ name: 'test', version: '1' })
  try {
    await client.connect(transport)
    const found = await client.callTool({ name: 'search', arguments: { query: 'subject' } })
    assert.match(JSON.stringify(found.content), /messages:m1/)
  } finally {
    await client.close()
  }
})
