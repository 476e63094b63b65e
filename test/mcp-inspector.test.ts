import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { TOOLS } from '../src/mcp/tools.ts'
import { PROVING } from './engines.ts'
import { inspector } from './inspector.ts'
import { message } from './mailbox.ts'
import type { Loose } from './mcp-client.ts'
import { type ServedMailbox, servedMailbox } from './served-mailbox.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const AT_ONCE = 2

const home = await mkdtemp(join(tmpdir(), 'footnote-inspector-'))
after(() => rm(home, { recursive: true, force: true }))

/** Runs the Inspector's command line with its own home folder. It must succeed and print only JSON. */
async function inspect(target: string[], method: string, more: string[] = []): Promise<Loose> {
  const args = ['--cli', '--format', 'json', '--quiet', '--method', method, ...more, ...target]
  const options = { env: { PATH: process.env.PATH, HOME: home }, maxBuffer: 1 << 24 }
  const { stdout } = await promisify(execFile)(process.execPath, [await inspector(), ...args], options)
  return JSON.parse(stdout).result
}

const overHttp = ({ url, token }: ServedMailbox, era: string) => [
  ...['--protocol-era', era, '--transport', 'http', '--server-url', `${url}/mcp`],
  ...['--header', `Authorization: Bearer ${token}`],
]

const overStdio = ({ url, token }: ServedMailbox, era: string) => [
  ...['--protocol-era', era, '-e', `PDPP_ACCESS_TOKEN=${token}`, '--'],
  ...[process.execPath, '--disable-warning=ExperimentalWarning', MAIN, 'mcp', '--provider-url', url],
]

function callsFor(connection: string): Record<string, { args: object; shows: string }> {
  const id = `${connection}/messages:o1`
  return {
    schema: { args: {}, shows: '"messages"' },
    query_records: { args: { stream: 'messages', filter: { from: 'ada@example.org' } }, shows: '"id":"o1"' },
    aggregate: { args: { stream: 'messages' }, shows: '"value":1' },
    search: { args: { query: 'pelican' }, shows: id },
    fetch: { args: { id }, shows: 'the pelican brief' },
    read_record_field: { args: { id, field_path: 'body' }, shows: 'the pelican brief' },
    read_conversation: { args: { id }, shows: id },
  }
}

/** Lists the tools and calls each of them. */
async function listAndCall(target: string[], connection: string): Promise<{ modern: boolean }> {
  const names = TOOLS.map(({ name }) => name)
  const listed = await inspect(target, 'tools/list', ['--strict'])
  assert.deepEqual(
    listed.tools.map(({ name }: { name: string }) => name),
    names,
  )
  const calls = callsFor(connection)
  assert.deepEqual(Object.keys(calls), names)
  const eras = new Set<boolean>()
  const waiting = Object.entries(calls)
  const call = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, { args, shows }] = next
      const more = ['--tool-name', name, '--tool-args-json', JSON.stringify(args)]
      const result = await inspect(target, 'tools/call', more)
      assert.notEqual(result.isError, true, JSON.stringify(result))
      assert.ok(JSON.stringify(result.structuredContent).includes(shows), `${name} shows ${shows}`)
      eras.add(result._meta?.['io.modelcontextprotocol/serverInfo']?.name === 'footnote')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, call))
  assert.equal(eras.size, 1)
  return { modern: eras.has(true) }
}

if (PROVING) {
  test('HO-1 HO-5 the Inspector lists the seven tools and calls each, over HTTP in both eras and over stdio', async () => {
    await using mailbox = await servedMailbox('sqlite', [message('o1', { body: 'the pelican brief' })])
    const { connection } = mailbox
    assert.deepEqual(await listAndCall(overHttp(mailbox, 'modern'), connection), { modern: true })
    assert.deepEqual(await listAndCall(overHttp(mailbox, 'legacy'), connection), { modern: false })
    assert.deepEqual(await listAndCall(overStdio(mailbox, 'modern'), connection), { modern: true })
    const [legacy, modern] = await Promise.all([
      inspect(overStdio(mailbox, 'legacy'), 'tools/list'),
      inspect(overHttp(mailbox, 'modern'), 'tools/list'),
    ])
    assert.deepEqual(legacy.tools, modern.tools)

    const more = ['--tool-name', 'fetch', '--tool-args-json', '{"id":"cin_x/messages:none"}']
    const failed = await inspect(overHttp(mailbox, 'modern'), 'tools/call', more).then(
      () => null,
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
    assert.ok(failed && failed.code !== 0, 'a refused call is noticed')
    assert.match(failed.stdout + failed.stderr, /connection_not_found/)
  })
}
