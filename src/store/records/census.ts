import { IMPORT_STATES, type ImportState } from '../../api/owner/imports.ts'
import type { Queryable } from '../engine/database.ts'

export interface Census {
  connections: number
  records: number
  imports: Record<ImportState, number>
}

/** How much data an owner has, as numbers only. */
export async function census(db: Queryable, owner_id: string): Promise<Census> {
  const [connections, records, imports] = await Promise.all([
    db.get<{ n: number }>('SELECT COUNT(*) AS n FROM connections WHERE owner_id = ?', [owner_id]),
    db.get<{ n: number }>('SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS n FROM tallies WHERE owner_id = ?', [
      owner_id,
    ]),
    db.all<{ state: ImportState; n: number }>(
      'SELECT state, COUNT(*) AS n FROM imports WHERE owner_id = ? GROUP BY state',
      [owner_id],
    ),
  ])
  const of = (state: ImportState) => imports.find(row => row.state === state)?.n ?? 0
  return {
    connections: connections?.n ?? 0,
    records: records?.n ?? 0,
    imports: Object.fromEntries(IMPORT_STATES.map(state => [state, of(state)])) as Census['imports'],
  }
}
