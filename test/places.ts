import { rmSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Location } from '../src/store/engine/database.ts'
import { migrate, migrateLedger } from '../src/store/engine/migrations.ts'
import { openDatabase, SQLITE_FILES } from '../src/store/engine/open-database.ts'
import { dropDatabase, freshDatabase } from './postgres.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

export interface Place {
  location: Location
  remove(): Promise<void>
}

/** An empty location for a store, removed at the end. */
export async function freshLocation(engine: Engine): Promise<Place> {
  return place(engine, () => freshDatabase())
}

/** The same with tables already created, because copying them is faster. */
export async function storeLocation(engine: Engine): Promise<Place> {
  if (engine === 'postgres') {
    tables ??= databaseWithTables()
    const made = await tables
    return place(engine, () => freshDatabase(made))
  }
  files ??= filesWithTables()
  const folder = await files
  const made = await place(engine, () => freshDatabase())
  for (const file of SQLITE_FILES) await copyFile(join(folder, file), join(made.location.directory, file))
  return made
}

let tables: Promise<string> | null = null
let files: Promise<string> | null = null

async function databaseWithTables(): Promise<string> {
  const url = await freshDatabase()
  await using database = await openDatabase({ engine: 'postgres', url, directory: tmpdir() }, 'writer')
  await migrate(database)
  await migrateLedger(database)
  return url
}

async function filesWithTables(): Promise<string> {
  const { location } = await place('sqlite', () => freshDatabase())
  process.on('exit', () => rmSync(location.directory, { recursive: true, force: true }))
  await using database = await openDatabase(location, 'writer')
  await using ledger = await openDatabase(location, 'ledger')
  await migrate(database)
  await migrateLedger(ledger)
  return location.directory
}

async function place(engine: Engine, databaseUrl: () => Promise<string>): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  if (engine === 'sqlite') return { location: { engine, directory }, remove }
  const url = await databaseUrl()
  return {
    location: { engine, url, directory },
    async remove() {
      await dropDatabase(url)
      await remove()
    },
  }
}
