import { fieldNames, type Property, type StreamDeclaration } from '../declaration/declaration.ts'
import type { Connection, GrantedStream } from './grant.ts'
import type { AskedAccess, AskedStream } from './selection-request.ts'

/** A field that can be shared. */
export interface OfferedField {
  name: string
  /** Never chosen before the owner chooses it. */
  sensitive: boolean
}

/** A set of fields that is chosen with one press. */
export interface FieldSet {
  id: string
  label: string
  fields: string[]
}

/** What could be shared of one stream of one connection: as much as was asked for, or everything. */
export interface OfferedStream {
  /** Names the stream in the form. */
  key: string
  connection: Connection
  stream: StreamDeclaration
  fields: OfferedField[]
  sets: FieldSet[]
  /** The set that is chosen at first; `none` shares nothing. */
  preset: string
  /** The fields that are ticked at first when the owner chooses one by one. */
  ticked: string[]
  since: string | null
  until: string | null
  record_ids: string[] | null
  hasTimes: boolean
}

export const SHARE_NOTHING = 'none'
export const CHOOSE_FIELDS = 'custom'
export const EVERYTHING = 'all'

const SENSITIVE_NAME =
  /pass(?:word|phrase)|secret|token|iban|ssn|social_security|passport|credit|card_number|account_number|diagnos|medical|health/i

function isSensitive(name: string, property: Partial<Property> | undefined): boolean {
  return property?.x_pdpp_sensitive === true || SENSITIVE_NAME.test(name)
}

function isLongText(property: Partial<Property> | undefined): boolean {
  return typeof property?.contentMediaType === 'string'
}

/** Everything that the owner can choose from. A request narrows it; nothing widens it. */
export function offer(connections: readonly Connection[], asked: AskedAccess | null): OfferedStream[] {
  return connections.flatMap(connection =>
    connection.declaration.streams.flatMap(stream => {
      if (asked === null) return [offerStream(connection, stream, null)]
      const requests = asked.streams.filter(request => isAbout(request, connection, stream))
      // Several requests for one stream are offered one by one, each as it was asked.
      return requests.map((request, index) => offerStream(connection, stream, request, index))
    }),
  )
}

function isAbout(request: AskedStream, connection: Connection, stream: StreamDeclaration): boolean {
  return (
    request.name === stream.name &&
    (request.connection_id === null || request.connection_id === connection.connection_id) &&
    (request.connector_key === null || request.connector_key === connection.connector_key) &&
    (request.since === null || stream.consent_time_field !== undefined) &&
    (request.until === null || stream.consent_time_field !== undefined) &&
    (request.resources === null || stream.selection?.resources !== false) &&
    fieldsAsked(request, stream).length > 0
  )
}

function fieldsAsked(request: AskedStream | null, stream: StreamDeclaration): string[] {
  const all = fieldNames(stream)
  if (request === null || stream.selection?.fields === false) return all
  const view = request.view === null ? null : stream.views?.find(({ id }) => id === request.view)
  if (view === undefined) return []
  return all.filter(
    field =>
      (request.fields === null || request.fields.includes(field)) &&
      (view === null || view.fields.includes(field)),
  )
}

function offerStream(
  connection: Connection,
  stream: StreamDeclaration,
  request: AskedStream | null,
  index = 0,
): OfferedStream {
  const names = fieldsAsked(request, stream)
  const property = (name: string) => stream.schema.properties[name]
  const fields = names.map(name => ({ name, sensitive: isSensitive(name, property(name)) }))
  const harmless = fields.filter(field => !field.sensitive).map(field => field.name)
  const narrow = narrowSets(stream, names, harmless)
  const isWhole = request === null || names.length === fieldNames(stream).length
  return {
    key: `${connection.connection_id}:${stream.name}${index > 0 ? `:${index}` : ''}`,
    connection,
    stream,
    fields,
    sets: [...narrow, { id: EVERYTHING, label: isWhole ? 'Everything' : 'All it asks for', fields: names }],
    preset: request !== null && harmless.length === names.length ? EVERYTHING : SHARE_NOTHING,
    ticked: narrow[0]?.fields.filter(name => harmless.includes(name)) ?? harmless,
    since: request?.since ?? null,
    until: request?.until ?? null,
    record_ids: request?.resources ?? null,
    hasTimes: stream.consent_time_field !== undefined,
  }
}

/** The declaration's views that are narrower than what is offered; else everything but full texts and sensitive fields. */
function narrowSets(stream: StreamDeclaration, names: string[], harmless: string[]): FieldSet[] {
  if (stream.selection?.fields === false) return []
  const views = (stream.views ?? [])
    .map(view => ({
      id: `view.${view.id}`,
      label: view.label ?? view.id,
      fields: names.filter(name => view.fields.includes(name)),
    }))
    .filter(view => view.fields.length > 0 && view.fields.length < names.length)
  if (views.length > 0) return views
  const fields = harmless.filter(name => !isLongText(stream.schema.properties[name]))
  const label = 'Without full texts and sensitive fields'
  return fields.length > 0 && fields.length < names.length ? [{ id: 'overview', label, fields }] : []
}

/** What the owner chose, as a form says it. Times are instant keys. */
export interface Choice {
  /** The id of a field set for each stream's key. */
  sets: ReadonlyMap<string, string>
  /** The ticked fields for each stream's key, when fields are chosen one by one. */
  fields: ReadonlyMap<string, readonly string[]>
  since: string | null
  until: string | null
}

/** The openings that a choice makes, never wider than the offer. Streams without times are not bounded by time. */
export function chosenStreams(offered: readonly OfferedStream[], choice: Choice): GrantedStream[] {
  return offered.flatMap(each => {
    const fields = chosenFields(each, choice)
    if (fields.length === 0) return []
    const { connection, stream, hasTimes } = each
    return [
      {
        connection_id: connection.connection_id,
        connector_key: connection.connector_key,
        declaration_version: connection.declaration.version,
        stream: stream.name,
        fields,
        since: hasTimes ? later(each.since, choice.since) : null,
        until: hasTimes ? earlier(each.until, choice.until) : null,
        record_ids: each.record_ids,
      },
    ]
  })
}

function chosenFields({ key, stream, fields, sets }: OfferedStream, choice: Choice): string[] {
  const set = choice.sets.get(key) ?? SHARE_NOTHING
  if (set === CHOOSE_FIELDS && stream.selection?.fields !== false) {
    const ticked = choice.fields.get(key) ?? []
    return fields.map(field => field.name).filter(name => ticked.includes(name))
  }
  return sets.find(({ id }) => id === set)?.fields ?? []
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** The openings of each connection apart, so that one source can be removed alone. */
export function byConnection(streams: readonly GrantedStream[]): GrantedStream[][] {
  return [...Map.groupBy(streams, stream => stream.connection_id).values()]
}
