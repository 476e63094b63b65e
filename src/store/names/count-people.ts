import type { Catalog } from '../../model/access/enforce.ts'
import { LONGEST_NAME, peopleFields } from '../../model/reading/people.ts'
import { spelledWords } from '../../model/reading/role-test.ts'
import type { Queryable } from '../engine/database.ts'
import { BuiltNames, holdingWords } from './find-names.ts'

/** Up to this many records that have several of the names are deduplicated one by one. */
const MOST_TOLD_APART = 10_000

interface Asked {
  owner_id: string
  catalog: Pick<Catalog, 'connections'>
  /** Addresses and names of one person. */
  people: readonly string[]
}

/**
 * In how many records of each connection a person is named, as the owner sees it; null if that would have to be counted
 * record by record.
 */
export async function countByConnection(
  database: Queryable,
  { owner_id, catalog, people }: Asked,
): Promise<Map<string, number | null>> {
  const names = new Map<number, { connection_id: string; n: number }>()
  const possible = people.filter(({ length }) => length <= LONGEST_NAME)
  for (const words of possible.map(spelledWords).filter(each => each.length > 0)) {
    const { sql, patterns } = holdingWords(words)
    const rows = await database.all<{ name_no: number; connection_id: string; n: number }>(
      `SELECT name_no, connection_id, n FROM names WHERE owner_id = ? AND ${sql}`,
      [owner_id, ...patterns],
    )
    for (const { name_no, ...row } of rows) names.set(name_no, row)
  }
  const unbuilt = await notBuilt(database, { owner_id, catalog })
  const counts = new Map<string, number | null>()
  const several: number[] = []
  for (const { connection_id } of catalog.connections) {
    const own = [...names].filter(([, name]) => name.connection_id === connection_id)
    const most = own.reduce((sum, [, { n }]) => sum + n, 0)
    const isCounted = !unbuilt.has(connection_id) && (own.length < 2 || most <= MOST_TOLD_APART)
    counts.set(connection_id, isCounted ? most : null)
    if (isCounted && own.length > 1) for (const [name_no] of own) several.push(name_no)
  }
  if (several.length === 0) return counts
  // As an expression it is checked only for the names found: otherwise SQLite would go through the whole list for each
  // of them.
  const told = await database.all<{ connection_id: string; n: number }>(
    `SELECT connection_id, CAST(count(*) AS BIGINT) AS n FROM (
       SELECT DISTINCT n.connection_id, n.stream, r.record_key
       FROM names n JOIN name_records r ON r.owner_id = n.owner_id AND r.name_no = n.name_no
       WHERE n.owner_id = ? AND ${database.oneOf('(n.name_no + 0)', 'bigint')}
     ) AS t GROUP BY connection_id`,
    [owner_id, database.list(several)],
  )
  for (const { connection_id, n } of told) counts.set(connection_id, n)
  return counts
}

/** Connections with a stream whose names are not all written yet. */
async function notBuilt(
  database: Queryable,
  { owner_id, catalog }: Pick<Asked, 'owner_id' | 'catalog'>,
): Promise<Set<string>> {
  const built = await BuiltNames.read(database, owner_id)
  const unbuilt = catalog.connections.filter(({ connection_id, declaration }) =>
    declaration.streams.some(
      stream => built.have(connection_id, stream.name, peopleFields(stream)) === false,
    ),
  )
  return new Set(unbuilt.map(({ connection_id }) => connection_id))
}
