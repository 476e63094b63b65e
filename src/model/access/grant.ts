import { type Declaration, fieldNames, streamOf } from '../declaration/declaration.ts'
import { timeKey } from '../declaration/keys.ts'
import { CodedError } from '../errors.ts'

/** One account or file source of an owner, with its current declaration. */
export interface Connection {
  connection_id: string
  connector_key: string
  display_name: string
  declaration: Declaration
}

/** What a grant opens of one stream of one connection. Frozen when the grant is made. */
export interface GrantedStream {
  connection_id: string
  connector_key: string
  declaration_version: string
  stream: string
  fields: string[]
  /** Bounds on the consent time as instant keys: since inclusive, until exclusive. */
  since: string | null
  until: string | null
  record_ids: string[] | null
}

export interface Grant {
  grant_id: string
  client_id: string
  streams: GrantedStream[]
}

/** A grant with what can change about it after it was made. */
export interface GrantState {
  grant_id: string
  client_id: string
  client_name: string
  created_at: string
  expires_at: string | null
  single_use: boolean
  first_used_at: string | null
  revoked_at: string | null
}

export const SINGLE_USE_MS = 10 * 60_000

export function isActive(grant: GrantState, now: Date): boolean {
  if (grant.revoked_at !== null) return false
  if (grant.expires_at !== null && !(Date.parse(grant.expires_at) > now.getTime())) return false
  if (!grant.single_use || grant.first_used_at === null) return true
  return Date.parse(grant.first_used_at) + SINGLE_USE_MS > now.getTime()
}

/** What an owner asks a grant to open; a member that is left out means everything that exists now. */
export interface GrantRequest {
  connections?: string[]
  streams?: string[]
  fields?: string[]
  since?: string
  until?: string
  /** `stream:record_id`; a stream named here is opened for these records only. */
  records?: string[]
}

/** Turns a request into the exact streams and fields it opens now; nothing added later is ever included. */
export function freezeGrant(request: GrantRequest, connections: Connection[]): GrantedStream[] {
  const chosen = request.connections?.map(id => {
    const connection = connections.find(candidate => candidate.connection_id === id)
    if (!connection) throw new CodedError('connection_not_found', `There is no connection ${id}.`)
    return connection
  })
  const since = bound(request.since, 'since')
  const until = bound(request.until, 'until')
  const records = recordsByStream(request.records ?? [])
  const wanted = wantedStreams(request, records)
  const granted: GrantedStream[] = []
  for (const connection of chosen ?? connections) {
    for (const stream of connection.declaration.streams) {
      if (wanted && !wanted.has(stream.name)) continue
      if ((since || until) && !stream.consent_time_field) {
        if (!request.streams?.includes(stream.name)) continue
        throw invalid(`Stream ${stream.name} has no consent time, so it cannot be granted for a time range.`)
      }
      const declared = fieldNames(stream)
      const fields = request.fields ? declared.filter(field => request.fields?.includes(field)) : declared
      if (fields.length === 0) continue
      if (request.fields && stream.selection?.fields === false) {
        throw invalid(`Stream ${stream.name} can only be granted with all its fields.`)
      }
      const record_ids = records.get(stream.name) ?? null
      if (record_ids && stream.selection?.resources === false) {
        throw invalid(`Stream ${stream.name} cannot be granted for single records.`)
      }
      granted.push({
        connection_id: connection.connection_id,
        connector_key: connection.connector_key,
        declaration_version: connection.declaration.version,
        stream: stream.name,
        fields,
        since,
        until,
        record_ids,
      })
    }
  }
  assertAllFound(request, wanted, chosen ?? connections, granted)
  return granted
}

function wantedStreams(request: GrantRequest, records: Map<string, string[]>): Set<string> | null {
  if (!request.streams && records.size === 0) return null
  return new Set([...(request.streams ?? []), ...records.keys()])
}

function assertAllFound(
  request: GrantRequest,
  wanted: Set<string> | null,
  connections: Connection[],
  granted: GrantedStream[],
): void {
  for (const name of wanted ?? []) {
    if (!connections.some(({ declaration }) => streamOf(declaration, name))) {
      throw new CodedError('stream_not_found', `No chosen connection has a stream ${name}.`)
    }
  }
  for (const field of request.fields ?? []) {
    if (!granted.some(stream => stream.fields.includes(field))) {
      throw invalid(`No chosen stream has a field ${field}.`)
    }
  }
  if (granted.length === 0)
    throw invalid('This grant would open nothing: no connection has the streams that it names.')
}

function recordsByStream(records: string[]): Map<string, string[]> {
  const byStream = new Map<string, string[]>()
  for (const record of records) {
    const colon = record.indexOf(':')
    if (colon < 1 || colon === record.length - 1)
      throw invalid(`"${record}" is not a record. Write it as STREAM:ID.`)
    const stream = record.slice(0, colon)
    byStream.set(stream, [...(byStream.get(stream) ?? []), record.slice(colon + 1)])
  }
  return byStream
}

function bound(text: string | undefined, name: string): string | null {
  if (text === undefined) return null
  const key = timeKey(text)
  if (!key)
    throw invalid(
      `${name} must be a date (2026-01-31) or a date-time with zone (2026-01-31T12:00:00Z).`,
      name,
    )
  return key
}

function invalid(message: string, param?: string): CodedError {
  return new CodedError('invalid_request', message, param ? { param } : {})
}
