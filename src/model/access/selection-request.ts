import {
  type Declaration,
  fieldNames,
  isAbsoluteUri,
  requiredFields,
  type StreamDeclaration,
  streamOf,
} from '../declaration/declaration.ts'
import { CodedError } from '../errors.ts'
import { cleanText, isObject, type Json, type JsonObject } from '../json.ts'
import { hasAtMost } from '../text/code-points.ts'
import { instantKey, instantText } from '../time.ts'
import { ACCESS_MODES, type AccessMode, type Retention, type SourceName } from './grant.ts'
import { isDuration } from './purpose.ts'

/** The type of RFC 9396 authorization details that ask for records. */
export const DATA_ACCESS = 'https://pdpp.dev/data-access'

/** One detail of a selection request, checked against the declaration that it names and resolved to its fields. */
export interface SelectionRequest {
  source: SourceName
  declaration_version: string
  purpose_code: string
  purpose_description: string | null
  access_mode: AccessMode
  retention: Retention | null
  selection_preset: string | null
  streams: RequestedStream[]
  /** What the client promises. It is shown under the client's name; the server does not enforce it. */
  commitments: string[]
}

export interface RequestedStream {
  name: string
  necessity: 'required' | 'optional'
  /** Connection ids. Null leaves the choice to the owner; it never means all. */
  instance_ids: string[] | null
  /** Every field that the client asks for, the required ones included, in the order of the schema. */
  fields: string[]
  /** Bounds on the consent time as instants: since inclusive, until exclusive. */
  since: string | null
  until: string | null
  resources: string[] | null
}

const MOST_DETAILS = 8
const MOST_STREAMS = 100
const MOST_NAMES = 1_000
const MOST_CHARS = 2_000
const MOST_COMMITMENTS = 20

/** The accepted declaration of a source, by its id. */
export type FindDeclaration = (source_id: string) => Declaration | undefined

/** Parses the authorization details of a request. Anything unknown or malformed is refused (RFC 9396, section 5). */
export function parseSelectionRequests(details: unknown, find: FindDeclaration): SelectionRequest[] {
  if (!Array.isArray(details) || details.length === 0 || details.length > MOST_DETAILS)
    throw refused(`authorization_details must be a list of 1 to ${MOST_DETAILS} details`)
  const requests = details.map(detail => parseSelectionRequest(detail, find))
  const ids = requests.map(({ source }) => source.id)
  if (new Set(ids).size < ids.length) throw refused('two details name the same source')
  return requests
}

export function parseSelectionRequest(detail: unknown, find: FindDeclaration): SelectionRequest {
  if (!isObject(detail) || detail.type !== DATA_ACCESS) throw refused(`type must be ${DATA_ACCESS}`)
  assertMembers(
    detail,
    'the detail',
    ['type', 'source', 'purpose_code', 'access_mode'],
    ['purpose_description', 'retention', 'streams', 'selection_preset', 'client_claims'],
  )
  const declaration = declarationOf(detail.source, find)
  if (!isAbsoluteUri(detail.purpose_code)) throw refused('purpose_code must be an absolute URI')
  const access_mode = ACCESS_MODES.find(mode => mode === detail.access_mode)
  if (!access_mode) throw refused(`access_mode must be ${ACCESS_MODES.join(' or ')}`)
  if ((detail.streams === undefined) === (detail.selection_preset === undefined))
    throw refused('exactly one of streams and selection_preset must be given')
  const preset =
    detail.selection_preset === undefined ? null : text(detail.selection_preset, 'selection_preset')
  const entries =
    preset === null ? streamEntries(detail.streams, declaration) : presetEntries(preset, declaration)
  return {
    source: declaration.source,
    declaration_version: declaration.declaration_version,
    purpose_code: detail.purpose_code,
    purpose_description:
      detail.purpose_description === undefined
        ? null
        : text(detail.purpose_description, 'purpose_description'),
    access_mode,
    retention: detail.retention === undefined ? null : retentionOf(detail.retention),
    selection_preset: preset,
    streams: entries.map(entry => requestedStream(entry, declaration)),
    commitments: detail.client_claims === undefined ? [] : commitmentsOf(detail.client_claims),
  }
}

/** A request cannot introduce a source: it names one that is already accepted. */
function declarationOf(source: Json | undefined, find: FindDeclaration): Declaration {
  if (!isObject(source)) throw refused('source must be an object with id')
  assertMembers(source, 'source', ['id'], ['kind'])
  const declaration = typeof source.id === 'string' ? find(source.id) : undefined
  if (!declaration) throw refused('source.id does not name a source that this server has accepted')
  if (source.kind !== undefined && source.kind !== declaration.source.kind)
    throw refused(`source.kind must be ${declaration.source.kind} or absent`)
  return declaration
}

function retentionOf(value: Json): Retention {
  if (!isObject(value)) throw refused('retention must be an object')
  assertMembers(value, 'retention', ['max_duration', 'on_expiry'])
  const { max_duration, on_expiry } = value
  if (typeof max_duration !== 'string' || !isDuration(max_duration))
    throw refused('retention.max_duration must be an ISO 8601 duration such as P30D')
  if (on_expiry !== 'delete' && on_expiry !== 'anonymize')
    throw refused('retention.on_expiry must be delete or anonymize')
  return { max_duration, on_expiry }
}

function commitmentsOf(claims: Json): string[] {
  if (!isObject(claims)) throw refused('client_claims must be an object')
  assertMembers(claims, 'client_claims', [], ['commitments'])
  const commitments =
    claims.commitments === undefined ? [] : texts(claims.commitments, 'commitments', MOST_COMMITMENTS)
  return commitments.map(commitment => commitment.replace(/[\p{C}\s]+/gu, ' ').trim())
}

function presetEntries(id: string, { selection_presets = [] }: Declaration): JsonObject[] {
  const preset = selection_presets.find(candidate => candidate.id === id)
  if (!preset) throw refused(`the source has no selection preset ${id}`)
  return preset.streams.map(entry => ({ ...entry }))
}

function streamEntries(value: Json | undefined, declaration: Declaration): JsonObject[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_STREAMS || !value.every(isObject))
    throw refused(`streams must be a list of 1 to ${MOST_STREAMS} streams`)
  const names = value.map(entry => entry.name)
  if (new Set(names).size < names.length) throw refused('a stream is named twice')
  if (!names.includes('*')) return value
  const [every] = value
  if (value.length > 1 || !every) throw refused('* must be the only stream of its request')
  // A limit that does not apply to every stream would have to be dropped, and that would widen the request.
  for (const member of ['fields', 'view', 'resources'])
    if (every[member] !== undefined) throw refused(`${member} cannot be asked for with *`)
  return declaration.streams.map(({ name }) => ({ ...every, name }))
}

function requestedStream(entry: JsonObject, declaration: Declaration): RequestedStream {
  assertMembers(
    entry,
    'a stream',
    ['name'],
    ['necessity', 'instance_ids', 'time_range', 'view', 'fields', 'resources'],
  )
  const name = text(entry.name, 'name')
  const stream = streamOf(declaration, name)
  if (!stream) throw refused(`the source has no stream ${name}`)
  const { necessity = 'required' } = entry
  if (necessity !== 'required' && necessity !== 'optional')
    throw refused('necessity must be required or optional')
  return {
    name,
    necessity,
    instance_ids: entry.instance_ids === undefined ? null : texts(entry.instance_ids, 'instance_ids'),
    fields: fieldsOf(entry, stream),
    ...boundsOf(entry.time_range, stream),
    resources: entry.resources === undefined ? null : resourcesOf(entry.resources, stream),
  }
}

/** Every request includes the required fields. */
function fieldsOf({ view, fields }: JsonObject, stream: StreamDeclaration): string[] {
  const { name } = stream
  if (view !== undefined && fields !== undefined) throw refused(`${name}: view and fields cannot be combined`)
  const asked = new Set(requiredFields(stream))
  if (view !== undefined) {
    const found = stream.views?.find(({ id }) => id === view)
    if (!found) throw refused(`${name} has no view ${JSON.stringify(view)}`)
    for (const field of found.fields) asked.add(field)
  } else if (fields !== undefined) {
    if (!stream.selection.fields) throw refused(`the fields of ${name} cannot be selected`)
    for (const field of texts(fields, 'fields')) asked.add(field)
  } else return fieldNames(stream)
  const unknown = [...asked].find(field => !fieldNames(stream).includes(field))
  if (unknown !== undefined) throw refused(`${name} has no field ${unknown}`)
  return fieldNames(stream).filter(field => asked.has(field))
}

function boundsOf(
  range: Json | undefined,
  stream: StreamDeclaration,
): Pick<RequestedStream, 'since' | 'until'> {
  if (range === undefined) return { since: null, until: null }
  if (!isObject(range)) throw refused('time_range must be an object with since or until')
  assertMembers(range, 'time_range', [], ['since', 'until'])
  if (stream.consent_time_field === undefined)
    throw refused(`${stream.name} has no consent time, so it cannot have a time_range`)
  const since = range.since === undefined ? null : instant(range.since, 'since')
  const until = range.until === undefined ? null : instant(range.until, 'until')
  if (since === null && until === null) throw refused('time_range must have since, until or both')
  if (since !== null && until !== null && since > until) throw refused('since is after until')
  return { since: since && instantText(since), until: until && instantText(until) }
}

function resourcesOf(value: Json, stream: StreamDeclaration): string[] {
  if (!stream.selection.resources) throw refused(`single records of ${stream.name} cannot be selected`)
  const keys = texts(value, 'resources')
  const arity = stream.primary_key.length
  if (arity === 1) return keys
  const canonical = keys.map(key => canonicalKey(key, arity))
  if (canonical.includes(null))
    throw refused(`a record of ${stream.name} must be named by a JSON array of ${arity} strings`)
  return texts(canonical, 'resources')
}

/** A compound key as records have it, without white space; null if it has other parts. */
function canonicalKey(key: string, arity: number): string | null {
  try {
    const parts: unknown = JSON.parse(key)
    const fits =
      Array.isArray(parts) && parts.length === arity && parts.every(part => typeof part === 'string')
    return fits ? JSON.stringify(parts) : null
  } catch {
    return null
  }
}

function assertMembers(
  object: JsonObject,
  what: string,
  required: readonly string[],
  optional: readonly string[] = [],
): void {
  const missing = required.find(name => object[name] === undefined)
  if (missing !== undefined) throw refused(`${what} needs ${missing}`)
  const unknown = Object.keys(object).find(name => !required.includes(name) && !optional.includes(name))
  if (unknown !== undefined) throw refused(`${unknown} is not a member of ${what}`)
}

function text(value: Json | undefined, name: string): string {
  if (typeof value !== 'string' || value === '' || !hasAtMost(value, MOST_CHARS))
    throw refused(`${name} is a text of 1 to ${MOST_CHARS} characters`)
  if (cleanText(value).replaced > 0)
    throw refused(`${name} contains U+0000 or a lone surrogate, which cannot be stored`)
  return value
}

function texts(value: Json, name: string, most = MOST_NAMES): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    throw refused(`${name} is a list of 1 to ${most} texts`)
  const list = value.map(item => text(item, name))
  if (new Set(list).size < list.length) throw refused(`${name} lists a text twice`)
  return list
}

/** The instant key of a value. A plain date means midnight UTC. */
function instant(value: Json, name: string): string {
  const key = instantKey(text(value, name))
  if (key === null) throw refused(`${name} is a date, or a date-time with an offset`)
  return key
}

function refused(reason: string): CodedError {
  return new CodedError('invalid_authorization_details', `The authorization details are refused: ${reason}.`)
}
