import { grantsField, type Source } from '../../model/access/enforce.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { timeField } from '../records/records.ts'
import { searchedFields } from './indexing.ts'

/** A source with what search needs to know about it; its record ids are keys here. */
export interface SearchSource {
  source: Source
  /** Searchable fields that the grant opens somewhere, with their codes. */
  codes: Map<string, number>
  /** The field with the title, if it is searchable. */
  title: string | null
  timeField: string | null
  /** What was worked out for sets of visible fields. */
  opened: Map<ReadonlySet<string> | null, OpenFields>
}

/** The searchable fields that may be seen. */
export interface OpenFields {
  fields: ReadonlySet<string>
  codes: readonly number[]
  /** How much a word counts in each field, by the field's code; hidden fields have no weight. */
  weights: readonly number[]
  /** The same for what the title adds to later rows. */
  titleWeights: readonly number[]
}

const TITLE_WEIGHT = 2

export function openFields({ codes, title }: SearchSource, visible: ReadonlySet<string> | null): OpenFields {
  const open = [...codes].filter(([field]) => visible === null || visible.has(field))
  const weights: number[] = []
  const titleWeights: number[] = []
  for (const [field, code] of open) {
    weights[code] = field === title ? TITLE_WEIGHT : 1
    if (field === title) titleWeights[code] = TITLE_WEIGHT
  }
  const fields = new Set(open.map(([field]) => field))
  return { fields, codes: open.map(([, code]) => code).sort((a, b) => a - b), weights, titleWeights }
}

/** The codes of those fields that are visible. */
export function codesOf(codes: ReadonlyMap<string, number>, fields: ReadonlySet<string> | null): number[] {
  const open = [...codes].flatMap(([field, code]) => (fields === null || fields.has(field) ? [code] : []))
  return open.sort((a, b) => a - b)
}

export function prepare(source: Source, codes: ReadonlyMap<string, number>): SearchSource {
  const open = searchedFields(source.stream).filter(field => grantsField(source, field) && codes.has(field))
  const clauses = source.clauses.map(clause => ({
    ...clause,
    record_ids: clause.record_ids && new Set([...clause.record_ids].map(recordKey)),
  }))
  const field = open.find(name => source.stream.schema.properties[name]?.x_pdpp_role === 'primary-title')
  return {
    source: { ...source, clauses },
    codes: new Map(open.map(name => [name, codes.get(name) ?? 0])),
    title: field ?? null,
    timeField: timeField(source.stream) ?? null,
    opened: new Map(),
  }
}

export function placeKey(connection_id: string, stream: string): string {
  return `${connection_id}/${stream}`
}
