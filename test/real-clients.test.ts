import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { AuthorizationWorld, decideEverything, type Visitor } from './authorization-world.ts'
import { PROVING } from './engines.ts'
import { freePort } from './free-port.ts'
import { inspector } from './inspector.ts'

const ROOT = join(import.meta.dirname, '..')

/** A program from npm with its own home folder. The owner opens the URL that it asks for. */
class Program implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams
  readonly #home: string
  #said = ''

  private constructor(process: ChildProcessWithoutNullStreams, home: string, owner: Visitor) {
    this.process = process
    this.#home = home
    let asked = false
    for (const stream of [process.stdout, process.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text
        const url = /http:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(this.#said)?.[0]
        if (!url || asked) return
        asked = true
        decideEverything(owner, new URL(url)).then(back => fetch(back), assert.ifError)
      })
    }
  }

  static async start(file: string, args: readonly string[], owner: Visitor): Promise<Program> {
    const home = await mkdtemp(join(tmpdir(), 'footnote-client-'))
    const { HOME: _, DISPLAY: __, ...env } = process.env
    const child = spawn(process.execPath, [file, ...args], {
      env: {
        ...env,
        HOME: home,
        MCP_REMOTE_CONFIG_DIR: home,
        BROWSER: 'true',
        MCP_AUTO_OPEN_ENABLED: 'true',
        PATH: `${dirname(process.execPath)}:${env.PATH}`,
      },
    })
    return new Program(child, home, owner)
  }

  async saying(expected: RegExp): Promise<string> {
    for (let waited = 0; waited < 90_000; waited += 50) {
      const found = expected.exec(this.#said)?.[0]
      if (found) return found
      if (this.process.exitCode !== null) break
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    throw new Error(`never said ${expected}:\n${this.#said}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = once(this.process, 'exit')
      this.process.kill('SIGKILL')
      await ended
    }
    await rm(this.#home, { recursive: true, force: true })
  }
}

function binOf(name: string, bin: string): string {
  const manifest = join(ROOT, 'node_modules', name, 'package.json')
  const { bin: bins } = createRequire(import.meta.url)(manifest) as { bin: Record<string, string> }
  return join(dirname(manifest), bins[bin] ?? '')
}

test('mcp-remote signs in and calls a tool', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const args = [`${world.url}/mcp`, String(await freePort()), '--allow-http']
  await using program = await Program.start(binOf('mcp-remote', 'mcp-remote'), args, owner)
  await program.saying(/Proxy established/)
  const clientInfo = { name: 'test', version: '1' }
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'search', arguments: { query: 'subject' } } },
  ]
  for (const message of messages)
    program.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  await program.saying(/"id":2.*Subject m1/)
})

if (PROVING) {
  test('the Inspector signs in and calls a tool', async () => {
    await using world = await AuthorizationWorld.start('sqlite')
    await world.mailbox('Work mail')
    const owner = await world.signedIn()
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
    const call = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'query=subject']
    const args = ['--cli', `${world.url}/mcp`, '--callback-url', callback, ...call]
    await using program = await Program.start(await inspector(), args, owner)
    await program.saying(/"title": "Subject m1"/)
  })
}

test('the conformance suite passes the authorization server', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const port = await freePort()
  const { body } = await world.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  const place = ['--url', world.url, '--resource', `${world.url}/mcp`, '-p', String(port)]
  const args = ['authorization', ...place, '--client-id', body.client_id]
  const file = binOf('@modelcontextprotocol/conformance', 'conformance')
  await using program = await Program.start(file, args, owner)
  await program.saying(/authorization-server-metadata-endpoint: 2 passed, 0 failed/)
  await program.saying(/authorization-code-grant: 1 passed, 0 failed/)
  await program.saying(/Total: 3 passed, 0 failed/)
})
