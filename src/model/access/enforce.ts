import {
  type Declaration,
  fieldNames,
  isMadeFromData,
  type StreamDeclaration,
  streamOf,
} from '../declaration/declaration.ts'
import { timeKey } from '../declaration/keys.ts'
import { CodedError } from '../errors.ts'
import { someNames } from '../some-names.ts'
import type { Connection, Grant, GrantedStream } from './grant.ts'

/** What the token of a request may do. Computed for each request. */
export type Access =
  | { kind: 'owner'; owner_id: string }
  | { kind: 'client'; owner_id: string; client_id: string; grants: Grant[] }

/** What one grant gives access to: these fields of the records within the time bounds and the list of ids. */
export interface Clause {
  /** Null means every field, including undeclared ones. Only owners have that. */
  fields: ReadonlySet<string> | null
  since: string | null
  until: string | null
  record_ids: ReadonlySet<string> | null
}

/** A stream of a connection that may be read, and which part of it. */
export interface Source {
  connection_id: string
  source_id: string
  /** The declaration that applies when the stream is read. */
  declared: Pick<Declaration, 'source' | 'declaration_version'>
  connector_key: string
  display_name: string
  stream: StreamDeclaration
  clauses: Clause[]
}

/** A key for a stream of a connection. */
export function placeKey(connection_id: string, stream: string): string {
  return `${connection_id}/${stream}`
}

/** The part of a stored record that decides who may see it. */
export interface Placement {
  record_id: string
  time_key: string | null
}

export interface Catalog {
  connections: Connection[]
  /** The declaration a grant was made from. */
  declaration(source_id: string, version: string): Declaration | undefined
  latestDeclaration(source_id: string): Declaration | undefined
}

const EVERYTHING: Clause = { fields: null, since: null, until: null, record_ids: null }

/** The sources that an access could read when it was last computed, and the catalog they were computed from. */
const readable = new WeakMap<Access, { catalog: Catalog; sources: readonly Source[] }>()

/**
 * Every stream that the access may read. The result depends only on the access and the catalog, so it is computed once
 * per pair.
 */
export function readableSources(access: Access, catalog: Catalog): readonly Source[] {
  const known = readable.get(access)
  if (known?.catalog === catalog) return known.sources
  const sources = computeSources(access, catalog)
  readable.set(access, { catalog, sources })
  return sources
}

function computeSources(access: Access, catalog: Catalog): Source[] {
  if (access.kind === 'owner') {
    return catalog.connections.flatMap(connection =>
      connection.declaration.streams.map(stream => ({
        ...named(connection, connection.declaration),
        stream,
        clauses: [EVERYTHING],
      })),
    )
  }
  const sources = new Map<string, Source>()
  const openings = access.grants.flatMap(grant => openingsOf(grant, catalog))
  if (openings.length === 0) {
    throw new CodedError(
      'grant_invalid',
      'Everything that this access opened was removed. Ask for a new grant.',
    )
  }
  for (const { connection, declaration, stream, granted } of openings) {
    const key = placeKey(connection.connection_id, stream.name)
    const source = sources.get(key)
    if (source) source.clauses.push(clauseOf(granted, stream))
    else sources.set(key, { ...named(connection, declaration), stream, clauses: [clauseOf(granted, stream)] })
  }
  return [...sources.values()]
}

/**
 * What a grant gives access to, according to the declaration it was made from. Connections that no longer exist give
 * access to nothing.
 */
function openingsOf({ source, source_declaration, streams }: Grant, catalog: Catalog) {
  const declaration = catalog.declaration(source.id, source_declaration.version)
  if (!declaration) return []
  return streams.flatMap(granted => {
    const stream = streamOf(declaration, granted.name)
    if (!stream) return []
    return catalog.connections
      .filter(
        ({ source_id, connection_id }) =>
          source_id === source.id && granted.instance_ids.includes(connection_id),
      )
      .map(connection => ({ connection, declaration, stream, granted }))
  })
}

function named(
  { connection_id, source_id, connector_key, display_name }: Connection,
  { source, declaration_version }: Declaration,
) {
  return { connection_id, source_id, connector_key, display_name, declared: { source, declaration_version } }
}

function clauseOf({ fields, time_constraint, resources }: GrantedStream, stream: StreamDeclaration): Clause {
  const declared = new Set(fieldNames(stream))
  return {
    fields: new Set(fields.filter(field => declared.has(field))),
    since: timeKey(time_constraint?.since),
    until: timeKey(time_constraint?.until),
    record_ids: resources ? new Set(resources) : null,
  }
}

/** The sources with a stream of this name, narrowed to one connection if one is named (RS-4). */
export function sourcesOf(
  access: Access,
  catalog: Catalog,
  stream: string,
  connection_id?: string,
): Source[] {
  const all = readableSources(access, catalog)
  const named = all.filter(source => source.stream.name === stream)
  if (access.kind === 'client' && named.length === 0) throw streamNotAllowed(stream, all)
  if (connection_id !== undefined) assertConnection(access, catalog, all, connection_id)
  if (named.length === 0) throw new CodedError('not_found', noSuchStream(stream, all), { param: 'stream' })
  if (connection_id === undefined) return named
  const narrowed = named.filter(source => source.connection_id === connection_id)
  if (narrowed.length > 0) return narrowed
  const there = all.filter(source => source.connection_id === connection_id)
  if (access.kind === 'client') throw streamNotAllowed(stream, there, ' of that connection')
  throw new CodedError('not_found', `Connection ${connection_id} has no stream ${stream}.`, {
    param: 'stream',
  })
}

export interface SourceNarrowing {
  readonly connection_id?: string | readonly string[] | undefined
  readonly connector?: readonly string[] | undefined
}

/** The readable sources, narrowed to a stream, connections and kinds of sources if these are named. */
export function narrowedSources(
  access: Access,
  catalog: Catalog,
  stream: string | undefined,
  narrowed: string | SourceNarrowing = {},
): Source[] {
  const { connection_id = [], connector = [] } =
    typeof narrowed === 'string' ? { connection_id: [narrowed] } : narrowed
  const ids = [connection_id].flat()
  const [only] = ids
  if (stream !== undefined && connector.length === 0 && ids.length <= 1)
    return sourcesOf(access, catalog, stream, only)
  const sources = readableSources(access, catalog)
  for (const id of ids) assertConnection(access, catalog, sources, id)
  const kinds = new Set(connector)
  const unknown = connector.find(kind => sources.every(source => source.connector_key !== kind))
  if (unknown !== undefined) throw noSuchConnector(unknown, sources)
  const all = stream === undefined ? sources : sourcesOf(access, catalog, stream)
  return all.filter(
    source =>
      (ids.length === 0 || ids.includes(source.connection_id)) &&
      (kinds.size === 0 || kinds.has(source.connector_key)),
  )
}

function noSuchConnector(kind: string, sources: readonly Source[]): CodedError {
  // The names of kinds that were made from data say nothing.
  const told = sources.toSorted(
    (a, b) => Number(isMadeFromData(a.source_id)) - Number(isMadeFromData(b.source_id)),
  )
  const names = told.map(({ connector_key }) => connector_key)
  const kinds = someNames(names, MOST_NAMED, kind)
  const message = `No readable source is of the kind ${kind}.${kinds === '' ? '' : ` There are ${kinds}.`}`
  return new CodedError('connection_not_found', message, { param: 'connector' })
}

/** Says that a stream does not exist, and which do: for the owner. */
export function noSuchStream(stream: string, all: readonly Source[]): string {
  return `There is no stream ${stream}.${opened(all, stream, 'There are')}`
}

/** Refuses a connection that the access cannot see; one that does not exist looks the same. */
export function assertConnection(
  access: Access,
  catalog: Catalog,
  readable: readonly Source[],
  connection_id: string,
): void {
  const known = access.kind === 'owner' ? catalog.connections : readable
  if (known.some(each => each.connection_id === connection_id)) return
  const names = someNames(
    known.map(each => `${each.connection_id} ${JSON.stringify(each.display_name)}`),
    MOST_NAMED,
    connection_id,
  )
  const message = `There is no such connection.${names === '' ? '' : ` There are ${names}.`}`
  throw new CodedError('connection_not_found', message, { param: 'connection_id' })
}

function streamNotAllowed(stream: string, readable: readonly Source[], where = ''): CodedError {
  const message = `The grant does not open a stream ${stream}${where}.${opened(readable, stream, 'It opens')}`
  return new CodedError('grant_stream_not_allowed', message, { param: 'stream', stream })
}

/** Their ids and names are long. */
const MOST_NAMED = 15
/** So many that few owners have more: an answer that names all saves a look at the schema. */
const MOST_STREAMS = 40

function opened(readable: readonly Source[], asked: string, verb: string): string {
  const names = someNames(
    readable.map(({ stream }) => stream.name),
    MOST_STREAMS,
    asked,
  )
  return names === '' ? '' : ` ${verb} ${names}.`
}

export function admits(clause: Clause, record: Placement): boolean {
  if (clause.record_ids && !clause.record_ids.has(record.record_id)) return false
  if (clause.since === null && clause.until === null) return true
  if (record.time_key === null) return false
  return (
    (clause.since === null || record.time_key >= clause.since) &&
    (clause.until === null || record.time_key < clause.until)
  )
}

/** The fields of a record that may be seen: null means all, undefined means that the record is hidden. */
export function visibleFields(source: Source, record: Placement): ReadonlySet<string> | null | undefined {
  const admitting = source.clauses.filter(clause => admits(clause, record))
  const [first] = admitting
  if (!first) return undefined
  if (admitting.length === 1) return first.fields
  if (admitting.some(clause => clause.fields === null)) return null
  return unionOf(source, admitting)
}

/** What several clauses of a source open together, by their numbers. */
const unions = new WeakMap<Source, Map<string, ReadonlySet<string>>>()

/** The same clauses give the same object, which what is computed from it can be kept under. */
function unionOf(source: Source, admitting: readonly Clause[]): ReadonlySet<string> {
  const known = unions.get(source) ?? new Map<string, ReadonlySet<string>>()
  unions.set(source, known)
  const key = admitting.map(clause => source.clauses.indexOf(clause)).join()
  const union = known.get(key) ?? new Set(admitting.flatMap(clause => [...(clause.fields ?? [])]))
  known.set(key, union)
  return union
}

/** Whether a field may be seen in some record of the source. */
export function grantsField(source: Source, field: string): boolean {
  return source.clauses.some(clause => clause.fields === null || clause.fields.has(field))
}

/** Whether a field may be seen in every record of the source. Only then may it order or bound a whole read (RS-5). */
export function grantsFieldThroughout(source: Source, field: string): boolean {
  return source.clauses.every(clause => clause.fields === null || clause.fields.has(field))
}

const names = new WeakMap<Access, string>()

/** Identifies what the access can see. Cursors are bound to it, and tokens with the same grants share it. */
export function accessName(access: Access): string {
  const name = names.get(access) ?? nameOf(access)
  names.set(access, name)
  return name
}

function nameOf(access: Access): string {
  if (access.kind === 'owner') return `owner:${access.owner_id}`
  const ids = access.grants.map(grant => grant.grant_id).sort()
  return `client:${access.owner_id}:${ids.join(',')}`
}
