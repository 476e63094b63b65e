import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mcp } from '../src/cli/commands/mcp.ts'
import { readConfig } from '../src/cli/config.ts'
import { ExitError } from '../src/cli/terminal/exit-errors.ts'
import { paintFor } from '../src/cli/terminal/terminal.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { count, PROVING } from './limits.ts'
import { ERAS, errorIn } from './mcp-client.ts'
import { connectStdio, MAIN } from './mcp-connections.ts'
import { answer, eventually, startStub } from './stub-provider.ts'

const PROVIDER = 'http://127.0.0.1:7007'
const NOBODY = 'http://127.0.0.1:1'

/** Runs `footnote mcp`, with its own credential cache, in a case where it must exit before serving. */
async function ending(
  env: Record<string, string>,
  cached?: string | object,
  values: Record<string, string> = {},
): Promise<ExitError> {
  const root = await mkdtemp(join(tmpdir(), 'footnote-cache-'))
  try {
    await mkdir(join(root, 'clients'))
    const text = typeof cached === 'object' ? JSON.stringify(cached) : (cached ?? '')
    if (cached !== undefined) await writeFile(join(root, 'clients', '127.0.0.1_7007.json'), text)
    await mcp.run({
      config: readConfig({}, env),
      values: { 'provider-url': PROVIDER, 'cache-root': root, ...values },
      positionals: [],
      print: () => {},
      note: () => {},
      write: () => {},
      input: async function* () {},
      paint: paintFor(false),
      command: 'footnote',
      spelled: text => text,
      isTerminal: false,
      columns: 80,
    })
  } catch (error) {
    assert.ok(error instanceof ExitError, String(error))
    return error
  } finally {
    await rm(root, { recursive: true, force: true })
  }
  throw new Error('It served.')
}

test('HO-2 over stdio every form of an owner credential is refused with 77, and a scoped one is named', async () => {
  const scoped = { PDPP_ACCESS_TOKEN: 'fnc_scoped' }
  const forms: [Record<string, string>, (string | object)?][] = [
    [{ ...scoped, PDPP_OWNER_TOKEN: 'x' }],
    [{ ...scoped, PDPP_OWNER_SESSION_COOKIE: 'x' }],
    [{ PDPP_ACCESS_TOKEN: 'fno_abc' }],
    [{}, { credential: { access_token: 'fno_abc' } }],
    [{}, { credential: { access_token: 'x', kind: 'owner' } }],
    [{}, { credential: { access_token: 'x', token_kind: 'owner' } }],
    [{}, { kind: 'owner', credential: { access_token: 'x' } }],
  ]
  for (const [env, cached] of forms) {
    const { exitCode, message, hint } = await ending(env, cached)
    assert.equal(exitCode, 77, JSON.stringify([env, cached]))
    assert.match(message, /scoped token/)
    assert.match(hint, /footnote grant create/)
    assert.doesNotMatch(message + hint, /fno_abc/, 'a credential is not repeated')
  }
})

test('over stdio a missing token exits with 78, and incorrect usage with 64', async () => {
  const none: [Record<string, string>, (string | object)?][] = [
    [{}],
    [{ PDPP_ACCESS_TOKEN: '', PDPP_OWNER_TOKEN: '' }],
    [{}, 'no JSON'],
    [{}, '[]'],
    [{}, { credential: { access_token: '' } }],
    [{}, { credential: { access_token: 7 } }],
    [{}, { access_token: 'elsewhere' }],
  ]
  for (const [env, cached] of none) {
    const { exitCode, hint } = await ending(env, cached)
    assert.equal(exitCode, 78, JSON.stringify([env, cached]))
    assert.match(hint, /PDPP_ACCESS_TOKEN/)
  }
  for (const url of ['http://127.0.0.1:7007/mcp', 'http://127.0.0.1:7007/mcp/'])
    assert.match(
      (await ending({}, undefined, { 'provider-url': url })).message,
      /no token for http:\S+:7007 /,
    )
  const token = { PDPP_ACCESS_TOKEN: 'fnc_scoped' }
  for (const url of ['', 'data.example.org', 'ftp://data.example.org', 'file:///etc/passwd']) {
    assert.equal((await ending(token, undefined, { 'provider-url': url })).exitCode, 64, url)
  }
})

interface Talk extends Disposable {
  child: ChildProcess
  out: () => string
  err: () => string
  ended: Promise<number | null>
}

function talk(args: string[], env: Record<string, string>): Talk {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'mcp', ...args], {
    env: { ...COMPILE_CACHE, HOME: tmpdir(), ...env },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', chunk => (out += chunk))
  child.stderr.on('data', chunk => (err += chunk))
  child.stdin.on('error', () => {})
  const ended = once(child, 'exit').then(([code]) => code)
  return { child, out: () => out, err: () => err, ended, [Symbol.dispose]: () => child.kill() }
}

test('HO-4 a refused start is reported only on stderr, and exits with its code', async () => {
  const starts = [
    { args: [], env: { PDPP_OWNER_TOKEN: 'x' }, code: 77 },
    { args: ['--nope'], env: {}, code: 64 },
    { args: ['--cache-root', join(tmpdir(), 'footnote-no-such-folder')], env: {}, code: 78 },
    { args: ['now'], env: { PDPP_ACCESS_TOKEN: 'fnc_scoped' }, code: 64 },
    { args: ['--provider-url'], env: {}, code: 64 },
  ].slice(0, count(2, 5))
  await Promise.all(
    starts.map(async ({ args, env, code }) => {
      using started = talk(args, env as Record<string, string>)
      assert.equal(await started.ended, code, started.err())
      assert.equal(started.out(), '')
      assert.match(started.err(), /^Error: .*\nTry: .*\n$/)
    }),
  )
})

const opening = {
  jsonrpc: '2.0',
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const call = (id: unknown, name: string, args: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

test('HO-4 stdout carries protocol messages only, whatever arrives and whatever fails', async () => {
  using started = talk(['--provider-url', NOBODY], { PDPP_ACCESS_TOKEN: 'fnc_scoped', NODE_DEBUG: 'http' })
  const lines = [
    '{oops',
    'null',
    '[]',
    '"text"',
    JSON.stringify(opening),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    '{"jsonrpc":"2.0","id":',
    '\u0000\u0001',
    JSON.stringify(call('down', 'search', { query: 'x' })),
    JSON.stringify(call('bad', 'fetch', { id: '../..' })),
    JSON.stringify(call('array', 'fetch', [])),
    JSON.stringify(call('none', 'drop_table', {})),
    JSON.stringify({ jsonrpc: '2.0', id: 'method', method: 'no/such' }),
    JSON.stringify({
      jsonrpc: '2.0',
      id: 'read',
      method: 'resources/read',
      params: { uri: 'pdpp://record/x' },
    }),
    JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' }),
  ]
  for (const line of lines) started.child.stdin?.write(`${line}\n`)
  const ids = ['open', 'down', 'bad', 'array', 'none', 'method', 'read', 'last']
  const messages = () =>
    started
      .out()
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  await eventually(
    () => started.out().endsWith('\n') && ids.every(id => messages().some(message => message.id === id)),
    'every request is answered',
    60,
  )
  for (const message of messages()) {
    assert.equal(message.jsonrpc, '2.0')
    assert.ok('result' in message || 'error' in message || 'method' in message)
  }
  const told = (id: string) => messages().find(message => message.id === id)
  assert.equal(errorIn(told('down').result.content[0].text).code, 'provider_unavailable')
  assert.equal(errorIn(told('bad').result.content[0].text).code, 'invalid_result_id')
  assert.equal(told('method').error.code, -32601)
  started.child.stdin?.end()
  assert.equal(await started.ended, 0)
})

test('HO-4 a line that never ends is refused, with nothing on stdout', async () => {
  using started = talk(['--provider-url', NOBODY], { PDPP_ACCESS_TOKEN: 'fnc_scoped' })
  started.child.stdin?.write('x'.repeat(11 << 20))
  started.child.stdin?.end()
  await started.ended
  assert.equal(started.out(), '')
})

for (const era of PROVING ? ERAS : ERAS.slice(0, 1)) {
  test(`HO-1 calls run side by side on one stdio connection, and each gets its own answer (${era})`, async () => {
    let waiting: (() => void)[] = []
    await using stub = await startStub((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', NOBODY)
      if (pathname.startsWith('/.well-known')) return answer(response, 404, {})
      const message = searchParams.get('q')
      waiting.push(() => answer(response, 400, { error: { code: 'invalid_request', message } }))
      if (waiting.length < 12) return
      for (const reply of waiting.reverse()) reply()
      waiting = []
    })
    await using strict = await connectStdio(stub.url, 'fnc_scoped', era)
    const queries = Array.from({ length: 12 }, (_, index) => `query number ${index}`)
    const answers = await Promise.all(
      queries.map(query => strict.client.callTool({ name: 'search', arguments: { query } })),
    )
    const told = answers.map(
      ({ content }) =>
        JSON.parse(/\{.*\}$/s.exec((content as { text: string }[])[0]?.text ?? '')?.[0] ?? '').error,
    )
    assert.deepEqual(
      told.map(({ message }) => message),
      queries,
    )
  })
}

test('closing stdin ends the process and cancels a waiting call', async () => {
  await using stub = await startStub((request, response) => {
    if (request.url?.startsWith('/.well-known')) answer(response, 404, {})
  })
  using started = talk(['--provider-url', stub.url], { PDPP_ACCESS_TOKEN: 'fnc_scoped' })
  started.child.stdin?.write(
    `${JSON.stringify(opening)}\n${JSON.stringify(call(1, 'search', { query: 'x' }))}\n`,
  )
  await eventually(() => stub.seen.some(path => path.startsWith('/v1/search')), 'the search arrives', 60)
  started.child.stdin?.end()
  assert.equal(await started.ended, 0)
  await eventually(() => stub.abandoned.some(path => path.startsWith('/v1/search')), 'it is abandoned')
})
