import { type Json, type JsonObject, own } from '../json.ts'

export const RANGE_OPERATORS = ['gte', 'gt', 'lte', 'lt'] as const
export type RangeOperator = (typeof RANGE_OPERATORS)[number]

export interface Property extends JsonObject {
  type: string | string[]
  format: string
  contentMediaType: string
  x_pdpp_role: string | string[]
  /** The field that contains where the pages of this text begin: see reading/window.ts. */
  x_pdpp_pages: string
}

/** The roles that a field can have in its record. Other texts are other people's extensions and are ignored. */
export const ROLES = [
  'primary-title',
  'primary-text',
  'event-time',
  'end-time',
  'actor',
  'recipient',
  'participant',
  'place',
  'label',
  'attachment',
] as const
export type Role = (typeof ROLES)[number]

/** Which records of a stream belong together, and in which order. */
export type ConversationDeclaration = {
  /** Records with the same value belong together. */
  key: string
  /** Ties are ordered by record id. */
  order: string[]
  /** For records without a key: what was written in the same place in the minutes before and after. */
  around?: { place: string; minutes: number }
  /** The field values of records that the source itself shows in the conversation. */
  shown_if?: Record<string, Json>
}

/**
 * The records that the owner wrote: those in which each of these fields has the value, or one of the listed values. An
 * empty object means every record.
 */
export type OwnDeclaration = Record<string, Json>

export const SEMANTICS = ['append_only', 'mutable_state'] as const
export const CARDINALITIES = ['has_many', 'has_one'] as const

export interface View {
  id: string
  label: string
  fields: string[]
}

export interface Relationship {
  name: string
  stream: string
  /** A field of the related stream. */
  foreign_key: string
  cardinality: (typeof CARDINALITIES)[number]
}

export interface StreamDeclaration {
  name: string
  description?: string
  semantics: (typeof SEMANTICS)[number]
  display?: { label?: string; detail?: string }
  schema: JsonObject & {
    properties: Record<string, Partial<Property>>
    required?: string[]
    x_pdpp_conversation?: ConversationDeclaration
    x_pdpp_own?: OwnDeclaration
  }
  primary_key: string[]
  cursor_field?: string
  consent_time_field?: string
  selection: { fields: boolean; resources: boolean }
  views?: View[]
  relationships?: Relationship[]
  query?: {
    search?: { lexical_fields?: string[]; semantic_fields?: string[] }
    range_filters?: Record<string, RangeOperator[]>
    expand?: { name: string; default_limit?: number; max_limit?: number }[]
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

/** Streams that can be requested under one name. */
interface SelectionPreset {
  id: string
  label: string
  streams: { name: string; view?: string; fields?: string[] }[]
}

/** A SourceDeclaration: what a source delivers, written by its publisher. */
export interface Declaration {
  protocol_version: '0.1.0'
  source: { kind: 'connector' | 'provider_native'; id: string }
  /** Opaque and unordered. */
  declaration_version: string
  publisher: { id: string }
  display: { name: string }
  selection_presets?: SelectionPreset[]
  streams: StreamDeclaration[]
  extensions?: JsonObject
}

export function fieldNames(stream: StreamDeclaration): string[] {
  return Object.keys(stream.schema.properties)
}

export function propertyOf(stream: StreamDeclaration, field: string): Partial<Property> | undefined {
  return own(stream.schema.properties, field)
}

export function typesOf(property: Partial<Property> | undefined): string[] {
  return [property?.type ?? []].flat()
}

export function rolesOf(property: Partial<Property> | undefined): string[] {
  return [property?.x_pdpp_role ?? []].flat()
}

/** The fields that the schema requires; every grant of the stream includes them. */
export function requiredFields(stream: StreamDeclaration): string[] {
  return fieldNames(stream).filter(name => stream.schema.required?.includes(name))
}

export function rangeOperators(stream: StreamDeclaration, field: string): RangeOperator[] {
  return own(stream.query?.range_filters ?? {}, field) ?? []
}

/**
 * The format that a field's texts are parsed with. A consent time is parsed as a time even if its schema does not say
 * so.
 */
export function formatOf(stream: StreamDeclaration, field: string): string | undefined {
  return propertyOf(stream, field)?.format ?? (field === stream.consent_time_field ? 'date-time' : undefined)
}

/** The field that contains a stream's time: the consent time, or else an ordering field that is a time. */
export function timeField(stream: StreamDeclaration): string | undefined {
  if (stream.consent_time_field) return stream.consent_time_field
  const cursor = stream.cursor_field
  const format = cursor && formatOf(stream, cursor)
  return format === 'date-time' || format === 'date' ? cursor : undefined
}

export function fieldWithRole(stream: StreamDeclaration, role: Role): string | undefined {
  return rolesByField(stream).find(([, own]) => own.includes(role))?.[0]
}

/** The fields that have one of the roles, in the order of the schema. */
export function fieldsWithRole(stream: StreamDeclaration, roles: readonly Role[]): string[] {
  return rolesByField(stream)
    .filter(([, own]) => roles.some(role => own.includes(role)))
    .map(([name]) => name)
}

/** The roles that people read first in a record. */
const READ_FIRST: readonly Role[] = [
  'primary-title',
  'end-time',
  'primary-text',
  'actor',
  'recipient',
  'participant',
  'place',
  'event-time',
  'label',
  'attachment',
]

const knownOrders = new WeakMap<StreamDeclaration, ReadonlySet<string>>()

/** The fields that have a role, with those that people read first at the front. */
export function readingOrder(stream: StreamDeclaration): ReadonlySet<string> {
  const known = knownOrders.get(stream)
  if (known) return known
  // What has an end is told from its start.
  const hasEnd = fieldsWithRole(stream, ['end-time']).length > 0
  const roles: readonly Role[] = hasEnd ? ['primary-title', 'event-time', ...READ_FIRST] : READ_FIRST
  const order = new Set(roles.flatMap(role => fieldsWithRole(stream, [role])))
  knownOrders.set(stream, order)
  return order
}

type RolesByField = [field: string, roles: readonly string[]][]

const knownRoles = new WeakMap<StreamDeclaration, RolesByField>()

/** In the order of the schema. Cached, because showing one record asks for them several times. */
function rolesByField(stream: StreamDeclaration): RolesByField {
  const known = knownRoles.get(stream)
  if (known) return known
  const roles = fieldNames(stream).map((name): RolesByField[number] => [
    name,
    rolesOf(propertyOf(stream, name)),
  ])
  knownRoles.set(stream, roles)
  return roles
}

/** The fields that search looks in. */
export function searchedFields(stream: StreamDeclaration): string[] {
  return stream.query?.search?.lexical_fields ?? []
}

export function streamOf(declaration: Declaration, name: string): StreamDeclaration | undefined {
  return declaration.streams.find(stream => stream.name === name)
}

const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/
const MOST_CHARS = 2_000

/** Whether a text is an absolute URI (RFC 3986): a scheme followed by something, without white space. */
export function isAbsoluteUri(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MOST_CHARS && ABSOLUTE_URI.test(text)
}

/** The prefix of the source ids of our own importers (RFC 4151). Permanent, because grants name their source by it. */
const OWN_SOURCES = 'tag:footnote.example,2026:sources/'

/** The publisher of the declarations of our own importers. */
export const OWN_PUBLISHER = 'tag:footnote.example,2026:publisher'

const MADE_FROM_DATA = `${OWN_SOURCES}table-`

/** Whether a source is declared by the owner's own files. If so, even its field names are personal data. */
export function isMadeFromData(source_id: string): boolean {
  return source_id.startsWith(MADE_FROM_DATA)
}

export function sourceIdOf(connector_key: string): string {
  return OWN_SOURCES + connector_key
}

/** A short name for a source, for people and for responses: the last segment of its id. It is not unique. */
export function connectorKeyOf(source_id: string): string {
  return (
    source_id
      .split(/[/#?:]/)
      .filter(segment => segment !== '')
      .at(-1) ?? source_id
  )
}
