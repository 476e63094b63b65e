import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Location } from '../src/store/engine/database.ts'
import { Store } from '../src/store/store.ts'
import { MAILBOX } from './mailbox.ts'
import type { Answer } from './test-server.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')

interface Started {
  /** Arguments for Node. */
  args?: readonly string[]
  env?: NodeJS.ProcessEnv
}

/** A real server in its own process, to be measured and killed. */
export class SpawnedServer implements AsyncDisposable {
  readonly url: string
  readonly #process: ChildProcess

  private constructor(url: string, process: ChildProcess) {
    this.url = url
    this.#process = process
  }

  static async start(
    location: Location,
    { args: more = [], env = {} }: Started = {},
  ): Promise<SpawnedServer> {
    const place = ['--data-dir', location.directory]
    if (location.engine === 'postgres') place.push('--database-url', location.url)
    const free = ['--port', '0', '--rate-limit', '0', '--address-limit', '0']
    const args = ['--disable-warning=ExperimentalWarning', ...more, MAIN, 'serve', ...free, ...place]
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
    const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } })
    const said: string[] = []
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line)
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (!url) continue
      child.stderr.resume()
      return new SpawnedServer(url, child)
    }
    throw new Error(`The server did not start: ${said.join('\n')}`)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Bytes from /proc: VmRSS is the current resident memory, VmHWM the peak. */
  memory(name: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  }

  async request(path: string, token: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('Authorization', `Bearer ${token}`)
    return fetch(this.url + path, {
      ...init,
      headers,
      ...(init.body ? { duplex: 'half' } : {}),
    } as RequestInit)
  }

  async json(path: string, token: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.request(path, token, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  async post(path: string, token: string, body: unknown): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' }
    return this.json(path, token, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** Registers the declaration of a mailbox, and creates a connection for it. */
  async connect(owner: string, display_name = 'Mail'): Promise<string> {
    await this.post('/v1/owner/declarations', owner, MAILBOX)
    const source = { source_id: MAILBOX.source.id, display_name }
    return (await this.post('/v1/owner/connections', owner, source)).body.connection_id
  }

  async ingest(
    stream: string,
    connection_id: string,
    token: string,
    body: NonNullable<RequestInit['body']>,
  ): Promise<Answer> {
    const headers = { 'Content-Type': 'application/x-ndjson' }
    return this.json(`/v1/ingest/${stream}?connection_id=${connection_id}`, token, {
      method: 'POST',
      headers,
      body,
    })
  }

  /** Kills the process immediately, like a power failure. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill(signal)
    await ended
  }
}

/** A token of the store's owner, created without the server. */
export async function ownerTokenFor(location: Location): Promise<string> {
  await using store = await Store.open(location)
  return store.writer.call('createOwnerToken', { owner_id: store.owner_id, now: new Date().toISOString() })
}
