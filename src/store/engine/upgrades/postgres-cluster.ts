import type { Queryable } from '../database.ts'

/** Holds where the server is Citus, which spreads tables over several machines. */
export const IS_CLUSTER = `EXISTS (
  SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table' AND pg_function_is_visible(oid))`

/** Tables without a place of their own, the owners first, because the others are placed with them. */
const TABLES = `SELECT c.relname AS name, EXISTS (
    SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'owner_id' AND NOT attisdropped) AS owned
  FROM pg_class AS c
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
  ORDER BY c.relname <> 'owners', c.relname`

/**
 * Places new tables of a cluster: the rows of an owner on one machine, in whatever table they are; a table without owners
 * on each machine. On another server there is nothing to do.
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
