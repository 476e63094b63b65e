import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { CLIENT_KINDS } from '../src/cli/client-kinds.ts'
import { readTomlTable, withTomlTable } from '../src/cli/toml-table.ts'
import { footnote, output, placeFlags } from './command-line.ts'
import { TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const FILES: Record<string, string> = {
  'claude-code': '.claude.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  opencode: '.config/opencode/opencode.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
}

async function atHome() {
  const server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX, 'Work mail')
  await server.ingest('messages', connection, [message('m1')])
  const home = await mkdtemp(join(tmpdir(), 'footnote-home-'))
  const flags = placeFlags(server.location)
  const env = { HOME: home }
  return {
    server,
    connection,
    home,
    run: (...args: string[]) => footnote(['connect', ...args, ...flags], { env }),
    out: (...args: string[]) => output(['connect', ...args, ...flags], { env }),
    put: async (path: string, text: string) => {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), text)
    },
    text: (path: string) => readFile(join(home, path), 'utf8'),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const tokenIn = (text: string) => /fnc_\w+_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? assert.fail(text)

test('footnote connect prints what to paste, with a token that reads everything there is', async () => {
  await using place = await atHome()
  const printed = await place.run('claude-code')
  assert.equal(printed.code, 0, printed.stderr)
  const token = tokenIn(printed.stdout)
  assert.match(
    printed.stdout,
    /^claude mcp add --transport http --scope user footnote http:\/\/127\.0\.0\.1:7007\/mcp --header "Authorization: Bearer fnc_/,
  )
  const snippet = JSON.parse(printed.stdout.slice(printed.stdout.indexOf('{')))
  assert.deepEqual(snippet.mcpServers.footnote, {
    type: 'http',
    url: 'http://127.0.0.1:7007/mcp',
    headers: { Authorization: `Bearer ${token}` },
  })
  const page = await place.server.json('/v1/streams/messages/records', { token })
  assert.equal(page.body.data.length, 1)
  const grants = await place.server.json('/v1/owner/grants')
  assert.deepEqual(
    grants.body.data.map((grant: { client_name: string }) => grant.client_name),
    ['Claude Code'],
  )
  assert.ok(!existsSync(join(place.home, '.claude.json')), 'nothing is written without --write')

  const narrow = JSON.parse(
    await place.out('codex', '--stream', 'messages', '--fields', 'id', '--json', '--name', 'mail'),
  )
  assert.equal(narrow.written, false)
  assert.match(
    narrow.snippet,
    /^\[mcp_servers\.mail\]\nurl = "http.*\nhttp_headers = \{ Authorization = "Bearer fnc_/,
  )
  const shown = await place.server.json('/v1/streams/messages/records', { token: narrow.access_token })
  assert.deepEqual(shown.body.data[0].data, { id: 'm1' })
})

test('footnote connect --write sets each client up once, keeps everything else, and changes nothing the second time', async () => {
  await using place = await atHome()
  assert.deepEqual(CLIENT_KINDS.map(({ key }) => key).sort(), Object.keys(FILES).sort())
  for (const [client, file] of Object.entries(FILES)) {
    const first = JSON.parse(await place.out(client, '--write', '--json'))
    assert.deepEqual([first.file, first.written, first.backup], [join(place.home, file), true, null])
    const text = await place.text(file)
    assert.equal((await stat(join(place.home, file))).mode & 0o777, 0o600, 'a token is for its owner')
    assert.equal((await place.server.json('/v1/schema', { token: tokenIn(text) })).status, 200)
    const second = JSON.parse(await place.out(client, '--write', '--json'))
    assert.deepEqual([second.written, second.grant_id], [false, first.grant_id], client)
    assert.equal(await place.text(file), text)
  }
  const grants = await place.server.json('/v1/owner/grants')
  assert.equal(grants.body.data.length, 6, 'one grant for each client')
})

test('footnote connect --write leaves comments, order and other servers of a file as they are', async () => {
  await using place = await atHome()
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
  const { backup } = JSON.parse(await place.out('gemini', '--write', '--json'))
  assert.equal(await readFile(backup, 'utf8'), before)
  const after = await place.text('.gemini/settings.json')
  const lines = after.split('\n')
  for (const line of before.split('\n'))
    assert.ok(lines.includes(line) || line === '\t\t"other": { "command": "x" },', line)
  assert.match(after, /"other": \{\s+"command": "x"\s+\},\n\t\t"footnote": \{\n\t\t\t"httpUrl": "http/)
  assert.equal((await stat(join(place.home, '.gemini/settings.json'))).mode & 0o777, 0o644)

  const token = tokenIn(after)
  await place.server.ingest('notes', place.connection, [{ data: { id: 'n', text: 'x' } }])
  await place.out('gemini', '--write', '--stream', 'messages')
  const narrowed = await place.text('.gemini/settings.json')
  assert.equal(narrowed.match(/"footnote"/g)?.length, 1, 'never twice')
  assert.notEqual(tokenIn(narrowed), token)
  assert.equal((await place.server.json('/v1/schema', { token })).status, 401, 'what was replaced is revoked')

  await place.out('gemini', '--write', '--name', 'second', '--stdio')
  const both = await place.text('.gemini/settings.json')
  assert.match(both, /"second": \{\n\t\t\t"command": ".*node",\n/)
  assert.equal((await place.server.json('/v1/schema', { token: tokenIn(narrowed) })).status, 200)
})

test('footnote connect follows links, finds moved configurations, and leaves broken files alone', async () => {
  await using place = await atHome()
  await place.put('dotfiles/mcp.json', '{"mcpServers":{}}')
  await mkdir(join(place.home, '.cursor'))
  await symlink(join(place.home, 'dotfiles/mcp.json'), join(place.home, '.cursor/mcp.json'))
  await place.out('cursor', '--write')
  assert.ok((await lstat(join(place.home, '.cursor/mcp.json'))).isSymbolicLink())
  tokenIn(await place.text('dotfiles/mcp.json'))

  await place.put('.config/opencode/opencode.jsonc', '{ "mcp": { "servers": { "a": { "type": "local" } } } }')
  const { file } = JSON.parse(await place.out('opencode', '--write', '--json'))
  assert.equal(file, join(place.home, '.config/opencode/opencode.jsonc'))
  assert.ok(JSON.parse(await place.text('.config/opencode/opencode.jsonc')).mcp.servers.footnote.url)

  const grants = (await place.server.json('/v1/owner/grants')).body.data.length
  for (const [client, path, text] of [
    ['vscode', '.config/Code/User/mcp.json', '{ "servers": '],
    ['codex', '.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n'],
    ['codex', '.codex/config.toml', '[mcp_servers]\nfootnote = { command = "x" }\n'],
  ] as const) {
    await place.put(path, text)
    const refused = await place.run(client, '--write')
    assert.deepEqual([refused.code, refused.stdout], [1, ''], text)
    assert.equal(await place.text(path), text)
  }
  assert.equal(
    (await place.server.json('/v1/owner/grants')).body.data.length,
    grants,
    'no grant was made for nothing',
  )
  for (const args of [[], ['emacs'], ['codex', 'gemini'], ['codex', '--name', 'a b']]) {
    assert.equal((await place.run(...args)).code, 64, args.join(' '))
  }
})

test('a TOML table is replaced in its place, with its inner tables, and texts that look like headers stay', () => {
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
