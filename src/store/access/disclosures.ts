import type { Shown } from '../../model/access/shown.ts'
import type { Database, Params, Table } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'

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
  /** Goes on behind this disclosure; the newest come first. */
  after: string | null
  limit: number
}

interface DisclosureRow {
  disclosure_id: string
  at: string
  request_id: string
  client_id: string
  grant_ids: string
  route: string
  shown: string
}

export const DISCLOSURES: Table = {
  name: 'disclosures',
  key: ['owner_id', 'disclosure_id'],
  columns: {
    owner_id: 'text',
    disclosure_id: 'text',
    at: 'text',
    request_id: 'text',
    client_id: 'text',
    grant_ids: 'text',
    route: 'text',
    shown: 'text',
  },
}

/** The ledger's writing end. What requests disclose at the same moment is written together. */
export class Ledger {
  readonly database: Database
  #waiting: Params[] = []
  #flush: Promise<void> | null = null

  constructor(database: Database) {
    this.database = database
  }

  /** Has written the disclosure when it returns, without waiting for the disk; the response leaves after that. */
  add(owner_id: string, disclosure: NewDisclosure): Promise<void> {
    this.#waiting.push([
      owner_id,
      timeOrderedId(new Date(disclosure.at)),
      disclosure.at,
      disclosure.request_id,
      disclosure.client_id,
      disclosure.grant_ids.join(' '),
      disclosure.route,
      disclosure.shown,
    ])
    this.#flush ??= this.#write()
    return this.#flush
  }

  async #write(): Promise<void> {
    await new Promise(setImmediate)
    const rows = this.#waiting
    this.#waiting = []
    this.#flush = null
    if (rows.length === 1) await this.database.upsert(DISCLOSURES, rows)
    else await this.database.transaction(transaction => transaction.upsert(DISCLOSURES, rows))
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
  const rows = await ledger.all<DisclosureRow>(
    `SELECT disclosure_id, at, request_id, client_id, grant_ids, route, shown FROM disclosures
     WHERE ${where.join(' AND ')} ORDER BY disclosure_id DESC LIMIT ?`,
    [...params, query.limit],
  )
  return rows.map(row => ({ ...row, grant_ids: row.grant_ids.split(' '), shown: JSON.parse(row.shown) }))
}
