import {
  fieldNames,
  requiredFields,
  type StreamDeclaration,
  streamOf,
  type View,
} from '../declaration/declaration.ts'
import { timeKey } from '../declaration/keys.ts'
import { instantText } from '../time.ts'
import { type Connection, type GrantedStream, type GrantTerms, timeConstraint } from './grant.ts'
import { AGENT_CONTEXT } from './purpose.ts'
import type { FindDeclaration, RequestedStream, SelectionRequest } from './selection-request.ts'

/** A field that can be shared. */
interface OfferedField {
  name: string
  /** Not selected until the owner selects it. */
  sensitive: boolean
  /** Required by the schema, so it is shared whenever anything in the stream is shared. */
  fixed: boolean
}

/** What can be shared from one stream: as much as was asked for, or everything. */
export interface OfferedStream {
  /** Identifies the stream in the form. */
  key: string
  /** The accounts that it is read from: one account that the owner may choose, or all those that the request names. */
  connections: readonly Connection[]
  stream: StreamDeclaration
  /** Null if the owner picks and the client asked for nothing in particular. */
  necessity: RequestedStream['necessity'] | null
  fields: OfferedField[]
  /** Sets of fields that can be chosen with one click. */
  sets: View[]
  /** The set that is selected initially; `none` shares nothing. */
  preset: string
  /** The fields that are ticked initially when the owner chooses fields one by one. */
  ticked: string[]
  /** Instant keys of the bounds in the request. */
  since: string | null
  until: string | null
  resources: string[] | null
  hasTimes: boolean
}

/** One detail of a request and what the owner can grant for it. Without a request the owner picks from everything. */
export interface Offer {
  request: SelectionRequest | null
  streams: OfferedStream[]
  /** Required streams that none of the owner's accounts has. A detail with missing streams cannot be granted. */
  missing: string[]
}

export const SHARE_NOTHING = 'none'
export const CHOOSE_FIELDS = 'custom'
export const EVERYTHING = 'all'

const SENSITIVE_NAME =
  /pass(?:word|phrase)|secret|token|iban|ssn|social_security|passport|credit|card_number|account_number|diagnos|medical|health/i

/** Everything that the owner can choose from. A request narrows it; nothing widens it. */
export function offersOf(
  connections: readonly Connection[],
  requests: readonly SelectionRequest[] | null,
  find: FindDeclaration,
): Offer[] {
  if (requests === null) {
    const streams = connections.flatMap(connection =>
      connection.declaration.streams.map(stream => offerStream([connection], stream, null, '')),
    )
    return [{ request: null, streams, missing: [] }]
  }
  return requests.map((request, index) => {
    const declaration = find(request.source.id)
    const eligible = connections.filter(({ source_id }) => source_id === request.source.id)
    const missing: string[] = []
    const streams = request.streams.flatMap(asked => {
      const stream = declaration && streamOf(declaration, asked.name)
      const choices = stream ? accountsFor(asked, eligible) : []
      if (choices.length === 0 && asked.necessity === 'required') missing.push(asked.name)
      return choices.map(accounts =>
        offerStream(accounts, stream as StreamDeclaration, asked, `${index}:`, choices.length > 1),
      )
    })
    return { request, streams, missing }
  })
}

/** A key for the accounts that a stream is read from. */
export function accountsOf(connections: readonly { connection_id: string }[]): string {
  return connections.map(({ connection_id }) => connection_id).join('+')
}

/** Accounts that are named are granted together. If none is named, the owner picks one or more of the eligible ones. */
function accountsFor({ instance_ids }: RequestedStream, eligible: readonly Connection[]): Connection[][] {
  if (instance_ids === null) return eligible.map(connection => [connection])
  const named = instance_ids.map(id => eligible.find(({ connection_id }) => connection_id === id))
  return named.every(connection => connection !== undefined) ? [named] : []
}

function offerStream(
  connections: readonly Connection[],
  stream: StreamDeclaration,
  request: RequestedStream | null,
  prefix: string,
  mustPick = false,
): OfferedStream {
  const names = request?.fields ?? fieldNames(stream)
  const required = requiredFields(stream)
  const fields = names.map(name => ({
    name,
    sensitive: stream.schema.properties[name]?.x_pdpp_sensitive === true || SENSITIVE_NAME.test(name),
    fixed: required.includes(name),
  }))
  const harmless = fields.filter(field => !field.sensitive || field.fixed).map(field => field.name)
  const narrow = narrowSets(stream, names, harmless)
  const isWhole = names.length === fieldNames(stream).length
  return {
    key: `${prefix}${accountsOf(connections)}:${stream.name}`,
    connections,
    stream,
    necessity: request?.necessity ?? null,
    fields,
    sets: [...narrow, { id: EVERYTHING, label: isWhole ? 'Everything' : 'All it asks for', fields: names }],
    preset: request !== null && !mustPick && harmless.length === names.length ? EVERYTHING : SHARE_NOTHING,
    ticked: narrow[0]?.fields.filter(name => harmless.includes(name)) ?? harmless,
    since: request?.since ? timeKey(request.since) : null,
    until: request?.until ? timeKey(request.until) : null,
    resources: request?.resources ?? null,
    hasTimes: stream.consent_time_field !== undefined,
  }
}

/**
 * The declaration's views that are narrower than the offer; if there are none, everything except full texts and
 * sensitive fields.
 */
function narrowSets(stream: StreamDeclaration, names: string[], harmless: string[]): View[] {
  const required = requiredFields(stream)
  const views = (stream.views ?? [])
    .map(view => ({
      id: `view.${view.id}`,
      label: view.label,
      fields: names.filter(name => view.fields.includes(name) || required.includes(name)),
    }))
    .filter(view => view.fields.length > 0 && view.fields.length < names.length)
  if (views.length > 0 || !stream.selection.fields) return views
  const fields = harmless.filter(
    name => typeof stream.schema.properties[name]?.contentMediaType !== 'string' || required.includes(name),
  )
  const label = 'Without full texts and sensitive fields'
  return fields.length > 0 && fields.length < names.length ? [{ id: 'overview', label, fields }] : []
}

/** The owner's choice, as submitted by the form. Times are instant keys. */
export interface Choice {
  /** The id of the chosen field set, by stream key. */
  sets: ReadonlyMap<string, string>
  /** The ticked fields, by stream key, if fields are chosen one by one. */
  fields: ReadonlyMap<string, readonly string[]>
  since: string | null
  until: string | null
}

/** A stream as it will be granted, with the offer it comes from. */
export interface ChosenStream {
  offered: OfferedStream
  granted: GrantedStream
}

/**
 * The streams that a choice selects from an offer, never more than was offered. Streams without times are not bounded
 * by time.
 */
export function chosenStreams({ streams }: Offer, choice: Choice): ChosenStream[] {
  return streams.flatMap(offered => {
    const fields = chosenFields(offered, choice)
    if (fields.length === 0) return []
    const { connections, stream, hasTimes, resources } = offered
    const since = hasTimes ? later(offered.since, choice.since) : null
    const until = hasTimes ? earlier(offered.until, choice.until) : null
    const granted = {
      name: stream.name,
      instance_ids: connections.map(({ connection_id }) => connection_id),
      fields,
      ...timeConstraint(stream, since && instantText(since.slice(1)), until && instantText(until.slice(1))),
      ...(resources ? { resources } : {}),
    }
    return [{ offered, granted }]
  })
}

/** Required streams of a request that the owner left out while choosing others. */
export function leftOut({ request }: Offer, chosen: readonly ChosenStream[]): string[] {
  if (!request || chosen.length === 0) return []
  return request.streams
    .filter(
      ({ name, necessity }) =>
        necessity === 'required' && !chosen.some(({ granted }) => granted.name === name),
    )
    .map(({ name }) => name)
}

function chosenFields({ key, stream, fields, sets }: OfferedStream, choice: Choice): string[] {
  const set = choice.sets.get(key) ?? SHARE_NOTHING
  if (set === CHOOSE_FIELDS && stream.selection.fields) {
    const ticked = choice.fields.get(key) ?? []
    return fields.filter(field => field.fixed || ticked.includes(field.name)).map(field => field.name)
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

/** The grants that result from a choice: one per account, or one for the accounts that the request names together. */
export function termsOf(
  { request }: Offer,
  chosen: readonly ChosenStream[],
  expires_at: string | null,
): GrantTerms[] {
  const byAccounts = Map.groupBy(chosen, ({ granted }) => granted.instance_ids.join('+'))
  return [...byAccounts.values()].flatMap((group): GrantTerms[] => {
    const [first] = group
    const [account] = first?.offered.connections ?? []
    if (!account) return []
    const { declaration } = account
    return [
      {
        source: request?.source ?? declaration.source,
        source_declaration: { version: request?.declaration_version ?? declaration.declaration_version },
        purpose_code: request?.purpose_code ?? AGENT_CONTEXT,
        ...(request?.purpose_description ? { purpose_description: request.purpose_description } : {}),
        access_mode: request?.access_mode ?? 'continuous',
        streams: group.map(({ granted }) => granted),
        ...(request?.retention ? { retention: request.retention } : {}),
        ...(request?.selection_preset ? { selection_preset: request.selection_preset } : {}),
        ...(expires_at === null ? {} : { expires_at }),
      },
    ]
  })
}
