import { grantsField, placeKey, type Source } from '../../model/access/enforce.ts'
import {
  type ConversationDeclaration,
  fieldsWithRole,
  fieldWithRole,
  searchedFields,
  timeField,
} from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import { describesPerson } from '../../model/reading/people.ts'
import { PLACE_WEIGHT, TITLE_WEIGHT } from '../../model/search/tuning.ts'
import type { Queryable, Transaction, View } from '../engine/database.ts'

/** A selected source and what search needs to know about it. */
export interface SearchSource extends SelectedSource {
  /** The key of its connection and stream. */
  key: string
  /** Its index among the selected sources. */
  index: number
  /** The source as index rows see it: record keys in place of record ids. */
  rowSource: Source
  /** Searchable fields that the grant allows in some record, with their codes. */
  codes: Map<string, number>
  /** The field with the title, if it is searchable. */
  title: string | null
  /** Whether its records describe a person each. */
  isCard: boolean
  /** Searchable fields that name the author. */
  authors: readonly string[]
  /** Searchable fields that only say where the record is: its channel, its folder. */
  places: readonly string[]
  timeField: string | null
  /** Null unless all fields that define its conversations may be seen. */
  conversation: ConversationDeclaration | null
  /** The open fields for each set of visible fields, computed once. */
  opened: Map<ReadonlySet<string> | null, OpenFields>
}

/** The searchable fields that may be seen. */
export interface OpenFields {
  fields: ReadonlySet<string>
  codes: readonly number[]
  /** How much a word counts in each field, by field code; a hidden field has no weight. */
  weights: readonly number[]
  /** The weight of the title, which also counts in the later rows of its record, by field code. */
  titleWeights: readonly number[]
  /** The weights of the fields that name the author of the record, by field code. */
  authorWeights: readonly number[]
}

export function openFields(
  { codes, title, authors, places }: SearchSource,
  visible: ReadonlySet<string> | null,
): OpenFields {
  const open = [...codes].filter(([field]) => visible === null || visible.has(field))
  const weights: number[] = []
  const titleWeights: number[] = []
  const authorWeights: number[] = []
  for (const [field, code] of open) {
    weights[code] = field === title ? TITLE_WEIGHT : places.includes(field) ? PLACE_WEIGHT : 1
    if (field === title) titleWeights[code] = TITLE_WEIGHT
    if (authors.includes(field)) authorWeights[code] = 1
  }
  const fields = new Set(open.map(([field]) => field))
  return { fields, codes: codesOf(codes, visible), weights, titleWeights, authorWeights }
}

/** The codes of the fields that are visible, in ascending order. */
export function codesOf(codes: ReadonlyMap<string, number>, fields: ReadonlySet<string> | null): number[] {
  const open = [...codes].flatMap(([field, code]) => (fields === null || fields.has(field) ? [code] : []))
  return open.sort((a, b) => a - b)
}

export function searchSource(
  { source, conditions }: SelectedSource,
  index: number,
  conversation: ConversationDeclaration | null,
  codes: ReadonlyMap<string, number>,
): SearchSource {
  const open = searchedFields(source.stream).filter(field => grantsField(source, field) && codes.has(field))
  const clauses = source.clauses.map(clause => ({
    ...clause,
    record_ids: clause.record_ids && new Set([...clause.record_ids].map(recordKey)),
  }))
  const titled = fieldWithRole(source.stream, 'primary-title')
  return {
    key: placeKey(source.connection_id, source.stream.name),
    source,
    conditions,
    index,
    rowSource: { ...source, clauses },
    codes: new Map(open.map(name => [name, codes.get(name) ?? 0])),
    title: titled !== undefined && open.includes(titled) ? titled : null,
    isCard: describesPerson(source.stream),
    authors: fieldsWithRole(source.stream, ['actor']).filter(field => open.includes(field)),
    places: fieldsWithRole(source.stream, ['place']).filter(
      field => open.includes(field) && field !== titled,
    ),
    timeField: timeField(source.stream) ?? null,
    conversation,
    opened: new Map(),
  }
}

/** The short codes of field names in the index; a new name gets a new code. */
export async function fieldCodes(
  transaction: Transaction,
  owner_id: string,
  fields: readonly string[],
): Promise<Map<string, number>> {
  const codes = await readFieldCodes(transaction, owner_id)
  for (const field of fields) {
    if (codes.has(field)) continue
    codes.set(field, codes.size + 1)
    await transaction.run('INSERT INTO search_fields (owner_id, field, code) VALUES (?, ?, ?)', [
      owner_id,
      field,
      codes.size,
    ])
  }
  return codes
}

const codesOfOwners = new WeakMap<object, Map<string, Map<string, number>>>()

/** The codes of fields that have been indexed. A code never changes, so it is read once. */
export async function knownFieldCodes(
  database: View,
  owner_id: string,
  fields: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const owners = codesOfOwners.get(database.identity) ?? new Map()
  codesOfOwners.set(database.identity, owners)
  const known = owners.get(owner_id)
  if (known && fields.every(field => known.has(field))) return known
  const codes = await readFieldCodes(database, owner_id)
  owners.set(owner_id, codes)
  return codes
}

async function readFieldCodes(database: Queryable, owner_id: string): Promise<Map<string, number>> {
  const rows = await database.all<{ field: string; code: number }>(
    'SELECT field, code FROM search_fields WHERE owner_id = ?',
    [owner_id],
  )
  return new Map(rows.map(({ field, code }) => [field, code]))
}
