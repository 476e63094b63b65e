import { CodedError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { schemaProblem } from './schema.ts'

export const RANGE_OPERATORS = ['gte', 'gt', 'lte', 'lt'] as const
export type RangeOperator = (typeof RANGE_OPERATORS)[number]

export interface Property extends JsonObject {
  type: string | string[]
  format: string
  contentMediaType: string
  x_pdpp_role: string
}

export interface StreamDeclaration {
  name: string
  semantics?: string
  display?: { label?: string; detail?: string }
  schema: JsonObject & { properties: Record<string, Partial<Property>>; required?: string[] }
  primary_key: string[]
  cursor_field?: string
  consent_time_field?: string
  selection?: { fields?: boolean; resources?: boolean }
  views?: { id: string; label?: string; fields: string[] }[]
  query?: {
    search?: { lexical_fields?: string[] }
    range_filters?: Record<string, RangeOperator[]>
    aggregations?: {
      count?: boolean
      sum?: string[]
      min?: string[]
      max?: string[]
      count_distinct?: string[]
      group_by?: string[]
      group_by_time?: string[]
    }
  }
}

/** A connector's own description of its streams, in the protocol's field names; unknown keys are kept. */
export interface Declaration {
  protocol_version?: string
  connector_key: string
  version: string
  display_name: string
  streams: StreamDeclaration[]
}

export function fieldNames(stream: StreamDeclaration): string[] {
  return Object.keys(stream.schema.properties)
}

export function propertyOf(stream: StreamDeclaration, field: string): Partial<Property> | undefined {
  return Object.hasOwn(stream.schema.properties, field) ? stream.schema.properties[field] : undefined
}

export function typesOf(property: Partial<Property> | undefined): string[] {
  const type = property?.type
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}

export function rangeOperators(stream: StreamDeclaration, field: string): RangeOperator[] {
  const declared = stream.query?.range_filters ?? {}
  return Object.hasOwn(declared, field) ? (declared[field] ?? []) : []
}

/** The format that a field's texts are read by; a consent time is a time even when it does not say so. */
export function formatOf(stream: StreamDeclaration, field: string): string | undefined {
  return propertyOf(stream, field)?.format ?? (field === stream.consent_time_field ? 'date-time' : undefined)
}

export function fieldWithRole(stream: StreamDeclaration, role: string): string | undefined {
  return fieldNames(stream).find(name => stream.schema.properties[name]?.x_pdpp_role === role)
}

export function streamOf(declaration: Declaration, name: string): StreamDeclaration | undefined {
  return declaration.streams.find(stream => stream.name === name)
}

/** Checks a whole declaration; the error lists every reason at once. */
export function parseDeclaration(input: Json): Declaration {
  const problems: string[] = []
  if (!isObject(input)) throw refused(['the declaration is not a JSON object'])
  if (typeof input.connector_key !== 'string' || !/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(input.connector_key)) {
    problems.push('connector_key: 1 to 64 of a-z, 0-9, "_", "." and "-"')
  }
  if (typeof input.version !== 'string' || input.version === '' || input.version.length > 64) {
    problems.push('version: a text of 1 to 64 characters')
  }
  if (typeof input.display_name !== 'string' || input.display_name === '') {
    problems.push('display_name: a text')
  }
  const streams = Array.isArray(input.streams) ? input.streams : []
  if (streams.length === 0) problems.push('streams: a list of at least one stream')
  const names = new Set<string>()
  for (const [index, stream] of streams.entries()) {
    const place =
      isObject(stream) && typeof stream.name === 'string' ? `streams.${stream.name}` : `streams[${index}]`
    if (isObject(stream) && typeof stream.name === 'string') {
      if (names.has(stream.name)) problems.push(`${place}: declared twice`)
      names.add(stream.name)
    }
    problems.push(...streamProblems(stream).map(problem => `${place}: ${problem}`))
  }
  if (problems.length > 0) throw refused(problems)
  return input as unknown as Declaration
}

function refused(reasons: string[]): CodedError {
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more, see reasons)` : ''
  return new CodedError('invalid_declaration', `The declaration is refused: ${reasons[0]}${more}`, {
    reasons,
  })
}

function streamProblems(stream: Json): string[] {
  if (!isObject(stream)) return ['not an object']
  const problems: string[] = []
  if (typeof stream.name !== 'string' || !isStreamName(stream.name)) {
    problems.push('name: 1 to 128 characters without "/", "\\", ":", "..", spaces or control characters')
  }
  const schema = stream.schema
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties)) {
    return [...problems, 'schema: a JSON Schema with type "object" and properties']
  }
  const invalid = schemaProblem(schema)
  if (invalid) problems.push(`schema: ${invalid}`)
  const properties = schema.properties
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) problems.push(`schema.properties.${name}: not an object`)
  }
  const declared = (name: Json | undefined, place: string) => {
    if (typeof name !== 'string' || !Object.hasOwn(properties, name)) {
      problems.push(`${place}: ${JSON.stringify(name)} is not a field of the schema`)
      return false
    }
    return true
  }
  const listed = (names: Json | undefined, place: string) => {
    if (names === undefined) return
    if (Array.isArray(names)) for (const name of names) declared(name, place)
    else problems.push(`${place}: a list of fields`)
  }
  if (!Array.isArray(stream.primary_key) || stream.primary_key.length === 0) {
    problems.push('primary_key: a list of at least one field')
  } else listed(stream.primary_key, 'primary_key')
  if (stream.cursor_field !== undefined && declared(stream.cursor_field, 'cursor_field')) {
    const types = typesOf(properties[stream.cursor_field as string] as Partial<Property>)
    if (types.includes('object') || types.includes('array')) problems.push('cursor_field: not a scalar field')
  }
  if (stream.consent_time_field !== undefined && declared(stream.consent_time_field, 'consent_time_field')) {
    const property = properties[stream.consent_time_field as string] as Partial<Property>
    const isTime = [undefined, 'date-time', 'date'].includes(property.format)
    if (!typesOf(property).includes('string') || !isTime) {
      problems.push('consent_time_field: a string, with format date-time or date if any')
    }
  }
  for (const view of Array.isArray(stream.views) ? stream.views : []) {
    if (isObject(view) && typeof view.id === 'string') listed(view.fields, `views.${view.id}`)
    else problems.push('views: each needs an id and fields')
  }
  const query = isObject(stream.query) ? stream.query : {}
  if (isObject(query.search)) listed(query.search.lexical_fields, 'query.search.lexical_fields')
  for (const [field, operators] of Object.entries(isObject(query.range_filters) ? query.range_filters : {})) {
    declared(field, 'query.range_filters')
    const known =
      Array.isArray(operators) && operators.every(op => RANGE_OPERATORS.includes(op as RangeOperator))
    if (!known) problems.push(`query.range_filters.${field}: a list of ${RANGE_OPERATORS.join(', ')}`)
  }
  for (const [kind, fields] of Object.entries(isObject(query.aggregations) ? query.aggregations : {})) {
    if (kind !== 'count') listed(fields, `query.aggregations.${kind}`)
  }
  return problems
}

/** A stream's name is part of ids, URLs and lines of text, so it is stricter than a record id (ID-1, ID-2). */
function isStreamName(name: string): boolean {
  return name.length <= 128 && name !== '' && name !== '.' && !/[/\\:]|\.\.|\s|\p{C}/u.test(name)
}
