import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

const PAGE_BYTES = 512
const CHILDREN = 50
const LEVELS = 8

/** A database of 6 kB in which a table seems to have 50 to the power of 8 rows: every page above has one child, 50 times. */
export function endlessDatabase(tables: string, table: string, rows: Rows): Buffer {
  const bytes = databaseOf(`PRAGMA page_size = ${PAGE_BYTES}; ${tables}`, rows)
  const folder = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  const path = join(folder, 'made.db')
  writeFileSync(path, bytes)
  const database = new DatabaseSync(path)
  const { rootpage } = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number
  }
  database.close()
  rmSync(folder, { recursive: true, force: true })
  const start = (rootpage - 1) * PAGE_BYTES
  const leaf = Buffer.from(bytes.subarray(start, start + PAGE_BYTES))
  const pages = bytes.length / PAGE_BYTES
  const between = Array.from({ length: LEVELS - 1 }, (_, level) => pageAbove(pages + level + 2))
  const made = Buffer.concat([bytes, ...between, leaf])
  pageAbove(pages + 1).copy(made, start)
  made.writeUInt32BE(pages + LEVELS, 28)
  return made
}

/** A page of a table, as https://sqlite.org/fileformat2.html describes it, of which each child is the same page. */
function pageAbove(child: number): Buffer {
  const page = Buffer.alloc(PAGE_BYTES)
  const cells = PAGE_BYTES - 5 * CHILDREN
  page.writeUInt8(5, 0)
  page.writeUInt16BE(CHILDREN, 3)
  page.writeUInt16BE(cells, 5)
  page.writeUInt32BE(child, 8)
  for (let n = 0; n < CHILDREN; n++) {
    page.writeUInt16BE(cells + 5 * n, 12 + 2 * n)
    page.writeUInt32BE(child, cells + 5 * n)
    page.writeUInt8(1, cells + 5 * n + 4)
  }
  return page
}
