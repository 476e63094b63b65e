import { DatabaseSync } from 'node:sqlite'

/** Copies a consistent snapshot of a database while others read and write it. */
export function copySqlite(from: string, to: string): void {
  const connection = new DatabaseSync(from, { timeout: 120_000 })
  try {
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
}
