import { invalidRequest } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Database, Queryable } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { deleteRows, listRows } from '../engine/rows.ts'
import { OWNER_ITEMS } from './tables.ts'

/** The kinds of items that the owner saves in the console. */
type OwnerItemKind = 'search' | 'person' | 'alert'

/** Far more than an owner creates by hand. */
const MOST_OF_A_KIND = 1_000

interface Named {
  owner_id: string
  kind: OwnerItemKind
}

export interface OwnerItem {
  item_id: string
  created_at: string
  content: Json
}

/** What the owner saved in the console, in order of creation. It never affects what clients get. */
export async function listItems(database: Queryable, { owner_id, kind }: Named): Promise<OwnerItem[]> {
  const columns = ['item_id', 'created_at', 'content'] as const
  const rows = await listRows(database, OWNER_ITEMS, columns, { owner_id, kind }, ['created_at', 'item_id'])
  return rows.map(row => ({ ...row, content: JSON.parse(row.content) as Json }))
}

/** Stores a new item, or new content for an existing one. */
export function keepItem(
  database: Database,
  { owner_id, kind, content, now, ...named }: Named & { item_id?: string; content: Json; now: string },
): Promise<OwnerItem> {
  return lockedTransaction(database, owner_id, async transaction => {
    const count = await transaction.get<{ n: number }>(
      'SELECT count(*) AS n FROM owner_items WHERE owner_id = ? AND kind = ?',
      [owner_id, kind],
    )
    if (Number(count?.n) >= MOST_OF_A_KIND)
      throw invalidRequest(`There are ${MOST_OF_A_KIND} of these already. Remove some.`)
    const item_id = named.item_id ?? randomId('itm_', 10)
    await transaction.upsert(OWNER_ITEMS, [
      { owner_id, kind, item_id, created_at: now, content: JSON.stringify(content) },
    ])
    return { item_id, created_at: now, content }
  })
}

/** False if there is no such item. */
export async function dropItem(
  database: Database,
  { owner_id, kind, item_id }: Named & { item_id: string },
): Promise<boolean> {
  return (await deleteRows(database, OWNER_ITEMS, { owner_id, kind, item_id })) > 0
}
