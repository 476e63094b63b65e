import type { Database } from './database.ts'
import { LEDGER_MIGRATIONS } from './upgrades/ledger-migrations.ts'
import { type Migration, STORE_MIGRATIONS } from './upgrades/store-migrations.ts'

const MIGRATIONS = { store: STORE_MIGRATIONS, ledger: LEDGER_MIGRATIONS }
type Part = keyof typeof MIGRATIONS

/** Brings the tables up to date, or to an earlier state that a test starts from. */
export async function migrate(database: Database, upTo = STORE_MIGRATIONS.length): Promise<void> {
  await apply(database, 'store', STORE_MIGRATIONS.slice(0, upTo))
}

export async function migrateLedger(database: Database): Promise<void> {
  await apply(database, 'ledger', LEDGER_MIGRATIONS)
}

/** Whether the tables match this version. */
export async function isMigrated(database: Pick<Database, 'get'>, part: Part): Promise<boolean> {
  return (await lastMigration(database, part)) === MIGRATIONS[part].length
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
    for (let no = done + 1; no <= migrations.length; no++) {
      const migration = migrations[no - 1] ?? ''
      if (typeof migration === 'string') await transaction.define(migration)
      // New data has nothing to convert.
      else if (done > 0) await migration(transaction)
      await transaction.run('INSERT INTO migrations (part, no) VALUES (?, ?)', [part, no])
    }
    if (done > migrations.length)
      throw new Error(`This data was written by a newer Footnote (${part} schema ${done}). Update Footnote.`)
  })
}
