import {
  type Declaration,
  fieldNames,
  requiredFields,
  type StreamDeclaration,
  streamOf,
} from '../declaration/declaration.ts'
import { CodedError, invalidRequest, noConnection } from '../errors.ts'
import { someNames } from '../some-names.ts'
import { instantKey, instantText } from '../time.ts'

/** The most names that a refusal lists. */
const MOST_NAMED = 20

/** One account or file source of an owner, with its current declaration. */
export interface Connection {
  connection_id: string
  source_id: string
  connector_key: string
  display_name: string
  declaration: Declaration
}

export const ACCESS_MODES = ['single_use', 'continuous'] as const
export type AccessMode = (typeof ACCESS_MODES)[number]

export interface Retention {
  max_duration: string
  on_expiry: 'delete' | 'anonymize'
}

export type SourceName = Declaration['source']

/**
 * What a grant gives access to in one stream: these fields of these connections' records, within the time bounds and
 * resources.
 */
export interface GrantedStream {
  name: string
  instance_ids: string[]
  fields: string[]
  /** `since` inclusive, `until` exclusive; at least one of them. */
  time_constraint?: { field: string; since?: string; until?: string }
  resources?: string[]
}

/** The terms of a grant. Everything else about it comes from the client and the time of consent. */
export interface GrantTerms {
  source: SourceName
  source_declaration: { version: string }
  purpose_code: string
  purpose_description?: string
  access_mode: AccessMode
  streams: GrantedStream[]
  retention?: Retention
  selection_preset?: string
  expires_at?: string
}

export const GRANT_VERSION = '0.1.0'

/** A grant of PDPP Core. It never changes; whether it is active is stored separately. */
export interface Grant extends GrantTerms {
  version: typeof GRANT_VERSION
  grant_id: string
  issued_at: string
  subject: { id: string }
  client: { client_id: string; client_display?: { name: string } }
}

/** What can change about a grant after it was made, and what lists show of it. */
export interface GrantState {
  grant_id: string
  client_id: string
  client_name: string
  created_at: string
  expires_at: string | null
  access_mode: AccessMode
  /** When the first access token of a single-use grant was issued. */
  consumed_at: string | null
  revoked_at: string | null
}

/** What a client is told whose access has ended, by the code of the error. */
export const ENDED_ACCESS = {
  grant_revoked: 'The owner has removed this access. Ask for a new grant.',
  grant_expired: 'This access has ended. Ask for a new grant.',
  'authorization_state.unsupported_legacy_shape':
    'This access was given before an upgrade of the server, which ended it. Connect the app again.',
} as const

export function endedAccess(code: keyof typeof ENDED_ACCESS): CodedError {
  return new CodedError(code, ENDED_ACCESS[code])
}

export function isExpired(grant: Pick<GrantState, 'expires_at'>, now: Date): boolean {
  return grant.expires_at !== null && !(Date.parse(grant.expires_at) > now.getTime())
}

export function isActive(grant: GrantState, now: Date): boolean {
  return grant.revoked_at === null && !isExpired(grant, now)
}

/** The terms that an owner asks for. A member that is left out means everything that exists now. */
export interface GrantRequest {
  connections?: string[]
  streams?: string[]
  fields?: string[]
  since?: string
  until?: string
  /** `stream:record_id`. If a stream is named here, the grant covers only these records of it. */
  records?: string[]
}

/** The streams of one connection that a request gives access to. */
interface FrozenConnection {
  connection: Connection
  streams: GrantedStream[]
}

/** Resolves a request to the exact streams and fields that exist now. Nothing added later is included. */
export function freezeGrant(request: GrantRequest, connections: readonly Connection[]): FrozenConnection[] {
  const chosen =
    request.connections?.map(id => {
      const connection = connections.find(candidate => candidate.connection_id === id)
      if (!connection) throw noConnection(id)
      return connection
    }) ?? connections
  const since = bound(request.since, 'since')
  const until = bound(request.until, 'until')
  const records = recordsByStream(request.records ?? [])
  const wanted = wantedStreams(request, records)
  const frozen = chosen.flatMap(connection => {
    const streams = connection.declaration.streams.flatMap((stream): GrantedStream[] => {
      if (wanted && !wanted.has(stream.name)) return []
      if ((since || until) && !stream.consent_time_field && !request.streams?.includes(stream.name)) return []
      const fields = frozenFields(request.fields, stream)
      if (fields.length === 0) return []
      const resources = records.get(stream.name)
      if (resources && !stream.selection.resources)
        throw invalidRequest(`Stream ${stream.name} cannot be granted for single records.`)
      return [
        {
          name: stream.name,
          instance_ids: [connection.connection_id],
          fields,
          ...timeConstraint(stream, since, until),
          ...(resources ? { resources } : {}),
        },
      ]
    })
    return streams.length > 0 ? [{ connection, streams }] : []
  })
  assertAllFound(request, wanted, chosen, frozen)
  return frozen
}

/** The bounds of a stream's consent time, as a grant states them. */
export function timeConstraint(
  stream: StreamDeclaration,
  since: string | null,
  until: string | null,
): Pick<GrantedStream, 'time_constraint'> {
  if (since === null && until === null) return {}
  if (stream.consent_time_field === undefined)
    throw invalidRequest(
      `Stream ${stream.name} has no consent time, so it cannot be granted for a time range.`,
    )
  const bounds = { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) }
  return { time_constraint: { field: stream.consent_time_field, ...bounds } }
}

/** The fields that are granted. Fields that the schema requires are always included. */
function frozenFields(asked: readonly string[] | undefined, stream: StreamDeclaration): string[] {
  const declared = fieldNames(stream)
  if (asked === undefined) return declared
  if (!declared.some(field => asked.includes(field))) return []
  if (!stream.selection.fields)
    throw invalidRequest(`Stream ${stream.name} can only be granted with all its fields.`)
  const required = requiredFields(stream)
  return declared.filter(field => asked.includes(field) || required.includes(field))
}

function wantedStreams(request: GrantRequest, records: Map<string, string[]>): Set<string> | null {
  if (!request.streams && records.size === 0) return null
  return new Set([...(request.streams ?? []), ...records.keys()])
}

function assertAllFound(
  request: GrantRequest,
  wanted: Set<string> | null,
  connections: readonly Connection[],
  frozen: readonly FrozenConnection[],
): void {
  const declared = connections.flatMap(({ declaration }) => declaration.streams)
  for (const name of wanted ?? []) {
    if (declared.some(stream => stream.name === name)) continue
    const all = declared.map(stream => stream.name)
    const message = `No chosen connection has a stream ${name}. There are ${someNames(all, MOST_NAMED, name)}.`
    throw new CodedError('not_found', message, { param: 'stream' })
  }
  const granted = frozen.flatMap(({ streams }) => streams)
  for (const field of request.fields ?? []) {
    if (granted.some(stream => stream.fields.includes(field))) continue
    const all = declared.filter(stream => wanted?.has(stream.name) ?? true).flatMap(fieldNames)
    throw invalidRequest(
      `No chosen stream has a field ${field}. There are ${someNames(all, MOST_NAMED, field)}.`,
    )
  }
  if (granted.length === 0)
    throw invalidRequest('This grant would open nothing: no connection has the streams that it names.')
}

function recordsByStream(records: string[]): Map<string, string[]> {
  const byStream = new Map<string, string[]>()
  for (const record of records) {
    const colon = record.indexOf(':')
    if (colon < 1 || colon === record.length - 1)
      throw invalidRequest(`"${record}" is not a record. Write it as STREAM:ID.`)
    const stream = record.slice(0, colon)
    byStream.set(stream, [...(byStream.get(stream) ?? []), record.slice(colon + 1)])
  }
  return byStream
}

/** Checks and normalises one time bound of a grant. */
export function bound(text: string | undefined, name: string): string | null {
  if (text === undefined) return null
  const key = instantKey(text)
  if (!key)
    throw invalidRequest(
      `${name} is a date (2026-01-31) or a date-time with an offset (2026-01-31T12:00:00Z).`,
      name,
    )
  return instantText(key)
}

/** What to keep of a granted stream. A member that is left out stays unchanged. */
interface KeptStream {
  name: string
  fields?: readonly string[] | null
  since?: string | null
}

/** The streams of a grant, narrowed. The result never includes anything that the grant did not. */
export function narrowedStreams(
  granted: readonly GrantedStream[],
  kept: readonly KeptStream[],
  declaration: Declaration | undefined,
): GrantedStream[] {
  return kept.map(({ name, fields, since }) => {
    const stream = granted.find(each => each.name === name)
    if (!stream) throw invalidRequest(`The grant does not open the stream ${name}.`, 'streams')
    const declared = declaration && streamOf(declaration, name)
    if (since && !declared) throw invalidRequest(`The times of the stream ${name} are not known.`, 'since')
    const hidden = fields?.find(field => !stream.fields.includes(field))
    if (hidden !== undefined) throw invalidRequest(`The grant does not open the field ${hidden}.`, 'fields')
    if (fields && declared && !declared.selection.fields && fields.length < stream.fields.length)
      throw invalidRequest(`Stream ${name} can only be granted with all its fields.`, 'fields')
    const required = new Set(declared ? requiredFields(declared) : [])
    const left = fields ? stream.fields.filter(each => fields.includes(each) || required.has(each)) : null
    return {
      ...stream,
      ...(left ? { fields: left } : {}),
      ...(since && declared ? laterStart(stream, timeConstraint(declared, since, null)) : {}),
    }
  })
}

/** The time bounds of a stream with a later start. The end is unchanged. */
function laterStart(
  { time_constraint: before }: GrantedStream,
  { time_constraint: wanted }: Pick<GrantedStream, 'time_constraint'>,
): Pick<GrantedStream, 'time_constraint'> {
  if (!wanted?.since) return {}
  const [from, to] = [instantKey(before?.since ?? ''), instantKey(wanted.since)]
  if (from !== null && to !== null && to < from) return {}
  return { time_constraint: { ...before, ...wanted } }
}
