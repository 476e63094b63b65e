import type { Queryable } from '../database.ts'
import { TOKEN_INDEXES } from '../word-index.ts'

/**
 * The word index has another column: the block that a row is in, of an owner's rows in their order. So a lookup in the
 * newest rows skips the postings of all others, instead of reading them.
 */
export const ROWS_OF_BLOCK = 4_096

/** As an array, because PostgreSQL's own index of words takes no plain value beside them. */
export const BLOCKS_OF_ROW = `ARRAY[owner_id || ':' || (row_id / ${ROWS_OF_BLOCK})::text]`

/** The blocks of the rows at or above one number and below another. */
export function blocksOf(owner_id: string, from: number, below: number): string[] {
  const first = blockOf(from)
  const count = Math.max(0, blockOf(below - 1) - first + 1)
  return Array.from({ length: count }, (_, n) => `${owner_id}:${first + n}`)
}

/** The first row of the block that a row is in. */
export function startOfBlock(row_id: number): number {
  return blockOf(row_id) * ROWS_OF_BLOCK
}

function blockOf(row_id: number): number {
  return Math.floor(Math.max(0, row_id) / ROWS_OF_BLOCK)
}

/**
 * Words that fit into a page are not compressed: a lookup by rows reads the words of each row, and decompressing them
 * would take most of its time.
 */
const TABLES_OF_WORDS = TOKEN_INDEXES.map(
  name => `CREATE TABLE ${name} (
      owner_id TEXT NOT NULL, row_id BIGINT NOT NULL, time_key TEXT, words TSVECTOR NOT NULL,
      PRIMARY KEY (owner_id, row_id)
    ) WITH (toast_tuple_target = 8160);`,
).join('\n')

/**
 * Blocks only of first rows: later ones are looked up among few. The server keeps statistics of ten thousand words
 * instead of one thousand: words in half a per cent of a million rows are not rare, and treating them as rare is slow.
 * Its ANALYZE then takes a few seconds longer.
 */
const TOKEN_INDEX = `${TABLES_OF_WORDS}
  CREATE INDEX token_index_words ON token_index USING gin (words, (${BLOCKS_OF_ROW}));
  CREATE INDEX later_token_index_words ON later_token_index USING gin (words);
  ALTER TABLE token_index ALTER COLUMN words SET STATISTICS 1000;`

/** The statements of a migration in PostgreSQL's dialect. */
export function definitionsOf(sql: string): string[] {
  return sql
    .replace('CREATE TOKEN INDEX;', TOKEN_INDEX)
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll('BYTES', 'BYTEA')
    .replaceAll('/* clustered */', '')
    .split(';')
    .filter(statement => statement.trim() !== '')
}

/** True if the server is Citus, which distributes tables over several machines. */
export const IS_CLUSTER = `EXISTS (
  SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table' AND pg_function_is_visible(oid))`

/** Tables that are not yet distributed, the owners first, because the others are co-located with them. */
const TABLES = `SELECT c.relname AS name, EXISTS (
    SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'owner_id' AND NOT attisdropped) AS owned
  FROM pg_class AS c
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
  ORDER BY c.relname <> 'owners', c.relname`

/**
 * Distributes new tables of a cluster: all rows of an owner are on one machine, whatever the table; a table without
 * owners is copied to each machine. On other servers it does nothing.
 */
export async function placeTables(database: Pick<Queryable, 'get' | 'all'>): Promise<void> {
  const server = await database.get<{ is: boolean }>(`SELECT ${IS_CLUSTER} AS is`)
  if (!server?.is) return
  for (const { name, owned } of await database.all<{ name: string; owned: boolean }>(TABLES)) {
    if (owned) await database.get(distributed(name))
    else await database.get(`SELECT create_reference_table('${name}')`)
  }
}

function distributed(name: string): string {
  const place = name === 'owners' ? 'default' : 'owners'
  return `SELECT create_distributed_table('${name}', 'owner_id', colocate_with => '${place}')`
}
