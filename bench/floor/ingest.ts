import type { Plain } from './plain.ts'

type FloorIngest = (connection: string, lines: string[]) => Promise<void>

interface Mail {
  id: string
  subject: string
  from: string
  body: string
  received_at: string
}

const textOf = ({ subject, from, body }: Mail) => `${subject} ${from} ${body}`

/** Record and FTS5 row, one transaction for the batch, nothing checked. */
export async function sqliteIngest(plain: Plain): Promise<FloorIngest> {
  await plain.exec(`
    CREATE TABLE floor_records (n INTEGER PRIMARY KEY, connection TEXT, id TEXT, at TEXT, data TEXT);
    CREATE UNIQUE INDEX floor_records_by_key ON floor_records (connection, id);
    CREATE INDEX floor_records_by_time ON floor_records (connection, at);
    CREATE VIRTUAL TABLE floor_search USING fts5(text, content='');`)
  const record = plain.prepare('INSERT INTO floor_records VALUES (?, ?, ?, ?, ?)')
  const search = plain.prepare('INSERT INTO floor_search (rowid, text) VALUES (?, ?)')
  let n = 0
  return async (connection, lines) => {
    await plain.exec('BEGIN IMMEDIATE')
    for (const line of lines) {
      const data = JSON.parse(line).data as Mail
      record(++n, connection, data.id, data.received_at, JSON.stringify(data))
      search(n, textOf(data))
    }
    await plain.exec('COMMIT')
  }
}

/** Record and tsvector under a GIN index, one statement for the batch, nothing checked. */
export async function postgresIngest(plain: Plain): Promise<FloorIngest> {
  await plain.exec(`
    CREATE TABLE floor_records (connection text, id text, at text, data text, PRIMARY KEY (connection, id));
    CREATE INDEX floor_records_by_time ON floor_records (connection, at);
    CREATE TABLE floor_search (connection text, id text, words tsvector, PRIMARY KEY (connection, id));
    CREATE INDEX floor_search_by_word ON floor_search USING gin (words);`)
  const insert = plain.prepare(`
    WITH lines AS (SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) AS l (connection, id, at, data, text)),
    records AS (INSERT INTO floor_records SELECT connection, id, at, data FROM lines)
    INSERT INTO floor_search SELECT connection, id, to_tsvector('english', text) FROM lines`)
  return async (connection, lines) => {
    const mails = lines.map(line => JSON.parse(line).data as Mail)
    const columns = [
      mails.map(() => connection),
      mails.map(mail => mail.id),
      mails.map(mail => mail.received_at),
      mails.map(mail => JSON.stringify(mail)),
      mails.map(textOf),
    ]
    await insert(...(columns as unknown as string[]))
  }
}
