import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

export type Rows = Record<string, Record<string, SQLInputValue>[]>

/** The bytes of a SQLite database with these tables and rows. */
export function databaseOf(tables: string, rows: Rows): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  try {
    const path = join(folder, 'made.db')
    const database = new DatabaseSync(path)
    database.exec(tables)
    database.exec('BEGIN')
    for (const [table, all] of Object.entries(rows)) {
      for (const row of all) {
        const names = Object.keys(row)
        const values = names.map(() => '?').join(', ')
        database
          .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`)
          .run(...Object.values(row))
      }
    }
    database.exec('COMMIT')
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
