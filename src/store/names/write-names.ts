import { fieldWithRole, type StreamDeclaration } from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { JsonObject } from '../../model/json.ts'
import { LONGEST_NAME, type Named, namedIn, peopleFields, personOf } from '../../model/reading/people.ts'
import { spelledWords } from '../../model/reading/role-test.ts'
import { RecentlyUsed } from '../../model/recently-used.ts'
import type { Queryable, Transaction } from '../engine/database.ts'
import { reserveNumbers } from '../engine/owner-row.ts'
import type { Row } from '../engine/table.ts'
import { NAME_RECORDS, NAMES } from './tables.ts'

/*
 * Who is named in which records: each distinct text of a field that names people is stored once per stream, with its
 * words, and separately the records that contain it, by time. So what a person wrote or received is found without
 * reading other records, and only through fields that a reader may see.
 */

/** Batches of an import name the same people. */
const MOST_RECENT = 1_000

/** A stream of a connection that is written to. */
export interface StreamTarget {
  owner_id: string
  connection_id: string
  stream: StreamDeclaration
}

/** The parts of a record that its names come from. */
interface Placed {
  record_key: string
  time_key: string | null
  data: JsonObject
}

/** A record before and after a change; null if it does not exist. */
export interface NamesChange {
  before: Placed | null
  after: Placed | null
}

type NameRow = Row<typeof NAMES>
type NameRecord = Row<typeof NAME_RECORDS>

/** Updates the names of changed records, in the transaction that changes or indexes them. */
export async function writeNames(
  transaction: Transaction,
  { owner_id, connection_id, stream }: StreamTarget,
  changes: readonly NamesChange[],
): Promise<void> {
  const place = { owner_id, connection_id, stream: stream.name }
  const writer = fieldWithRole(stream, 'actor')
  const rows = new Map<string, NameRow>()
  const rowOf = ({ field, text }: Named): NameRow => {
    const name_key = recordKey(JSON.stringify([field, text]))
    const known = rows.get(name_key)
    if (known) return known
    const row = {
      ...place,
      name_key,
      name_no: 0,
      field: recordKey(field),
      ...factsOf(text),
      wrote: field === writer ? 1 : 0,
      n: 0,
    }
    rows.set(name_key, row)
    return row
  }
  const fields = peopleFields(stream)
  // Another version of the declaration may have named people in other fields.
  const before = changes.flatMap(({ before: each }) =>
    each ? namedIn(each.data, Object.keys(each.data)).map(named => ({ each, row: rowOf(named) })) : [],
  )
  const after = changes.flatMap(({ after: each }) =>
    each ? namedIn(each.data, fields).map(named => ({ each, row: rowOf(named) })) : [],
  )
  if (rows.size === 0) return
  const current = await enterNumbers(transaction, rows)
  for (const { each, row } of before) if (row.name_no !== 0) row.n -= await remove(transaction, row, each)
  const named = new Set(after.map(({ row }) => row))
  await numberNew(
    transaction,
    [...named].filter(({ name_no }) => name_no === 0),
  )
  for (const { row } of after) row.n++
  const fewer = [...rows.values()].filter(({ n }) => n < 0)
  const { same = [], other = [] } = Object.groupBy(new Set([...named, ...fewer]), row =>
    current.has(row) ? 'same' : 'other',
  )
  await transaction.upsert(NAMES, same, COUNT)
  await transaction.upsert(NAMES, other, `${COUNT}, ${FACTS}`)
  await transaction.insert(
    NAME_RECORDS,
    after.map(({ each, row }) => recordOf(row, each)),
  )
  if (fewer.length > 0)
    await transaction.run(
      `DELETE FROM names WHERE owner_id = ? AND connection_id = ? AND stream = ?
         AND ${transaction.oneOf('name_key', 'text')} AND n <= 0`,
      [owner_id, connection_id, stream.name, transaction.list(fewer.map(({ name_key }) => name_key))],
    )
}

type NameFacts = Pick<NameRow, 'text' | 'person' | 'words'>
const recentFacts = new RecentlyUsed<NameFacts>(MOST_RECENT)

function factsOf(text: string): NameFacts {
  const facts = recentFacts.get(text, () => {
    const name = text.length <= LONGEST_NAME ? text : ''
    return { text: name, person: personOf(name), words: ` ${spelledWords(text).flat().join(' ')} ` }
  })
  recentFacts.takeExcess()
  return facts
}

const COUNT = 'n = t.n + excluded.n'
const FACTS = 'person = excluded.person, words = excluded.words, wrote = excluded.wrote'

function recordOf({ owner_id, name_no }: NameRow, { time_key, record_key }: Placed): NameRecord {
  return { owner_id, name_no, time_key: time_key ?? '', record_key }
}

/** Returns how many rows were removed: none for a record that has not been indexed yet. */
function remove(transaction: Transaction, row: NameRow, each: Placed): Promise<number> {
  const { owner_id, name_no, time_key, record_key } = recordOf(row, each)
  return transaction.run(
    'DELETE FROM name_records WHERE owner_id = ? AND name_no = ? AND time_key = ? AND record_key = ?',
    [owner_id, name_no, time_key, record_key],
  )
}

/**
 * Returns the names that are already stored exactly as they would be written now, except for the number of their
 * records.
 */
async function enterNumbers(
  transaction: Queryable,
  rows: ReadonlyMap<string, NameRow>,
): Promise<ReadonlySet<NameRow>> {
  const current = new Set<NameRow>()
  const [first] = rows.values()
  if (!first) return current
  const known = await transaction.all<Pick<NameRow, 'name_key' | 'name_no' | 'person' | 'words' | 'wrote'>>(
    `SELECT name_key, name_no, person, words, wrote FROM names WHERE owner_id = ? AND connection_id = ? AND stream = ?
       AND ${transaction.oneOf('name_key', 'text')}`,
    [first.owner_id, first.connection_id, first.stream, transaction.list([...rows.keys()])],
  )
  for (const { name_key, name_no, person, words, wrote } of known) {
    const row = rows.get(name_key)
    if (!row) continue
    row.name_no = name_no
    if (row.person === person && row.words === words && row.wrote === wrote) current.add(row)
  }
  return current
}

async function numberNew(transaction: Transaction, rows: readonly NameRow[]): Promise<void> {
  const [first] = rows
  if (!first) return
  let next = await reserveNumbers(transaction, first.owner_id, 'name_seq', rows.length)
  for (const row of rows) row.name_no = next++
}
