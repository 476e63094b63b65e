import type { Queryable } from '../database.ts'

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
