import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database, Location, Transaction } from '../engine/database.ts'
import { openDatabase, SQLITE_FILES } from '../engine/open-database.ts'

const MOST_PROBLEMS = 5

export interface Integrity {
  /** What was examined, in words. */
  examined: string
  /** The first problems found in each place. */
  problems: string[]
}

/**
 * Reads everything that is stored and lets the engine compare tables with their indexes. Others may write meanwhile.
 */
export async function checkIntegrity(location: Location): Promise<Integrity> {
  if (location.engine === 'sqlite') {
    const files = SQLITE_FILES.filter(file => existsSync(join(location.directory, file)))
    const problems = files.flatMap(file => problemsOfFile(location.directory, file))
    return { examined: files.join(' and ') || 'no file yet', problems }
  }
  await using database = await openDatabase(location, 'reader', 'command')
  return await checkPostgres(database)
}

function problemsOfFile(directory: string, file: string): string[] {
  try {
    const connection = new DatabaseSync(join(directory, file), { timeout: 120_000 })
    try {
      const rows = connection.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all()
      const found = rows.map(row => String(row.integrity_check))
      return found.filter(text => text !== 'ok').map(text => `${file}: ${text.replaceAll('\n', ' ')}`)
    } finally {
      connection.close()
    }
  } catch (error) {
    return [`${file}: ${(error as Error).message}`]
  }
}

async function checkPostgres(database: Database): Promise<Integrity> {
  const names = await database.all<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`,
  )
  const invalid = await database.all<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND NOT (i.indisvalid AND i.indisready) ORDER BY 1`,
  )
  const problems = invalid.map(({ name }) => `index ${name} is not valid`)
  for (const { name } of names) {
    const problem = await problemOfTable(database, name)
    if (problem !== null) problems.push(`table ${name}: ${problem}`)
  }
  const extension = await database.get(`SELECT 1 AS found FROM pg_extension WHERE extname = 'amcheck'`)
  if (!extension) return { examined: `${names.length} tables, read whole and by index`, problems }
  const broken = await problemOfIndexes(database)
  return {
    examined: `${names.length} tables, read whole and by index, and their indexes by amcheck`,
    problems: broken === null ? problems : [...problems, broken],
  }
}

/** Reads a table with its long values, and counts its rows again by an index in the same snapshot. */
async function problemOfTable(database: Database, name: string): Promise<string | null> {
  try {
    const [rows, indexed] = await database.transaction(async transaction => {
      await transaction.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      await transaction.run('SET LOCAL enable_indexscan = off')
      await transaction.run('SET LOCAL enable_indexonlyscan = off')
      await transaction.run('SET LOCAL enable_seqscan = on')
      const whole = await count(
        transaction,
        `SELECT count(*) AS n, sum(length(t::text)) AS read FROM ${name} t`,
      )
      await transaction.run('SET LOCAL enable_indexscan = on')
      await transaction.run('SET LOCAL enable_indexonlyscan = on')
      await transaction.run('SET LOCAL enable_seqscan = off')
      return [whole, await count(transaction, `SELECT count(*) AS n FROM ${name}`)]
    })
    return rows === indexed ? null : `${rows} rows, but ${indexed} in an index`
  } catch (error) {
    return (error as Error).message
  }
}

async function count(transaction: Transaction, sql: string): Promise<number> {
  return Number((await transaction.get<{ n: number }>(sql))?.n)
}

async function problemOfIndexes(database: Database): Promise<string | null> {
  try {
    await database.all(
      `SELECT bt_index_check(c.oid::regclass, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
       WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace`,
    )
    return null
  } catch (error) {
    return (error as Error).message
  }
}
