import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Store } from '../src/store/store.ts'
import { freshPlace, output, footnote as runInProcess } from './command-line.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { type Engine, freshLocation, onOneEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const ROOT = join(import.meta.dirname, '..')
const MAIN = join(ROOT, 'src/cli/main.ts')
const run = promisify(execFile)

async function footnote(...args: string[]) {
  return run(process.execPath, [MAIN, ...args], { env: { ...COMPILE_CACHE, PATH: process.env.PATH } })
}

async function failing(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return footnote(...args).then(
    () => assert.fail('should have failed'),
    error => error,
  )
}

async function place(engine: Engine) {
  const { location, remove } = await freshLocation(engine)
  const directory = join(location.directory, 'not', 'there', 'yet')
  const flags = ['--data-dir', directory]
  if (location.engine === 'postgres') flags.push('--database-url', location.url)
  const begin = async () => (await Store.open({ ...location, directory }))[Symbol.asyncDispose]()
  return { flags, begin, remove }
}

onOneEngine('RS-3 commands work without a server, and beside one on the same data', async engine => {
  const { flags, begin, remove } = await place(engine)
  await begin()
  const first = (await footnote('owner-token', ...flags)).stdout
  assert.match(first, /^fno_[a-z0-9]+_[A-Za-z0-9_-]{43}\n$/)

  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const [line] = await once(server.stderr, 'data')
    const url = /http:\/\/[\d.:]+/.exec(String(line))?.[0] ?? assert.fail(String(line))
    const token = (await output(['owner-token', ...flags])).trim()
    for (const each of [first.trim(), token]) assert.equal((await get(`${url}/v1/schema`, each)).status, 200)

    const post = (path: string, body: unknown, type = 'application/json') =>
      fetch(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }).then(response => response.json() as Promise<Record<string, string>>)
    await post('/v1/owner/declarations', MAILBOX)
    const { connection_id } = await post('/v1/owner/connections', {
      source_id: MAILBOX.source.id,
      display_name: 'Mail',
    })
    const lines = ['m1', 'm2'].map(id => JSON.stringify(message(id))).join('\n')
    const outcome = await post(
      `/v1/ingest/messages?connection_id=${connection_id}`,
      lines,
      'application/x-ndjson',
    )
    assert.equal(outcome.added, 2)

    const narrow = ['--stream', 'messages', '--record', 'messages:m1', '--fields', 'id,subject']
    const grant = JSON.parse(
      await output(['grant', 'create', '--client', 'C', ...narrow, '--json', ...flags]),
    )
    const records = `${url}/v1/streams/messages/records`
    const page = (await (await get(records, grant.access_token)).json()) as { data: { data: object }[] }
    assert.deepEqual(
      page.data.map(record => record.data),
      [{ id: 'm1', subject: 'Subject m1' }],
    )
    assert.match(
      await output(['grant', 'list', ...flags]),
      new RegExp(`${grant.grant_ids[0]} +active +C  \\S`),
    )
    assert.match(
      await output(['grant', 'show', grant.grant_ids[0], ...flags]),
      /messages {2}id,subject {2}1 record$/m,
    )
    assert.match(await output(['connections', ...flags]), new RegExp(`^${connection_id} `))
    await output(['grant', 'revoke', grant.grant_ids[0], ...flags])
    assert.equal((await get(records, grant.access_token)).status, 403)
  } finally {
    server.kill('SIGTERM')
    const [code] = await once(server, 'exit')
    assert.equal(code, 0)
    await remove()
  }
})

function get(url: string, token: string): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${token}` } })
}

test('incorrect usage exits with 64 and says what to try; failures exit with 1', async () => {
  const { flags, remove } = await place('sqlite')
  const wrong = await failing('serve', '--port', 'x')
  for (const { code, stdout, stderr } of [
    wrong,
    await runInProcess(['nonsense']),
    await runInProcess(['serve', '--port', 'x']),
    await runInProcess(['serve', '--what']),
    await runInProcess(['grant', 'create', ...flags]),
    await runInProcess(['grant', 'show', ...flags]),
  ]) {
    assert.deepEqual([code, stdout], [64, ''], stderr)
    assert.match(stderr, /^Error: .+\nTry: .+\n$/)
  }
  const nothing = await runInProcess(['grant', 'create', '--client', 'C', ...flags])
  assert.deepEqual([nothing.code, nothing.stdout], [1, ''])
  assert.match(await output(['--help']), /grant create/)
  assert.match(
    (await footnote('grant', 'create', '--help')).stdout,
    /Usage: node \S*footnote\.js grant create/,
  )
  await remove()
})

test('the server that npm started ends when npm is ended', { timeout: 90_000 }, async () => {
  const { flags, remove } = await place('sqlite')
  const npm = spawn('npm', ['start', '--', '--empty', '--port', '0', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const url = await said(npm.stdout, /runs at (http:\/\/[\d.:]+)/)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const ended = once(npm, 'exit')
  npm.kill('SIGTERM')
  await ended
  const headers = { Connection: 'close' }
  const gone = async () => (await fetch(`${url}/healthz`, { headers }).catch(() => null)) === null
  for (let tries = 0; !(await gone()); tries++) {
    assert.ok(tries < 300, 'the server keeps running')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  await remove()
})

test('a command whose output is closed still ends normally', async () => {
  const command = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  command.stdout.destroy()
  const said = await command.stderr.setEncoding('utf8').toArray()
  assert.deepEqual([said.join(''), command.exitCode ?? (await once(command, 'exit'))[0]], ['', 0])
})

test('a server keeps running when its output is closed, and still shuts down properly', {
  timeout: 90_000,
}, async () => {
  const { flags, remove } = await place('sqlite')
  const args = [MAIN, 'serve', '--port', '0', ...flags]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const url = await said(server.stderr, /serves (http:\/\/[\d.:]+)[\s\S]*sign-in/)
  server.stderr.destroy()
  await once(server.stderr, 'close')
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await remove()
})

/** Waits until a program has printed a match of the pattern, and returns its first group. */
async function said(output: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    output.setEncoding('utf8')
    output.on('data', part => {
      text += part
      const found = pattern.exec(text)?.[1]
      if (found) resolve(found)
    })
    output.on('end', () => reject(new Error(`It ended: ${text}`)))
  })
}

test('npm exec finds the command in a subfolder of a checkout, without a registry', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'footnote-npm-'))
  const env = { ...process.env, npm_config_cache: cache, npm_config_registry: 'http://127.0.0.1:9/' }
  const npmExec = ['exec', '--', 'footnote', 'help', 'import']
  const { stdout } = await run('npm', npmExec, { cwd: join(ROOT, 'docs'), env })
  assert.match(stdout, /^Usage: npm exec -- footnote import PATH/m)
  await rm(cache, { recursive: true, force: true })
})

test('a variable that resembles a setting is named, because the data would silently be elsewhere', async () => {
  const { flags, remove } = await freshPlace('sqlite')
  const env = {
    ...{ FOOTNOTE_DATA: '/data', FOOTNOTE_PROT: '1', FOOTNOTE_LOG: 'text', FOOTNOTE_SYNC_PASSWORD: 'x' },
    FOOTNOTE_OTHER_PROGRAM: 'x',
  }
  const { stderr } = await runInProcess(['connections', ...flags], { env })
  assert.deepEqual(stderr.split('\n').slice(0, 2), [
    'FOOTNOTE_DATA is not a setting and is ignored. Did you mean FOOTNOTE_DATA_DIR?',
    'FOOTNOTE_PROT is not a setting and is ignored. Did you mean FOOTNOTE_PORT?',
  ])
  assert.doesNotMatch(stderr, /OTHER|SYNC|LOG/)
  await remove()
})

test('a wrong option, argument or word is refused with what was meant or what to do', async () => {
  const { location, flags, remove } = await freshPlace('sqlite')
  for (const [args, said] of [
    [
      ['import', '--dryrun', 'x'],
      "Unknown option '--dryrun'. Did you mean --dry-run?\nTry: footnote import --help",
    ],
    [['import', '--frobnicate'], "Unknown option '--frobnicate'.\nTry: footnote import --help"],
    [
      ['aggregate', '--stream', 'emails'],
      "Unknown option '--stream'. Give STREAM without a flag.\nTry: footnote aggregate STREAM",
    ],
    [
      ['read', 'cin_a/b:c', '--field', 'body'],
      "Unknown option '--field'. Give FIELD without a flag.\nTry: footnote read ID FIELD",
    ],
    [
      ['imports', 'list', '--data', 'x'],
      "Unknown option '--data'. Did you mean --data-dir?\nTry: footnote imports list --help",
    ],
    [['search', 'x', '--limit'], '--limit needs a value.\nTry: footnote search --help'],
    [['search', 'x', '--limit', '--json'], '--limit needs a value.\nTry: footnote search --help'],
    [
      ['search', 'plan', '-draft'],
      'Unknown option \'-d\'.\nTry: footnote search "WORDS -WORD", in quotation marks',
    ],
    [
      ['connect', 'emacs'],
      'Unknown client "emacs". Known: claude-code, claude-desktop, codex, gemini, copilot, opencode, cursor, vscode, chatgpt.\nTry: footnote connect claude-code',
    ],
    [['samples', 'remove', 'Notes'], 'Unknown argument: Notes.\nTry: footnote samples remove --help'],
    [['connections', 'lst'], 'Unknown: connections lst.\nTry: footnote connections lists them'],
  ] as const)
    assert.deepEqual(await runInProcess(args), { code: 64, stdout: '', stderr: `Error: ${said}\n` })
  const here = `footnote --data-dir ${location.directory}`
  for (const [args, exit, advice] of [
    [['imports', 'show', 'x'], 1, `${here} imports list`],
    [['records', '--since', 'yesteryear'], 64, 'footnote records --help'],
    [['records', 'nope'], 1, `${here} schema`],
    [['search', 'x', '--stream', 'nope'], 1, `${here} schema`],
    [['import', '/no/such/file'], 1, 'check the path'],
    [['restore', '/no/such/file'], 1, 'check the path'],
    [['watch', 'remove', '/no/such/folder'], 1, `${here} watch list`],
    [['sync', 'remove', 'nobody'], 1, `${here} sync list`],
    [['ledger', '--client', 'nobody'], 1, `${here} connect CLIENT`],
  ] as const) {
    const { code, stderr } = await runInProcess([...args, ...flags])
    assert.deepEqual([code, stderr.split('\n').at(-2)], [exit, `Try: ${advice}`])
  }
  const recent = await runInProcess(['records', '--since', '-30d', '--until', 'tomorrow', ...flags])
  assert.deepEqual([recent.code, /^Time: from /.test(recent.stderr)], [0, true], recent.stderr)
  for (const [list, said] of [
    [['connections'], /^No connections\. .*: footnote --data-dir \S+ import PATH$/m],
    [['imports', 'list'], /^No imports\. .*: footnote --data-dir \S+ import PATH$/m],
    [['grant', 'list'], /^No grants\. .*: footnote --data-dir \S+ connect CLIENT$/m],
  ] as const) {
    const empty = await runInProcess([...list, ...flags])
    assert.deepEqual([empty.code, empty.stdout], [0, ''], empty.stderr)
    assert.match(empty.stderr, said)
  }
  for (const list of ['connections', 'apps'])
    assert.deepEqual(await runInProcess([list, 'list', ...flags]), await runInProcess([list, ...flags]))
  await remove()
})

test('help for a command, the version, and what an unknown command may have meant', async () => {
  const inProcess = (...args: string[]) => runInProcess(args)
  const help = await inProcess('help', 'grant', 'create')
  assert.match(help.stdout, /Usage: footnote grant create --client NAME/)
  assert.deepEqual(help, await inProcess('grant', 'create', '--help'))
  assert.deepEqual(await inProcess('help'), await inProcess())
  for (const rest of [['--help'], [], ['--version'], ['--help', 'grant', 'create']])
    assert.deepEqual(await inProcess('--data-dir', 'x', ...rest), await inProcess(...rest))
  assert.deepEqual(await inProcess('--version'), await inProcess('version'))
  for (const [word, meant, advice] of [
    ['serch', ' Did you mean search?', 'footnote --help'],
    [
      'grant',
      ' Did you mean grant create or grant list or grant show or grant revoke?',
      'footnote grant --help',
    ],
    ['frobnicate', '', 'footnote --help'],
  ] as const) {
    const stderr = `Error: Unknown command "${word}".${meant}\nTry: ${advice}\n`
    assert.deepEqual(await inProcess(word), { code: 64, stdout: '', stderr })
  }
  assert.deepEqual(await inProcess('imports', 'lst'), {
    code: 64,
    stdout: '',
    stderr:
      'Error: Unknown command "imports lst". Did you mean imports list?\nTry: footnote imports --help\n',
  })
  assert.equal((await inProcess('help', 'serch')).code, 64)
})

test('help for a group of commands lists them', async () => {
  for (const group of ['imports', 'meaning', 'grant', 'watch', 'sync', 'samples', 'ocr']) {
    const help = await runInProcess([group, '--help'])
    assert.equal(help.code, 0, help.stderr)
    const names = help.stdout.split('\n').flatMap(line => /^ {2}(\S+ \S+) {2}/.exec(line)?.[1] ?? [])
    assert.ok(names.length >= 2 && names.every(name => name.startsWith(`${group} `)), help.stdout)
    assert.deepEqual(await runInProcess(['help', group]), help)
  }
  const { stdout } = await runInProcess(['apps', '--help'])
  assert.match(stdout, /Commands:\n {2}apps allow {2}Lets a connected app/)
})

test('commands that are printed name the data that was named, without the password of a database', async () => {
  const { location, remove } = await freshPlace('sqlite')
  const database = ['--database-url', 'postgres://ada:s3cr%2Fet@127.0.0.1:1/notes']
  const place = ['--data-dir', location.directory, ...database]
  const { stderr } = await runInProcess([...place, 'sync', 'lst'])
  assert.match(stderr, /Unknown command "sync lst"/)
  const shown = await runInProcess(['read', ...place])
  assert.doesNotMatch(shown.stderr, /s3cr/)
  const named = `--data-dir ${location.directory} --database-url postgres://ada:PASSWORD@127.0.0.1:1/notes`
  assert.ok(shown.stderr.includes(`footnote ${named} read`), shown.stderr)
  await remove()
})
