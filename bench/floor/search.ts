import type { Plain, Row } from './plain.ts'
import type { Read } from './reads.ts'

/** Plain full-text search over the texts that the server has stored: words combined with OR, the engine's ranking, no cap. */
export function searchReads(plain: Plain, owner: string, postgres: boolean): Record<string, Read> {
  const sql = postgres ? POSTGRES : SQLITE
  let ready: { top(words: string): Promise<Row[]>; holding(words: string): Promise<Row[]> } | null = null
  return {
    /** Builds the index from the stored records. */
    '/search-build': async () => {
      for (const statement of sql.build) await plain.exec(statement.replaceAll('$OWNER', owner))
      const [top, holding] = [plain.prepare(sql.top), plain.prepare(sql.holding)]
      ready = {
        top: async words => top(words),
        holding: async words => holding(words),
      }
      return '{}'
    },
    '/search': async query => {
      const words = (query.get('q') ?? '').split(' ')
      const rows = (await ready?.top(words.map(sql.word).join(sql.or))) ?? []
      return `{"object":"list","data":[${rows.map(hit).join(',')}]}`
    },
    /** How many records contain all of the words. */
    '/search-count': async query => {
      const words = (query.get('q') ?? '').split(' ')
      return JSON.stringify((await ready?.holding(words.map(sql.word).join(sql.and)))?.[0])
    },
  }
}

const SQLITE = {
  build: [
    `CREATE VIRTUAL TABLE floor_texts USING fts5(text, content='')`,
    `INSERT INTO floor_texts (rowid, text)
     SELECT rowid, concat(data ->> 'subject', ' ', data ->> 'from', ' ', data ->> 'body')
     FROM records WHERE owner_id = '$OWNER' AND stream = 'messages' AND deleted = 0`,
    `INSERT INTO floor_texts (floor_texts) VALUES ('optimize')`,
  ],
  top: `SELECT r.connection_id, r.record_key, r.data FROM
    (SELECT rowid AS n FROM floor_texts WHERE floor_texts MATCH ? ORDER BY bm25(floor_texts) LIMIT 25) AS f
    CROSS JOIN records AS r ON r.rowid = f.n`,
  holding: 'SELECT count(*) AS n FROM floor_texts WHERE floor_texts MATCH ?',
  word: (word: string) => `"${word}"`,
  or: ' OR ',
  and: ' AND ',
}

const POSTGRES = {
  build: [
    `CREATE TABLE floor_texts AS SELECT connection_id, record_key,
       to_tsvector('simple', concat_ws(' ', data::json ->> 'subject', data::json ->> 'from', data::json ->> 'body')) AS words
     FROM records WHERE owner_id = '$OWNER' AND stream = 'messages' AND deleted = 0`,
    'CREATE INDEX floor_texts_by_word ON floor_texts USING gin (words)',
    'VACUUM ANALYZE floor_texts',
  ],
  top: `SELECT r.connection_id, r.record_key, r.data FROM
    (SELECT connection_id, record_key FROM floor_texts, to_tsquery('simple', ?) AS q WHERE words @@ q
     ORDER BY ts_rank_cd(words, q) DESC LIMIT 25) AS f
    JOIN records AS r USING (connection_id, record_key)`,
  holding: `SELECT count(*) AS n FROM floor_texts WHERE words @@ to_tsquery('simple', ?)`,
  word: (word: string) => word,
  or: ' | ',
  and: ' & ',
}

function hit({ connection_id, record_key, data }: Row): string {
  const { subject, body } = JSON.parse(String(data)) as { subject: string; body: string }
  const windows = `[{"text":${JSON.stringify(body.slice(0, 200))}},{"text":${JSON.stringify(body.slice(0, 200))}}]`
  return `{"object":"search_result","record_key":"${record_key}","connection_id":"${connection_id}","title":${JSON.stringify(subject)},"match_windows":${windows}}`
}
