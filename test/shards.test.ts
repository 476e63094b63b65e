import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate, migrateLedger } from '../src/store/engine/migrations.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { PostgresStatements } from '../src/store/engine/postgres-statements.ts'
import { WordStatistics } from '../src/store/engine/postgres-statistics.ts'
import { freshLocation, storeLocation } from './engines.ts'

/*
 * The requirements of Citus for tables that are distributed over machines by owner. Citus itself is not used here: a
 * stand-in records the calls that it would receive.
 */

/** Tables without an owner: each machine has a copy. */
const REFERENCE_TABLES = ['migrations', 'secrets']

const SCHEMA = 'n.oid = current_schema()::regnamespace'

test('every table has owners or is a reference table, and every unique key of an owner’s has the owner [postgres]', async () => {
  const { location, remove } = await storeLocation('postgres')
  {
    await using database = await openDatabase(location, 'writer')
    const tables = await database.all<{ name: string; owned: boolean }>(
      `SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid
         AND a.attname = 'owner_id' AND a.attnotnull AND NOT a.attisdropped) AS owned
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${SCHEMA} AND c.relkind = 'r' ORDER BY 1`,
    )
    const unowned = tables.filter(({ owned }) => !owned).map(({ name }) => name)
    assert.deepEqual(unowned, REFERENCE_TABLES)
    const keys = await database.all<{ name: string; is_primary: boolean; columns: string[] }>(
      `SELECT c.relname AS name, i.indisprimary AS is_primary, ARRAY(
         SELECT a.attname::text FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k(no, place)
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.no ORDER BY k.place) AS columns
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE ${SCHEMA} AND i.indisunique`,
    )
    const ofOwners = keys.filter(({ name }) => !REFERENCE_TABLES.includes(name))
    assert.deepEqual(
      ofOwners.filter(({ columns }) => columns[0] !== 'owner_id'),
      [],
    )
    const primary = ofOwners.filter(({ is_primary }) => is_primary).map(({ name }) => name)
    assert.deepEqual(
      tables.map(({ name }) => name).filter(name => !unowned.includes(name) && !primary.includes(name)),
      [],
      'each has a primary key',
    )
    const others = await database.all(
      `SELECT conname AS name FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
       WHERE ${SCHEMA} AND contype IN ('f', 'x') UNION ALL
       SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${SCHEMA} AND relkind = 'S'`,
    )
    assert.deepEqual(others, [], 'no foreign key, exclusion or sequence reaches over owners')
  }
  await remove()
})

const STAND_IN = `
  CREATE TABLE pg_dist_partition (logicalrelid REGCLASS NOT NULL PRIMARY KEY, placed BIGINT NOT NULL, how VARCHAR NOT NULL);
  CREATE FUNCTION create_distributed_table(name REGCLASS, by VARCHAR, colocate_with VARCHAR) RETURNS void LANGUAGE sql
    AS 'INSERT INTO pg_dist_partition SELECT name, count(*), by || '' with '' || colocate_with FROM pg_dist_partition';
  CREATE FUNCTION create_reference_table(name REGCLASS) RETURNS void LANGUAGE sql
    AS 'INSERT INTO pg_dist_partition SELECT name, count(*), ''reference'' FROM pg_dist_partition';
  INSERT INTO pg_dist_partition VALUES ('pg_dist_partition', 0, 'stand-in')`

test('if the server can distribute tables, each is distributed once, after its migration [postgres]', async () => {
  const { location, remove } = await freshLocation('postgres')
  {
    await using database = await openDatabase(location, 'writer')
    await database.define(STAND_IN)
    const placed = () =>
      database.all<{ name: string; how: string }>(
        `SELECT logicalrelid::text AS name, how FROM pg_dist_partition WHERE how <> 'stand-in' ORDER BY placed`,
      )
    await migrate(database)
    const first = await placed()
    assert.deepEqual(first[0], { name: 'owners', how: 'owner_id with default' })
    assert.deepEqual(
      first.filter(({ how }) => how === 'reference').map(({ name }) => name),
      REFERENCE_TABLES,
    )
    const rest = first.slice(1).filter(({ how }) => how !== 'reference')
    assert.ok(rest.some(({ name }) => name === 'later_token_index'))
    assert.deepEqual([...new Set(rest.map(({ how }) => how))], ['owner_id with owners'])
    await migrateLedger(database)
    const ledger = (await placed()).slice(first.length).map(({ name }) => name)
    assert.deepEqual(ledger, ['disclosures', 'ledger_marks', 'line_blocks', 'page_positions'])
    const tables = await database.all(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`,
    )
    assert.equal((await placed()).length, tables.length - 1)
    await migrate(database)
    assert.equal((await placed()).length, tables.length - 1, 'nothing is placed twice')
  }
  await remove()
})

test('lookups by words use the plain owner column on a cluster, and an expression that rules out other indexes elsewhere', async () => {
  for (const is_cluster of [true, false]) {
    const sent: string[] = []
    const connection = {
      query: async ({ text }: { text: string }) => {
        sent.push(text)
        return { rows: [{ n: null }], rowCount: 1 }
      },
    }
    const ways = new WordStatistics({
      query: async () => ({ rows: [{ rows: 1, words: null, shares: null, is_cluster }] }),
    })
    const { words } = new PostgresStatements(connection, { connection, ways })
    await words.match('oann', { word: 'walrus' }, { below: 9, later: true }, 1)
    const [where = ''] = /WHERE .*? AND/.exec(sent.join('')) ?? []
    assert.equal(where, is_cluster ? 'WHERE owner_id = $1 AND' : "WHERE (owner_id || '') = $1 AND")
  }
})

/** A join with a separate select. */
const SELECTED = /\bJOIN\s*\(\s*SELECT(?:[^()]|\([^()]*\))*\)/g
const JOIN = /\bJOIN\b([\s\S]*?)(?=\b(?:LEFT JOIN|JOIN|WHERE|GROUP BY|ORDER BY)\b|$)/g
/**
 * Joins that are exempt: only on SQLite, of the catalog, and one in which both sides name the owner.
 */
const OTHER_JOINS = [
  'engine/sqlite-statements.ts',
  'engine/postgres-statistics.ts',
  'transfer/integrity.ts',
  'records/by-time.ts',
]

test('tables of owners are joined by owner', () => {
  const root = join(import.meta.dirname, '../src/store')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts') && !OTHER_JOINS.some(other => file.startsWith(other)),
  )
  const joins = files.flatMap(file => {
    const code = readFileSync(join(root, file), 'utf8')
    const texts = [...code.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g)]
    return texts
      .flatMap(([, long = '', short = '']) => [
        ...`${long}${short}`.replaceAll(SELECTED, 'JOIN').matchAll(JOIN),
      ])
      .map(([, joined = '']) => ({ file, joined }))
  })
  assert.ok(joins.length > 15, `${joins.length} joins`)
  const without = joins.filter(
    ({ joined }) => !/(\w+)\.owner_id = (?!\1\.)\w+\.owner_id|USING \(owner_id,/.test(joined),
  )
  assert.deepEqual(without, [])
})
