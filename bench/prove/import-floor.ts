import { DatabaseSync } from 'node:sqlite'
import type { RecordEvent } from '../../src/importers/importer.ts'
import { IMPORTERS } from '../../src/importers/importers.ts'
import { recognise } from '../../src/importers/recognition.ts'
import { openSource } from '../../src/importers/source/open.ts'

const RECORDS = 20_000
const BATCH = 500

interface Floor {
  /** How many records are read per second if nothing is done with them. */
  read: number
  /** How many of them plain SQLite stores per second: a row and its words in FTS5, in batches, nothing checked. */
  stored: number
}

/** The cost of the first records of an export without Footnote. */
export async function importFloor(path: string, file: string): Promise<Floor> {
  await using source = await openSource(path)
  const [found] = (await recognise(source, IMPORTERS)).found
  if (!found) throw new Error(`Nothing to import in ${path}.`)
  const records: RecordEvent[] = []
  const began = performance.now()
  for await (const event of found.finding.read(null)) {
    if (event.kind === 'record' && records.push(event) === RECORDS) break
  }
  const read = performance.now()
  store(records, file)
  const stored = performance.now()
  return {
    read: (1_000 * records.length) / (read - began),
    stored: (1_000 * records.length) / (stored - read),
  }
}

function store(records: readonly RecordEvent[], file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE records (n INTEGER PRIMARY KEY, id TEXT UNIQUE, data TEXT);
    CREATE VIRTUAL TABLE words USING fts5(text, content='')`)
  const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?)')
  const index = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)')
  for (let start = 0; start < records.length; start += BATCH) {
    database.exec('BEGIN IMMEDIATE')
    for (const [at, { stream, key, data }] of records.slice(start, start + BATCH).entries()) {
      insert.run(start + at, `${stream} ${key}`, JSON.stringify(data))
      index.run(start + at, Object.values(data).filter(isText).join(' '))
    }
    database.exec('COMMIT')
  }
  database.close()
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
