import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import { type Condition, WHERE_OPERATORS } from '../../model/reading/filter.ts'
import { namesOwner } from '../../model/reading/people.ts'
import type { RoleOperator } from '../../model/reading/role-condition.ts'
import { instantMs, TimeZone } from '../../model/time.ts'
import { type Bounds, boundsNotes, boundText, sinceInstant, untilInstant } from '../../model/time-bounds.ts'
import { text, texts } from '../arguments.ts'
import { callText, quotedHead } from '../text/quote.ts'
import { declaredStreams } from './declared-streams.ts'
import { connectionIds, sourcesNamed } from './meant-sources.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'

/** The parameters that narrow a list, a search or a figure, as sent to the resource server. */
export type Narrowing = Bounds & { time_zone?: string } & {
  [Name in 'connection_id' | 'connector' | RoleOperator]?: string[]
}

/** Bounds as sent to the resource server: with the zone, it knows which days begin at them. */
export function boundsIn({ since, until }: Bounds, zone: TimeZone, isOwn: boolean): Narrowing {
  return {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(isOwn && zone.name !== 'UTC' && (since ?? until) !== undefined ? { time_zone: zone.name } : {}),
  }
}

/** A narrowing, and how its arguments were interpreted. */
export interface Understood {
  narrowing: Narrowing
  /** The zone in which days begin and times are shown. */
  zone: TimeZone
  notes: string[]
}

const NAMES = ['connector', 'person', 'since', 'until'] as const

/** The narrowing arguments; dates are days in the owner's zone, or in `time_zone`. */
export async function narrowingOf(
  args: JsonObject,
  client: ResourceServerClient,
  /** Arguments that every resource server accepts. */
  always: readonly string[] = [],
): Promise<Understood> {
  const [connector, person, since, until] = NAMES.map(name => text(args, name))
  const given = texts(args, 'connection_id')
  const several = (given?.length ?? 0) > 1 ? 'several connection_id' : undefined
  const special = several ?? NAMES.find(name => text(args, name) !== undefined && !always.includes(name))
  const isOwn = (await capabilitiesOf(client)).has('operators')
  if (special !== undefined && !isOwn) {
    const message = `This resource server does not support ${special} here. Repeat the call without it.`
    throw new CodedError('invalid_request', message, { param: special.split(' ').at(-1) ?? '' })
  }
  const connection_id = given && isOwn ? await connectionIds(client, given) : given
  const bounded = since !== undefined || until !== undefined
  const zone = await zoneOf(args, client, bounded || isOwn)
  const calendar = { zone, now: new Date() }
  const bounds: Bounds = {
    ...(since === undefined ? {} : { since: sinceInstant(since, calendar) }),
    ...(until === undefined ? {} : { until: untilInstant(until, calendar) }),
  }
  assertOrdered(bounds, zone)
  const narrowing: Narrowing = {
    ...(connection_id === undefined ? {} : { connection_id }),
    ...(connector === undefined ? {} : await kindsOf(client, connector, connection_id)),
    ...(person === undefined ? {} : { person: [person] }),
    ...boundsIn(bounds, zone, isOwn),
  }
  return { narrowing, zone, notes: boundsNotes(bounds, zone) }
}

/** What `connector` names; beside connections it can only narrow them to kinds. */
async function kindsOf(
  client: ResourceServerClient,
  connector: string,
  connection_id: string[] | undefined,
): Promise<Narrowing> {
  const named = await sourcesNamed(client, connector)
  return connection_id && named.connection_id ? { connector: [connector] } : named
}

/** The connections of a stream, as the schema lists them, that a narrowing leaves. */
export function connectionsLeft(
  { connections }: JsonObject,
  { connection_id, connector }: Narrowing,
): JsonObject[] {
  return objectsIn(connections).filter(
    each =>
      (connection_id === undefined || connection_id.includes(String(each.connection_id))) &&
      (connector === undefined ||
        each.connector_key === undefined ||
        connector.includes(String(each.connector_key))),
  )
}

/** Refuses bounds between which there is no time: the answer would look as if there were no records. */
function assertOrdered({ since, until }: Bounds, zone: TimeZone): void {
  if (since === undefined || until === undefined || instantMs(since) < instantMs(until)) return
  const range = `from ${boundText(since, zone)}, before ${boundText(until, zone)}`
  const message = `There is no time between since and until (${range}). Repeat the call with an earlier since.`
  throw new CodedError('invalid_request', message, { param: 'since' })
}

/** Says that the records with a person are not only those that they wrote, with the call that counts only these. */
export function personNotes({ person, ...args }: JsonObject): string[] {
  if (typeof person !== 'string' || person.includes('"') || namesOwner(person)) return []
  const query = `${text(args, 'query') ?? ''} from:"${person}"`.trim()
  const written = callText({ tool: 'aggregate', args: { ...args, query } })
  return [`Counted: from, to or with ${quotedHead(person, 60)}. Only from: ${written}`]
}

/** How bounds were interpreted, for programs. */
export function understoodOf({ since, until }: Bounds, zone: TimeZone): JsonObject {
  if (since === undefined && until === undefined) return {}
  return {
    understood: {
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      time_zone: zone.name,
    },
  }
}

/** The zone of a call: `time_zone`, or else the owner's. */
export async function zoneOf(
  args: JsonObject,
  client: ResourceServerClient,
  isAsked: boolean,
): Promise<TimeZone> {
  const given = text(args, 'time_zone')
  if (given !== undefined) return new TimeZone(given)
  return isAsked ? ownerZone(client) : new TimeZone('UTC')
}

/** The owner's zone from the schema; UTC if the server does not say. It is requested once. */
export async function ownerZone(client: ResourceServerClient): Promise<TimeZone> {
  const { provider } = client
  if (provider.timeZone !== undefined) return provider.timeZone
  // Only our own server has an owner whose zone is known.
  if (!(await capabilitiesOf(client)).has('operators')) return new TimeZone('UTC')
  const { time_zone } = await declaredStreams(client, { view: 'compact' })
  provider.timeZone = knownZone(time_zone)
  return provider.timeZone
}

/** A zone as a server names it; UTC if there is no such zone. */
export function knownZone(name: unknown): TimeZone {
  try {
    return new TimeZone(typeof name === 'string' ? name : 'UTC')
  } catch {
    return new TimeZone('UTC')
  }
}

/** What other query languages call the operators. */
const SAME_OPERATOR: Readonly<Record<string, Condition['operator']>> = {
  ...{ eq: 'eq', equals: 'eq', is: 'eq', '=': 'eq', '==': 'eq' },
  ...{ '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt', from: 'gte', to: 'lte', min: 'gte', max: 'lte' },
  ...{ after: 'gt', since: 'gte', before: 'lt', until: 'lte', on: 'eq' },
  ...{ includes: 'contains', like: 'contains', ilike: 'contains', one_of: 'in', any: 'in' },
}

/** The conditions of a filter object: field → value, or field → {gte, gt, lte, lt, contains, in}. */
export function conditionsOf(args: JsonObject): Condition[] {
  if (!isObject(args.filter)) return []
  return Object.entries(args.filter).flatMap(([field, given]): Condition[] => {
    const condition = Array.isArray(given) ? { in: given } : given
    if (field === '' || /[[\]]/.test(field)) throw refused(`"${field}" is not a field name.`)
    if (!isObject(condition)) return [{ field, operator: 'eq', value: scalar(field, condition) }]
    const bounds = Object.entries(withoutBetween(condition))
    if (bounds.length === 0) throw refused(`The filter on ${field} has no operator.`)
    return bounds.flatMap(([name, value]) => {
      const operator = operatorNamed(name)
      if (!operator) throw refused(`${name} is not an operator; use ${WHERE_OPERATORS.join(', ')}.`)
      const values = operator === 'in' && Array.isArray(value) ? value : [value]
      if (values.length === 0) throw refused(`The filter on ${field} has an empty list.`)
      const isPattern = /like$/i.test(name)
      return values.map(each => {
        const value = scalar(field, each)
        return { field, operator, value: isPattern ? value.replace(/^%|%$/g, '') : value }
      })
    })
  })
}

function withoutBetween({ between, ...others }: JsonObject): JsonObject {
  if (between === undefined) return others
  const [gte = null, lte = null, ...more] = Array.isArray(between) ? between : []
  return more.length > 0 || lte === null ? { between, ...others } : { gte, lte, ...others }
}

function operatorNamed(given: string): Condition['operator'] | undefined {
  const name = given.toLowerCase().replace(/^\$/, '')
  const same = Object.hasOwn(SAME_OPERATOR, name) ? SAME_OPERATOR[name] : undefined
  return WHERE_OPERATORS.find(known => known === name) ?? same
}

/** Refuses conditions if the server does not announce `where`: leaving them out would answer a different question. */
export function assertFilters(conditions: readonly Condition[], capabilities: ReadonlySet<string>): void {
  if (conditions.length > 0 && !capabilities.has('where'))
    throw refused('This resource server does not accept filters from apps. Repeat the call without filter.')
}

function scalar(field: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw refused(`The filter on ${field} needs a string, a number or a boolean.`)
}

function refused(message: string): CodedError {
  return new CodedError('invalid_request', message, { param: 'filter' })
}
