import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '../test/postgres.ts'
import { openPostgres, openSqlite, type Plain } from './floor/plain.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

/** An empty store of an engine, with the access that the server, the floor and the benchmark itself need. */
export interface Place extends AsyncDisposable {
  /** The folder or the address. */
  name: string
  /** The server's flags. */
  flags: string[]
  /** Direct access to the tables, without the server. */
  data(): Promise<Plain>
  ledger(): Promise<Plain>
  /** The maintenance that an engine does by itself within minutes. */
  settle(): Promise<void>
  /** Bytes on the disk. */
  size(): Promise<number>
}

export async function folderSize(directory: string): Promise<number> {
  const names = await readdir(directory)
  const sizes = await Promise.all(names.map(async name => (await stat(join(directory, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

export async function freshPlace(engine: Engine): Promise<Place> {
  return engine === 'postgres' ? postgresPlace(await freshDatabase()) : sqlitePlace()
}

async function sqlitePlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-bench-'))
  await chmod(directory, 0o700)
  const data = async () => openSqlite(join(directory, 'footnote.sqlite'))
  const ledger = async () => openSqlite(join(directory, 'ledger.sqlite'))
  return {
    name: directory,
    flags: ['--data-dir', directory],
    data,
    ledger,
    async settle() {
      for (const open of [data, ledger]) {
        await using plain = await open()
        await plain.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      }
    },
    size: () => folderSize(directory),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

async function postgresPlace(url: string): Promise<Place> {
  // For files outside the database.
  const directory = await mkdtemp(join(tmpdir(), 'footnote-bench-'))
  return {
    name: url,
    flags: ['--database-url', url, '--data-dir', directory],
    data: () => openPostgres(url),
    ledger: () => openPostgres(url),
    async settle() {
      await using plain = await openPostgres(url)
      await plain.exec('VACUUM ANALYZE')
      await plain.exec('CHECKPOINT')
    },
    async size() {
      await using plain = await openPostgres(url)
      const [row] = await plain.prepare('SELECT pg_database_size(current_database()) AS bytes')()
      return Number(row?.bytes) + (await folderSize(directory))
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
