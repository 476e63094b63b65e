import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Location } from './database.ts'
import { SqliteDatabase } from './sqlite.ts'

/**
 * What a database is opened for: point reads in the calling thread, long reads or writes in workers, exports, or the
 * ledger.
 */
export type Role = 'point-reader' | 'reader' | 'writer' | 'exporter' | 'ledger'

const CONNECTIONS: Record<Role, number> = { 'point-reader': 2, reader: 4, writer: 2, exporter: 1, ledger: 1 }
/** A statement of a search or a count that takes longer is cancelled: it has used up the budget of its request. */
const STATEMENT_TIMEOUT_MS: Partial<Record<Role, number>> = { reader: 2_000 }
/** A server keeps large caches; a command that runs beside it, or on a small machine, uses less memory. */
export type Memory = 'server' | 'command'
const CACHE_MEGABYTES: Record<Memory, Record<Role, number>> = {
  server: { 'point-reader': 4, reader: 12, writer: 8, exporter: 16, ledger: 2 },
  command: { 'point-reader': 4, reader: 16, writer: 16, exporter: 16, ledger: 1 },
}

/**
 * The main thread serves every request, so its connections do not wait long; a worker waits until a long import ends.
 * Waiting inside SQLite stops the thread, so the ledger asks again instead; on PostgreSQL it waits like point reads.
 */
const LOCK_TIMEOUT_MS: Record<Role, number> = {
  'point-reader': 2_000,
  reader: 120_000,
  writer: 120_000,
  exporter: 120_000,
  ledger: 50,
}

export const SQLITE_FILES = ['footnote.sqlite', 'ledger.sqlite'] as const

/** Whether data was ever stored there, as far as can be told without opening it. */
export function isStarted(location: Location): boolean {
  return location.engine === 'postgres' || existsSync(join(location.directory, SQLITE_FILES[0]))
}

/** On SQLite the ledger is a separate file, so that writing a disclosure never waits for an import. */
export async function openDatabase(
  location: Location,
  role: Role,
  memory: Memory = 'server',
): Promise<Database> {
  const isLedger = role === 'ledger'
  if (location.engine === 'postgres') {
    const statementTimeoutMs = STATEMENT_TIMEOUT_MS[role] ?? 0
    const connections = CONNECTIONS[role]
    const lockTimeoutMs = Math.max(LOCK_TIMEOUT_MS[role], LOCK_TIMEOUT_MS['point-reader'])
    const { PostgresDatabase } = await import('./postgres.ts')
    return new PostgresDatabase({
      url: location.url,
      connections,
      durability: isLedger ? 'normal' : 'full',
      statementTimeoutMs,
      lockTimeoutMs,
    })
  }
  return new SqliteDatabase({
    path: join(location.directory, SQLITE_FILES[isLedger ? 1 : 0]),
    isLedger,
    lockTimeoutMs: LOCK_TIMEOUT_MS[role],
    cacheMegabytes: CACHE_MEGABYTES[memory][role],
  })
}
