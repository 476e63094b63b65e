import type { Shown } from '../../model/access/shown.ts'
import type { Database } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import type { Row } from '../engine/table.ts'
import { DISCLOSURES } from './tables.ts'

export interface Disclosure {
  at: string
  request_id: string
  client_id: string
  grant_ids: string[]
  route: string
  shown: Shown[]
}

/** What was shown is JSON here. */
export type NewDisclosure = Omit<Disclosure, 'shown'> & { shown: string }

export interface DisclosureQuery {
  owner_id: string
  client_id: string | null
  since: string | null
  until: string | null
  /** Continues after this disclosure; the newest come first. */
  after: string | null
  limit: number
}

/** The ledger's writing end. What requests disclose at the same moment is written together. */
export class Ledger {
  readonly database: Database
  #waiting: Row<typeof DISCLOSURES>[] = []
  #flush: Promise<void> | null = null

  constructor(database: Database) {
    this.database = database
  }

  /** Has written the disclosure when it returns, without waiting for the disk; the response leaves after that. */
  add(owner_id: string, disclosure: NewDisclosure): Promise<void> {
    this.#waiting.push({
      ...disclosure,
      owner_id,
      disclosure_id: timeOrderedId(new Date(disclosure.at)),
      grant_ids: disclosure.grant_ids.join(' '),
    })
    this.#flush ??= this.#write()
    return this.#flush
  }

  async #write(): Promise<void> {
    await new Promise(setImmediate)
    const rows = this.#waiting
    this.#waiting = []
    this.#flush = null
    if (rows.length === 1) await this.database.insert(DISCLOSURES, rows)
    else await this.database.transaction(transaction => transaction.insert(DISCLOSURES, rows))
  }
}

export async function listDisclosures(
  ledger: Database,
  query: DisclosureQuery,
): Promise<(Disclosure & { disclosure_id: string })[]> {
  const where = ['owner_id = ?']
  const params: (string | number)[] = [query.owner_id]
  const add = (sql: string, value: string | null) => {
    if (value === null) return
    where.push(sql)
    params.push(value)
  }
  add('disclosure_id < ?', query.after)
  add('client_id = ?', query.client_id)
  add('at >= ?', query.since)
  add('at < ?', query.until)
  const rows = await ledger.all<Omit<Row<typeof DISCLOSURES>, 'owner_id'>>(
    `SELECT disclosure_id, at, request_id, client_id, grant_ids, route, shown FROM disclosures
     WHERE ${where.join(' AND ')} ORDER BY disclosure_id DESC LIMIT ?`,
    [...params, query.limit],
  )
  return rows.map(row => ({ ...row, grant_ids: row.grant_ids.split(' '), shown: JSON.parse(row.shown) }))
}
