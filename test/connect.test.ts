import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTomlTable, withTomlTable } from '../src/cli/connect/toml-table.ts'
import { CLIENT_KINDS, CLIENTS_BY_HAND } from '../src/clients/client-kinds.ts'
import { CLIENT_FILES, clientHome, SECRET, tokenIn } from './client-home.ts'

const URL = 'http://127.0.0.1:7007/mcp'
const HTTP_CLIENTS = CLIENT_KINDS.filter(({ http }) => http).map(({ key }) => key)

test('footnote connect prints only the address; the client signs in through the browser', async () => {
  await using place = await clientHome()
  const commands: Record<string, RegExp> = {
    'claude-code':
      /^claude mcp add --transport http --scope user footnote http:\/\/127\.0\.0\.1:7007\/mcp\n\n\{/,
    codex:
      /^codex mcp add footnote --url http:\/\/127\.0\.0\.1:7007\/mcp\n\n\[mcp_servers\.footnote\]\nurl = "http:\S+"\n$/,
    gemini: /^gemini mcp add --scope user --transport http footnote http:\/\/127\.0\.0\.1:7007\/mcp\n\n\{/,
    copilot: /^copilot mcp add --transport http footnote http:\/\/127\.0\.0\.1:7007\/mcp\n\n\{/,
  }
  const signIns: Record<string, RegExp> = {
    'claude-code': /claude mcp login footnote, or type \/mcp in Claude Code/,
    codex: /codex mcp login footnote/,
    gemini: /\/mcp auth footnote/,
    copilot: /start copilot in a terminal/,
    opencode: /opencode mcp auth footnote/,
    cursor: /Connect next to footnote/,
    vscode: /MCP: List Servers/,
  }
  for (const client of HTTP_CLIENTS) {
    const { code, stdout, stderr } = await place.run(client)
    assert.equal(code, 0, stderr)
    assert.match(stdout, commands[client] ?? /^\{/)
    assert.doesNotMatch(stdout + stderr, SECRET)
    assert.match(stderr, /opens your browser, where you decide/)
    assert.match(stderr, signIns[client] ?? assert.fail(client))
    assert.ok(!existsSync(join(place.home, CLIENT_FILES[client] ?? '')), 'nothing is written without --write')
    const told = await place.told(client)
    assert.deepEqual(
      [told.client, told.url, told.written, told.access_token],
      [client, URL, false, undefined],
    )
    assert.match(told.sign_in, signIns[client] ?? assert.fail(client))
  }
  assert.deepEqual(await place.grants(), [])
})

test('footnote connect --write adds only the address to each configuration, once', async () => {
  await using place = await clientHome()
  assert.deepEqual(CLIENT_KINDS.map(({ key }) => key).sort(), Object.keys(CLIENT_FILES).sort())
  for (const client of HTTP_CLIENTS) {
    const file = CLIENT_FILES[client] ?? ''
    const first = await place.told(client, '--write')
    assert.deepEqual([first.file, first.written, first.backup], [join(place.home, file), true, null])
    const text = await place.text(file)
    assert.ok(text.includes(`"${URL}"`), text)
    assert.doesNotMatch(text, SECRET)
    const second = await place.told(client, '--write')
    assert.deepEqual([second.written, second.backup, second.sign_in], [false, null, first.sign_in])
    assert.equal(await place.text(file), text)
  }
  assert.deepEqual(await place.grants(), [])
  assert.match(await place.out('codex', '--write'), /set up already.*codex mcp login footnote/s)

  await place.out('cursor', '--write', '--token')
  const token = tokenIn(await place.text('.cursor/mcp.json'))
  await place.out('cursor', '--write')
  assert.doesNotMatch(await place.text('.cursor/mcp.json'), SECRET)
  assert.equal(
    (await place.server.json('/v1/schema', { token })).status,
    403,
    'what is not needed is revoked',
  )
})

test('flags that narrow a grant need --token or --stdio', async () => {
  await using place = await clientHome()
  for (const flag of ['--connection', '--stream', '--fields', '--since', '--until', '--expires']) {
    const { code, stdout, stderr } = await place.run('codex', flag, '2026-01-01')
    assert.deepEqual([code, stdout], [64, ''], flag)
    assert.match(
      stderr,
      new RegExp(
        `^Error: ${flag} .*browser.*\nTry: footnote --data-dir \\S+ connect codex --token ${flag} …, or --stdio`,
      ),
    )
  }
})

test('footnote connect --token prints a token that reads everything, or only what the flags say', async () => {
  await using place = await clientHome()
  const printed = await place.run('claude-code', '--token')
  assert.equal(printed.code, 0, printed.stderr)
  const token = tokenIn(printed.stdout)
  assert.match(
    printed.stdout,
    /^claude mcp add --transport http --scope user footnote http:\/\/127\.0\.0\.1:7007\/mcp --header "Authorization: Bearer fnc_/,
  )
  const snippet = JSON.parse(printed.stdout.slice(printed.stdout.indexOf('{')))
  const headers = { Authorization: `Bearer ${token}` }
  assert.deepEqual(snippet.mcpServers.footnote, { type: 'http', url: URL, headers })
  const page = await place.server.json('/v1/streams/messages/records', { token })
  assert.equal(page.body.data.length, 1)
  assert.deepEqual(
    (await place.grants()).map(grant => grant.client_name),
    ['Claude Code'],
  )

  const narrow = await place.told(
    'codex',
    ...['--token', '--stream', 'messages', '--fields', 'id', '--name', 'mail'],
  )
  assert.equal(narrow.written, false)
  assert.match(
    narrow.snippet,
    /^\[mcp_servers\.mail\]\nurl = "http.*\nhttp_headers = \{ Authorization = "Bearer fnc_/,
  )
  const shown = await place.server.json('/v1/streams/messages/records', { token: narrow.access_token })
  assert.deepEqual(shown.body.data[0].data, { id: 'm1' })
})

test('footnote connect --token --write sets each client up once and changes nothing the second time', async () => {
  await using place = await clientHome()
  for (const [client, file] of Object.entries(CLIENT_FILES)) {
    const first = await place.told(client, '--write', '--token')
    assert.deepEqual([first.file, first.written, first.backup], [join(place.home, file), true, null])
    const text = await place.text(file)
    assert.equal((await stat(join(place.home, file))).mode & 0o777, 0o600, 'a token is for its owner')
    assert.equal((await place.server.json('/v1/schema', { token: tokenIn(text) })).status, 200)
    const second = await place.told(client, '--write', '--token')
    assert.deepEqual([second.written, second.grant_ids[0]], [false, first.grant_ids[0]], client)
    assert.equal(await place.text(file), text)
  }
  assert.equal((await place.grants()).length, CLIENT_KINDS.length, 'one grant for each client')
  assert.ok(!existsSync(join(place.home, '.pdpp')), 'nothing was stored besides')

  const third = await place.told('codex', '--write', '--token', '--expires', '2999-01-01')
  assert.equal(third.written, true, 'another end is another grant')
  const fourth = await place.told('codex', '--write', '--token', '--expires', '2999-01-01')
  assert.deepEqual([fourth.written, fourth.grant_ids[0]], [false, third.grant_ids[0]])
})

test('a file that others could read becomes private once it contains a token, and so does its copy', async () => {
  await using place = await clientHome()
  const file = join(place.home, '.claude.json')
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  await writeFile(file, '{}')
  await chmod(file, 0o644)
  const plain = await place.told('claude-code', '--write')
  assert.deepEqual([plain.written, await modeOf(file)], [true, 0o644], 'without a token it stays as it was')
  const { backup } = await place.told('claude-code', '--write', '--token')
  assert.deepEqual([await modeOf(file), await modeOf(backup)], [0o600, 0o600])
})

test('ChatGPT gets steps for a person, and no file', async () => {
  await using place = await clientHome()
  assert.deepEqual(
    CLIENTS_BY_HAND.map(({ key }) => key),
    ['chatgpt'],
  )
  const site = ['--public-url', 'https://data.example.net']
  const reachable = await place.told('chatgpt', ...site)
  assert.deepEqual(Object.keys(reachable), ['client', 'url', 'steps'])
  assert.equal(reachable.url, 'https://data.example.net/mcp')
  const steps = reachable.steps.join('\n')
  for (const said of [/Developer mode/, /https:\/\/data\.example\.net\/mcp /, /OAuth/, /Allow/])
    assert.match(steps, said)
  assert.match(steps, /exactly the tools search and fetch.*https:\/\/data\.example\.net\/mcp\/research /)
  assert.doesNotMatch(steps, /tunnel/)
  const printed = await place.out('chatgpt', ...site)
  assert.equal(
    printed,
    `${reachable.steps.map((step: string, i: number) => `${i + 1}. ${step}`).join('\n')}\n`,
  )

  for (const origin of [
    'http://127.0.0.1:7007',
    'https://localhost',
    'https://[::1]',
    'http://data.example.net',
  ]) {
    const { steps } = await place.told('chatgpt', '--public-url', origin)
    assert.equal(steps.length, reachable.steps.length + 1, origin)
    assert.match(
      steps[0],
      /cannot be reached.*reverse proxy.*footnote --data-dir \S+ serve --public-url https:/,
    )
  }
  for (const flags of [['--write'], ['--stdio'], ['--token'], ['--stream', 'messages']]) {
    const { code, stdout, stderr } = await place.run('chatgpt', ...flags)
    assert.deepEqual([code, stdout], [64, ''], flags[0])
    assert.match(stderr, /on its own pages: there is no file to write/)
  }
  assert.deepEqual(await place.grants(), [])
})

test('footnote connect --write leaves comments, order and other servers of a file unchanged', async () => {
  await using place = await clientHome()
  const before = `// mine
{
\t"theme": "dark", // yes
\t"mcpServers": {
\t\t"other": { "command": "x" },
\t},
\t"last": [1,2,3],
}
`
  await place.put('.gemini/settings.json', before)
  await chmod(join(place.home, '.gemini/settings.json'), 0o644)
  const { backup } = JSON.parse(await place.out('gemini', '--write', '--token', '--json'))
  assert.equal(await readFile(backup, 'utf8'), before)
  const after = await place.text('.gemini/settings.json')
  const lines = after.split('\n')
  for (const line of before.split('\n'))
    assert.ok(lines.includes(line) || line === '\t\t"other": { "command": "x" },', line)
  assert.match(after, /"other": \{\s+"command": "x"\s+\},\n\t\t"footnote": \{\n\t\t\t"url": "http/)
  assert.equal((await stat(join(place.home, '.gemini/settings.json'))).mode & 0o777, 0o600)

  const token = tokenIn(after)
  await place.server.ingest('notes', place.connection, [{ data: { id: 'n', text: 'x' } }])
  await place.out('gemini', '--write', '--token', '--stream', 'messages')
  const narrowed = await place.text('.gemini/settings.json')
  assert.equal(narrowed.match(/"footnote"/g)?.length, 1, 'never twice')
  assert.notEqual(tokenIn(narrowed), token)
  assert.equal((await place.server.json('/v1/schema', { token })).status, 403, 'what was replaced is revoked')

  await place.out('gemini', '--write', '--name', 'second', '--stdio', '--token')
  const both = await place.text('.gemini/settings.json')
  assert.match(both, /"second": \{\n\t\t\t"command": ".*node",\n/)
  assert.equal((await place.server.json('/v1/schema', { token: tokenIn(narrowed) })).status, 200)
})

test('footnote connect follows links, finds moved configurations, and leaves broken files alone', async () => {
  await using place = await clientHome()
  await place.put('dotfiles/mcp.json', '{"mcpServers":{}}')
  await mkdir(join(place.home, '.cursor'))
  await symlink(join(place.home, 'dotfiles/mcp.json'), join(place.home, '.cursor/mcp.json'))
  await place.out('cursor', '--write', '--token')
  assert.ok((await lstat(join(place.home, '.cursor/mcp.json'))).isSymbolicLink())
  tokenIn(await place.text('dotfiles/mcp.json'))

  await place.put('.config/opencode/opencode.jsonc', '{ "mcp": { "servers": { "a": { "type": "local" } } } }')
  const { file } = JSON.parse(await place.out('opencode', '--write', '--json'))
  assert.equal(file, join(place.home, '.config/opencode/opencode.jsonc'))
  assert.ok(JSON.parse(await place.text('.config/opencode/opencode.jsonc')).mcp.servers.footnote.url)

  const grants = (await place.grants()).length
  for (const [client, path, text] of [
    ['vscode', '.config/Code/User/mcp.json', '{ "servers": '],
    ['codex', '.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n'],
    ['codex', '.codex/config.toml', '[mcp_servers]\nfootnote = { command = "x" }\n'],
  ] as const) {
    await place.put(path, text)
    const refused = await place.run(client, '--write', '--token')
    assert.deepEqual([refused.code, refused.stdout], [1, ''], text)
    assert.equal(await place.text(path), text)
  }
  assert.equal((await place.grants()).length, grants, 'no grant was made for nothing')
  for (const args of [
    [],
    ['emacs'],
    ['codex', 'gemini'],
    ['codex', '--name', 'a b'],
    ['codex', '--cache-root', place.home],
    ['codex', '--stdio', '--token', '--cache-root', place.home],
  ]) {
    assert.equal((await place.run(...args)).code, 64, args.join(' '))
  }
})

test('a TOML table is replaced in place, with its inner tables, and texts that look like headers stay', () => {
  const text = `model = "x"
notes = """
[mcp_servers.footnote]
"""

[mcp_servers.footnote] # old
url = "u"
[mcp_servers.footnote.env]
A = "1"

[mcp_servers.other]
command = "y"
`
  const place = ['mcp_servers', 'footnote']
  assert.equal(
    readTomlTable(text, place),
    '[mcp_servers.footnote] # old\nurl = "u"\n[mcp_servers.footnote.env]\nA = "1"\n\n',
  )
  const table = '[mcp_servers.footnote]\nurl = "v"\n'
  const after = withTomlTable(text, place, table)
  assert.equal(after, text.replace(/\[mcp_servers\.footnote\] # old[\s\S]*?\n\n/, `${table}\n`))
  assert.equal(withTomlTable(after, place, table), after)
  assert.equal(
    readTomlTable('[mcp_servers."footnote"]\nurl = "u"\n', place),
    '[mcp_servers."footnote"]\nurl = "u"\n',
  )
  assert.equal(readTomlTable('[mcp_servers.footnote2]\nurl = "u"\n', place), null)
  assert.equal(readTomlTable('mcp_servers.footnote.url = "u"\n', place), undefined)
  assert.equal(withTomlTable('a = 1', place, table), `a = 1\n\n${table}`)
})
