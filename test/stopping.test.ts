import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '../src/origin/server.ts'
import { freshPlace } from './command-line.ts'
import { type Engine, onOneEngine, PROVING } from './engines.ts'
import { freePort } from './free-port.ts'
import { ownerTokenFor } from './spawned-server.ts'

const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'bin/footnote.js')
/** Makes Node report an older version. */
const OLDER_NODE = 'data:text/javascript,Object.defineProperty(process, "version", { value: "v20.11.0" })'
const WITHOUT_PROC = { skip: process.platform !== 'linux' && 'needs /proc' }

const FULL_DISK = { skip: process.platform !== 'linux' && 'needs /dev/full', timeout: 60_000 }

/** A server in its own process, and a connection that sends it part of a POST. */
class HalfPosted {
  readonly server: ChildProcess
  readonly url: URL
  readonly #token: string
  readonly #sockets: Socket[] = []
  readonly #remove: () => Promise<void>

  private constructor(server: ChildProcess, url: URL, token: string, remove: () => Promise<void>) {
    this.server = server
    this.url = url
    this.#token = token
    this.#remove = remove
  }

  static async start(engine: Engine): Promise<HalfPosted> {
    const { location, flags, remove } = await freshPlace(engine)
    const token = await ownerTokenFor(location)
    const args = [BIN, 'serve', '--port', '0', ...flags]
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const [line] = await once(server.stderr.setEncoding('utf8'), 'data')
    server.stderr.resume()
    return new HalfPosted(server, new URL(/http:\/\/[\d.:]+/.exec(line)?.[0] ?? ''), token, remove)
  }

  async post(path: string, length: number, part: string, headers: readonly string[] = []): Promise<Socket> {
    const socket = connect(Number(this.url.port), this.url.hostname)
    socket.setEncoding('utf8').on('error', () => {})
    this.#sockets.push(socket)
    await once(socket, 'connect')
    const head = [`POST ${path} HTTP/1.1`, `Host: ${this.url.host}`, `Authorization: Bearer ${this.#token}`]
    const type = 'Content-Type: application/json'
    socket.write([...head, type, `Content-Length: ${length}`, ...headers, '', part].join('\r\n'))
    return socket
  }

  /** Waits until the server accepts no connection any more. */
  async untilClosed(): Promise<void> {
    for (;;) {
      const socket = connect(Number(this.url.port), this.url.hostname)
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      if (!isOpen) return
      await sleep(5)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.server.kill('SIGKILL')
    await this.#remove()
  }
}

onOneEngine(
  'a server that was asked to stop exits with 0 although a body is not read to its end',
  async engine => {
    await using half = await HalfPosted.start(engine)
    const socket = await half.post('/v1/owner/declarations', 50_000_000, '{"large":"')
    const answered = once(socket, 'data')
    const sending = setInterval(() => socket.write('x'.repeat(65_536)), 20)
    const [answer] = await answered
    assert.match(answer, /^HTTP\/1.1 413 /)
    const ended = once(half.server, 'exit')
    half.server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    clearInterval(sending)
  },
)

test('a server keeps running while the disk of its log is full', FULL_DISK, async () => {
  const { flags, remove } = await freshPlace('sqlite')
  const port = await freePort()
  const full = openSync('/dev/full', 'w')
  const args = [BIN, 'serve', '--port', String(port), '--log', 'json', ...flags]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', full] })
  closeSync(full)
  const status = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      answer => answer.status,
      () => null,
    )
  while (server.exitCode === null && (await status()) === null) await sleep(50)
  // The line of the first request could not be written either.
  await sleep(100)
  assert.equal(await status(), 200)
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await remove()
})

test('a request that is being served is answered before the server stops', async () => {
  await using half = await HalfPosted.start('sqlite')
  const body = '{"source_id":"https://example.org/nothing","display_name":"N"}'
  const asking = ['Expect: 100-continue']
  const socket = await half.post('/v1/owner/connections', body.length, body.slice(0, 10), asking)
  const [received] = await once(socket, 'data')
  assert.match(received, /^HTTP\/1.1 100 /)
  const ended = once(half.server, 'exit')
  half.server.kill('SIGTERM')
  await half.untilClosed()
  socket.write(body.slice(10))
  const [answer] = await once(socket, 'data')
  assert.match(answer, /^HTTP\/1.1 404 /)
  assert.deepEqual(await ended, [0, null])
})

test('a start that fails does not leave a port open', async () => {
  const { location, remove } = await freshPlace('sqlite')
  const port = await freePort()
  const place = { location, host: '127.0.0.1', port, publicUrl: null, rateLimit: null }
  const options = { ...place, clientDocuments: false, cursorTtlSeconds: 600, trustedProxies: ['nowhere'] }
  await assert.rejects(startServer(options, { report: () => {} }), /nowhere is not an address/)
  const socket = connect(port, '127.0.0.1')
  const [error] = await once(socket, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  await remove()
})

interface Marked {
  pid: number
  line: string
}

/** The processes that were started, directly or not, with a mark in their environment. */
function marked(mark: string): Marked[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return []
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark)) return []
      return [
        { pid: Number(name), line: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') },
      ]
    } catch {
      return []
    }
  })
}

async function until<T>(what: string, found: () => T | undefined | false): Promise<T> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    const value = found()
    if (value) return value
    await sleep(20)
  }
  return assert.fail(`never: ${what}`)
}

/**
 * Starts a program, asks it to stop a while after one of its processes appeared, and waits until none of them is left.
 * SIGINT is sent to the whole group, as from a terminal; SIGTERM only to the program.
 */
async function stopEarly(
  command: string[],
  appeared: (all: Marked[]) => boolean,
  afterMs: number,
  signal: NodeJS.Signals,
): Promise<unknown[]> {
  const { flags, remove } = await freshPlace('sqlite')
  const mark = `FOOTNOTE_TEST_MARK=${randomUUID()}`
  const [key = '', value] = mark.split('=')
  const { npm_lifecycle_event: _, ...env } = process.env
  const PATH = `${dirname(process.execPath)}:${env.PATH}`
  const [program = '', ...args] = [...command, '--port', '0', ...flags]
  const started = spawn(program, args, {
    cwd: ROOT,
    env: { ...env, PATH, [key]: value },
    stdio: 'ignore',
    detached: true,
  })
  try {
    const ended = once(started, 'exit')
    await until('a process', () => appeared(marked(mark)))
    await sleep(afterMs)
    process.kill(signal === 'SIGINT' ? -(started.pid ?? 0) : (started.pid ?? 0), signal)
    const code = await ended
    await until(`an end of all processes (${signal} after ${afterMs} ms)`, () => marked(mark).length === 0)
    return code
  } finally {
    for (const { pid } of marked(mark)) process.kill(pid, 'SIGKILL')
    await remove()
  }
}

const serverRuns = (all: Marked[]) =>
  all.some(({ line }) => /^\S*node (--\S+ )*bin\/footnote\.js start/.test(line))
const LAUNCHER = [process.execPath, '--import', OLDER_NODE, BIN, 'serve']
/** In `npm test` each signal is sent at another moment. */
const MOMENTS = { SIGTERM: [300], SIGINT: [0], SIGKILL: [1_500] }
const EVERY_MOMENT = Array.from({ length: 21 }, (_, index) => index * 100)

// A SIGTERM that arrives before npm is ready to pass it on ends npm alone, as SIGKILL does.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
  test(`no server is left when npm start gets ${signal} in its first moments`, WITHOUT_PROC, async () => {
    await inTurns(PROVING ? EVERY_MOMENT : MOMENTS[signal], afterMs =>
      stopEarly(['npm', 'start', '--'], serverRuns, afterMs, signal),
    )
  })
}

test(
  'no server is left when the launcher under an older Node is stopped in its first moments',
  WITHOUT_PROC,
  async () => {
    await inTurns(PROVING ? EVERY_MOMENT : [0, 1_500], async afterMs => {
      const [code, signal] = await stopEarly(LAUNCHER, all => all.length > 1, afterMs, 'SIGTERM')
      assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`)
    })
  },
)

/** Works through a list, three items at a time. */
async function inTurns<T>(items: readonly T[], work: (item: T, index: number) => Promise<unknown>) {
  const left = [...items.entries()]
  const turn = async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next[1], next[0])
  }
  await Promise.all([turn(), turn(), turn()])
}

test('a server under the launcher shuts down properly and its exit code is passed on', async () => {
  const { flags, remove } = await freshPlace('sqlite')
  const [program = '', ...args] = [...LAUNCHER, '--port', '0', ...flags]
  const launcher = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(launcher, 'exit')
  await once(launcher.stderr, 'data')
  launcher.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await remove()
})
