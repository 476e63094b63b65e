import type { Database } from './database.ts'
import { LEDGER_MIGRATIONS } from './upgrades/ledger-migrations.ts'
import { type Migration, STORE_MIGRATIONS } from './upgrades/store-migrations.ts'

const MIGRATIONS = { store: STORE_MIGRATIONS, ledger: LEDGER_MIGRATIONS }
type Part = keyof typeof MIGRATIONS

/** Brings the tables up to date. */
export function migrate(database: Database): Promise<void> {
  return apply(database, 'store', STORE_MIGRATIONS)
}

export function migrateLedger(database: Database): Promise<void> {
  return apply(database, 'ledger', LEDGER_MIGRATIONS)
}

/** Whether the tables match this version. */
export async function isMigrated(database: Pick<Database, 'get'>, part: Part): Promise<boolean> {
  return (await lastMigration(database, part)) === MIGRATIONS[part].at(-1)?.[0]
}

async function lastMigration(database: Pick<Database, 'get'>, part: Part): Promise<number> {
  const sql = 'SELECT max(no) AS no FROM migrations WHERE part = ?'
  return (await database.get<{ no: number | null }>(sql, [part]))?.no ?? 0
}

async function apply(database: Database, part: Part, migrations: readonly Migration[]): Promise<void> {
  await database.exclusively(async transaction => {
    await transaction.define(
      'CREATE TABLE IF NOT EXISTS migrations (part TEXT NOT NULL, no BIGINT NOT NULL, PRIMARY KEY (part, no))',
    )
    const done = await lastMigration(transaction, part)
    assertKnown(part, done, migrations)
    for (const [no, sql] of migrations.filter(([no]) => no > done)) {
      await transaction.define(sql)
      await transaction.run('INSERT INTO migrations (part, no) VALUES (?, ?)', [part, no])
    }
  })
}

function assertKnown(part: Part, done: number, migrations: readonly Migration[]): void {
  const [first, last] = [migrations[0]?.[0] ?? 0, migrations.at(-1)?.[0] ?? 0]
  const state = `${part} schema ${done}`
  if (done > last) throw new Error(`This data was written by a newer Footnote (${state}). Update Footnote.`)
  if (done > 0 && done < first)
    throw new Error(
      `This data is from before the first release of Footnote (${state}). CHANGELOG.md says how to keep it.`,
    )
}
