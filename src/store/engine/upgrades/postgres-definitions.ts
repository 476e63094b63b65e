import { TOKEN_INDEXES } from '../word-index.ts'
import { BLOCKS_OF_ROW } from './postgres-blocks.ts'

const TOKEN_INDEX = TOKEN_INDEXES.map(
  name => `CREATE TABLE ${name} (row_id BIGINT NOT NULL PRIMARY KEY, time_key TEXT, words TSVECTOR NOT NULL);
    CREATE INDEX ${name}_words ON ${name} USING gin (words);`,
).join('\n')

/**
 * Makes a copy, because building a word index is many times faster than changing it row by row. Words that fit into a
 * page are not compressed: a lookup by rows reads the words of each row, and decompressing them took most of its time.
 */
const TOKEN_INDEX_BY_OWNER = TOKEN_INDEXES.map(
  name => `ALTER TABLE ${name} RENAME TO ${name}_before;
    CREATE TABLE ${name} WITH (toast_tuple_target = 8160) AS
      SELECT owner_id, row_id, b.time_key, words || '' AS words
      FROM ${name}_before AS b JOIN search_rows USING (row_id);
    DROP TABLE ${name}_before;
    ALTER TABLE ${name} ADD PRIMARY KEY (owner_id, row_id), ALTER COLUMN words SET NOT NULL;
    CREATE INDEX ${name}_words ON ${name} USING gin (words);`,
).join('\n')

const OWNER_LEADS_KEY = 'ALTER TABLE $1 DROP CONSTRAINT $1_pkey, ADD PRIMARY KEY (owner_id, row_id);'

/**
 * Keeps statistics of ten thousand words instead of one thousand: words in half a per cent of a million rows are not
 * rare, and treating them as rare is slow. The server's ANALYZE then takes a few seconds longer.
 */
const MORE_STATISTICS = 'ALTER TABLE token_index ALTER COLUMN words SET STATISTICS 1000;'

/** Only of first rows: later ones are looked up among few. */
const BLOCKS = `DROP INDEX token_index_words;
  CREATE INDEX token_index_words ON token_index USING gin (words, (${BLOCKS_OF_ROW}));`

/** The statements of a migration in PostgreSQL's dialect. */
export function definitionsOf(sql: string): string[] {
  return sql
    .replace('CREATE TOKEN INDEX;', TOKEN_INDEX)
    .replace('OWNER LEADS TOKEN INDEX;', TOKEN_INDEX_BY_OWNER)
    .replace('TUNE TOKEN INDEX;', MORE_STATISTICS)
    .replace('CUT TOKEN INDEX INTO BLOCKS;', BLOCKS)
    .replaceAll(/OWNER LEADS KEY OF (\w+);/g, OWNER_LEADS_KEY)
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll('BYTES', 'BYTEA')
    .replaceAll('/* clustered */', '')
    .split(';')
    .filter(statement => statement.trim() !== '')
}
