import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { footnote, freshPlace, listeningOn, placeFlags } from './command-line.ts'
import { onEitherEngine, TestServer, writable } from './engines.ts'
import { record } from './figures.ts'
import { MAILBOX, message } from './mailbox.ts'

type Checks = Record<string, { state: string; message: string; hint?: string }>

async function doctor(...args: string[]): Promise<{ code: number; ok: boolean; checks: Checks }> {
  const { code, stdout } = await footnote(['doctor', '--json', ...args])
  const { ok, checks } = JSON.parse(stdout)
  return {
    code,
    ok,
    checks: Object.fromEntries(checks.map((check: { name: string }) => [check.name, check])),
  }
}

const states = (checks: Checks) => Object.values(checks).map(({ state }) => state)

onEitherEngine('footnote doctor finds no problems in a sound folder, with a server or not', async engine => {
  const { location, flags, remove } = await freshPlace(engine)
  const free = await doctor('--port', '0', ...flags)
  assert.deepEqual([free.code, free.ok, new Set(states(free.checks))], [0, true, new Set(['ok'])])
  {
    await using server = await listeningOn(location)
    const { checks } = await doctor('--port', new URL(server.address).port, ...flags)
    assert.match(
      checks.port?.message ?? '',
      /^Footnote serves this data at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)$/,
    )
  }
  await remove()
})

test('a mistyped data folder is refused, and neither a command nor doctor creates it', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const directory = join(parent, 'mistyped')
  const flags = ['--data-dir', directory]
  for (const args of [
    ['search', 'heron'],
    ['records'],
    ['sign-in-link'],
    ['owner-token'],
    ['owner-token', 'list'],
    ['grant', 'list'],
    ['meaning', 'status'],
    ['watch', 'list'],
    ['tour'],
    ['backup', join(parent, 'copy')],
    ['connect', 'codex', '--token'],
  ]) {
    const { code, stdout, stderr } = await footnote([...args, ...flags], { env: { HOME: parent } })
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.equal(
      stderr,
      `Error: There is no data in ${directory}.\nTry: check --data-dir, or begin with: footnote --data-dir ${directory} start\n`,
    )
  }
  const { code, checks } = await doctor('--port', '0', ...flags)
  assert.deepEqual(
    [code, Object.keys(checks)],
    [0, ['node', 'data-folder', 'disk-space', 'port', 'public-url']],
  )
  assert.deepEqual(await readdir(parent), [])
  await rm(parent, { recursive: true })
})

test('footnote doctor says what is wrong and what to do: folder, database, index, port, address', async () => {
  const { location, flags, remove } = await freshPlace('sqlite')
  assert.ok(location.engine === 'sqlite')
  await chmod(location.directory, 0o755)
  const other = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const port = String((other.address() as AddressInfo).port)
  try {
    const { code, stdout, stderr } = await footnote([
      'doctor',
      '--port',
      port,
      '--public-url',
      'http://example.org',
      ...flags,
    ])
    assert.equal(code, 1)
    assert.match(stderr, /^Error: Failed checks: port\.\n/)
    assert.match(stdout, /^warn {2}Other users can read .*\n {6}Try: chmod 700 /m)
    assert.match(
      stdout,
      new RegExp(
        `^fail {2}127.0.0.1:${port} is taken by node \\(process ${process.pid}\\)\n {6}Try: --port`,
        'm',
      ),
    )
    assert.match(stdout, /^warn {2}The public address is not encrypted/m)
  } finally {
    await closed(other)
  }
  const wide = await doctor('--port', '0', '--host', '0.0.0.0', ...flags)
  assert.equal(wide.checks['public-url']?.state, 'warn')
  await writeFile(
    join(location.directory, 'footnote.sqlite'),
    'this is no database, but it is long enough to be read',
  )
  const broken = await doctor('--port', '0', ...flags)
  assert.deepEqual([broken.code, broken.ok, broken.checks.database?.state], [1, false, 'fail'])
  await remove()
})

test('footnote doctor finds an index that is out of date', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m1')])
  await writable(server.store).run("UPDATE search_state SET version = 'old'")
  const { code, checks } = await doctor('--port', '0', ...placeFlags(server.location))
  assert.deepEqual([code, checks['search-index']?.state], [0, 'warn'])
  assert.match(checks['search-index']?.message ?? '', new RegExp(`${connection}/messages`))
})

function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

test('footnote doctor finds damage in each file of SQLite', async () => {
  for (const file of ['footnote.sqlite', 'ledger.sqlite']) {
    const { location, flags, remove } = await freshPlace('sqlite')
    assert.ok(location.engine === 'sqlite')
    {
      await using server = await TestServer.on(location)
      const connection_id = await server.connect(MAILBOX)
      const lines = Array.from({ length: 60 }, (_, n) => message(`m${n}`, { body: 'x'.repeat(2_000) }))
      await server.ingest('messages', connection_id, lines)
      const token = await server.grant()
      for (let n = 0; n < 60; n++) await server.json(`/v1/streams/messages/records/m${n}`, { token })
    }
    const sound = await doctor('--port', '0', ...flags)
    assert.equal(sound.checks.integrity?.state, 'ok')
    const path = join(location.directory, file)
    const bytes = await readFile(path)
    const page = file === 'footnote.sqlite' ? 8192 : 4096
    // The header of every later page: how many cells it has and where they begin.
    for (let at = page * 2; at < bytes.length; at += page) bytes.fill(0xff, at + 3, at + 7)
    await writeFile(path, bytes)
    const { code, checks } = await doctor('--port', '0', ...flags)
    assert.equal(code, 1)
    assert.equal(checks.integrity?.state, 'fail', JSON.stringify(checks))
    assert.match(checks.integrity?.message ?? '', new RegExp(`damaged: ${file}: `))
    await remove()
  }
  record('damaged file, looked at by doctor', 'sqlite', { damaged: 2, found: 2 })
})

test('footnote doctor reads every table of PostgreSQL and finds an index that cannot be used', async () => {
  const { location, flags } = await freshPlace('postgres')
  await using server = await TestServer.on(location)
  const sound = await doctor('--port', '0', ...flags)
  assert.match(
    sound.checks.integrity?.message ?? '',
    /^No damage found: \d\d tables, read whole and by index/,
  )
  await writable(server.store).run(
    `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'oauth_artifacts_by_expiry'::regclass`,
  )
  const { code, checks } = await doctor('--port', '0', ...flags)
  assert.equal(code, 1)
  assert.match(checks.integrity?.message ?? '', /index oauth_artifacts_by_expiry is not valid/)
  record('damaged index, looked at by doctor', 'postgres', { damaged: 1, found: 1 })
})
