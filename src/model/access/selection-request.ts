import { timeKey } from '../declaration/keys.ts'
import { CodedError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { instantText } from '../time.ts'
import type { GrantedStream } from './grant.ts'

/** The type of RFC 9396 authorization details that ask for records. */
export const DATA_ACCESS = 'https://pdpp.dev/data-access'

/** What a client asks for of one stream; a member that it leaves out means everything. */
export interface AskedStream {
  name: string
  connection_id: string | null
  connector_key: string | null
  fields: string[] | null
  view: string | null
  since: string | null
  until: string | null
  resources: string[] | null
}

/** A selection request. The owner can narrow it but not widen it. */
export interface AskedAccess {
  purpose: string | null
  single_use: boolean
  streams: AskedStream[]
}

const MEMBERS = new Set([
  'type',
  'locations',
  'actions',
  'purpose',
  'purpose_code',
  'purpose_description',
  'access_mode',
  'connector_key',
  'connection_id',
  'streams',
])
const STREAM_MEMBERS = new Set([
  'name',
  'connector_key',
  'connection_id',
  'fields',
  'view',
  'time_range',
  'resources',
])
const MOST_STREAMS = 100
const MOST_NAMES = 1_000
const PURPOSE_CHARS = 500

/** Reads one authorization detail; what is unknown or malformed is refused (RFC 9396, section 5). */
export function parseAskedAccess(detail: unknown): AskedAccess {
  if (!isObject(detail) || detail.type !== DATA_ACCESS) throw refused(`type must be ${DATA_ACCESS}`)
  assertMembers(detail, MEMBERS, 'it')
  const purpose = ['purpose_description', 'purpose', 'purpose_code']
    .map(name => text(detail[name], name))
    .find(value => value !== null)
  const actions = names(detail.actions, 'actions')
  if (actions?.some(action => action !== 'read')) throw refused('actions: only "read" can be granted')
  if (detail.access_mode !== undefined && !['continuous', 'single_use'].includes(String(detail.access_mode)))
    throw refused('access_mode must be continuous or single_use')
  const { streams } = detail
  if (!Array.isArray(streams) || streams.length === 0 || streams.length > MOST_STREAMS)
    throw refused(`streams must be a list of 1 to ${MOST_STREAMS} streams`)
  const shared = {
    connection_id: text(detail.connection_id, 'connection_id'),
    connector_key: text(detail.connector_key, 'connector_key'),
  }
  return {
    purpose: purpose?.replace(/[\p{C}\s]+/gu, ' ').slice(0, PURPOSE_CHARS) ?? null,
    single_use: detail.access_mode === 'single_use',
    streams: streams.map(stream => askedStream(stream, shared)),
  }
}

function askedStream(
  stream: Json,
  shared: Pick<AskedStream, 'connection_id' | 'connector_key'>,
): AskedStream {
  if (!isObject(stream)) throw refused('a stream must be an object with a name')
  assertMembers(stream, STREAM_MEMBERS, 'a stream')
  const name = text(stream.name, 'name')
  if (name === null) throw refused('a stream must have a name')
  const range = stream.time_range ?? {}
  if (!isObject(range)) throw refused('time_range must be an object with since and until')
  assertMembers(range, new Set(['since', 'until']), 'time_range')
  return {
    name,
    connection_id: text(stream.connection_id, 'connection_id') ?? shared.connection_id,
    connector_key: text(stream.connector_key, 'connector_key') ?? shared.connector_key,
    fields: names(stream.fields, 'fields'),
    view: text(stream.view, 'view'),
    since: time(range.since, 'since'),
    until: time(range.until, 'until'),
    resources: names(stream.resources, 'resources'),
  }
}

function assertMembers(object: JsonObject, known: Set<string>, what: string): void {
  const unknown = Object.keys(object).find(key => !known.has(key))
  if (unknown !== undefined) throw refused(`${what} has no member ${unknown}`)
}

function text(value: Json | undefined, name: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' && value !== '' && value.length <= 2_000) return value
  throw refused(`${name} must be a string`)
}

function names(value: Json | undefined, name: string): string[] | null {
  if (value === undefined || value === null) return null
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MOST_NAMES &&
    value.every(item => typeof item === 'string' && item !== '')
  if (isList) return value as string[]
  throw refused(`${name} must be a list of strings`)
}

function time(value: Json | undefined, name: string): string | null {
  const given = text(value, name)
  if (given === null) return null
  const key = timeKey(given)
  if (key === null) throw refused(`${name} must be a date or a date-time with zone`)
  return key
}

function refused(message: string): CodedError {
  return new CodedError('invalid_authorization_details', `The authorization details are refused: ${message}.`)
}

/** What was granted, in the form of a request. */
export function describeGranted(streams: readonly GrantedStream[]): { type: string; [key: string]: unknown } {
  return {
    type: DATA_ACCESS,
    actions: ['read'],
    streams: streams.map(({ stream, connection_id, connector_key, fields, since, until, record_ids }) => ({
      name: stream,
      connection_id,
      connector_key,
      fields,
      ...(since || until ? { time_range: { ...bound('since', since), ...bound('until', until) } } : {}),
      ...(record_ids ? { resources: record_ids } : {}),
    })),
  }
}

function bound(name: string, key: string | null) {
  return key === null ? {} : { [name]: instantText(key.slice(1)) }
}
