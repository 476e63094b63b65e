import { allEnded } from '../../budget/all-ended.ts'
import type { Database } from '../../engine/database.ts'
import type { SearchSource } from '../open-fields.ts'

/** The sources known to have a record in a conversation, by database and owner. */
const seen = new WeakMap<object, Set<string>>()

/**
 * Which of the sources have a record in a conversation, visible or not: in the others there are no neighbours to look
 * for. This only saves work: many sources declare conversations, and a store may have no records in any of them.
 */
export async function conversingSources(
  database: Database,
  owner_id: string,
  sources: ReadonlySet<SearchSource>,
): Promise<Set<SearchSource>> {
  const known = seen.get(database.identity) ?? new Set()
  seen.set(database.identity, known)
  const keyOf = ({ key }: SearchSource) => `${owner_id}/${key}`
  const asked = [...sources].filter(source => !known.has(keyOf(source)))
  const found = await allEnded(
    asked.map(({ source: { connection_id, stream } }) =>
      database.get(EXISTS, [owner_id, connection_id, stream.name, owner_id, connection_id, stream.name]),
    ),
  )
  for (const [i, source] of asked.entries()) if (found[i]) known.add(keyOf(source))
  return new Set([...sources].filter(source => known.has(keyOf(source))))
}

/** In index order, so that PostgreSQL reads one index entry. */
const EXISTS = ['thread_key', 'place_key']
  .map(
    column => `SELECT record_key FROM (SELECT record_key FROM records
      WHERE owner_id = ? AND connection_id = ? AND stream = ? AND ${column} IS NOT NULL
      ORDER BY ${column} LIMIT 1) AS by_${column}`,
  )
  .join(' UNION ALL ')
