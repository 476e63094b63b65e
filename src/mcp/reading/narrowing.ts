import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { sinceInstant, untilInstant } from '../../model/reading/time-bounds.ts'
import { TimeZone } from '../../model/time-zone.ts'
import { text } from '../arguments.ts'
import { declaredStreams } from './declared-streams.ts'
import { capabilitiesOf, type ResourceServerClient } from './resource-server-client.ts'

/** What narrows a list, a search or a figure, as the resource server takes it. */
export interface Narrowing {
  person?: string[]
  connector?: string[]
  since?: string
  until?: string
}

/** A narrowing, and what of it has to be told: how dates were understood. */
export interface Understood {
  narrowing: Narrowing
  notes: string[]
}

/** The arguments person, connector, since and until; dates are days of the owner's zone, or of `time_zone`. */
export async function narrowingOf(
  args: JsonObject,
  client: ResourceServerClient,
  /** Arguments that every resource server takes. */
  always: readonly string[] = [],
): Promise<Understood> {
  const [person, connector, since, until] = NAMES.map(name => text(args, name))
  const special = NAMES.find(name => text(args, name) !== undefined && !always.includes(name))
  if (special !== undefined && !(await capabilitiesOf(client)).has('operators')) {
    const message = `This resource server does not take ${special} here. Repeat the call without it.`
    throw new CodedError('invalid_request', message, { param: special })
  }
  const narrowing: Narrowing = {
    ...(person === undefined ? {} : { person: [person] }),
    ...(connector === undefined ? {} : { connector: [connector] }),
  }
  if (since === undefined && until === undefined) return { narrowing, notes: [] }
  const zone = new TimeZone(text(args, 'time_zone') ?? (await ownerZone(client)))
  const calendar = { zone, now: new Date() }
  if (since !== undefined) narrowing.since = sinceInstant(since, calendar)
  if (until !== undefined) narrowing.until = untilInstant(until, calendar)
  const { since: from, until: to } = narrowing
  const range = [...(from ? [`from ${from}`] : []), ...(to ? [`until before ${to}`] : [])].join(' ')
  return { narrowing, notes: [`Time: ${range}, days of ${zone.name}.`] }
}

const NAMES = ['person', 'connector', 'since', 'until'] as const

/** The owner's zone as the schema tells it; a server that tells none is read in UTC. It is asked for once. */
async function ownerZone(client: ResourceServerClient): Promise<string> {
  const { provider } = client
  if (provider.timeZone !== undefined) return provider.timeZone
  const schema = await declaredStreams(client, { view: 'compact' })
  provider.timeZone = typeof schema.time_zone === 'string' ? schema.time_zone : 'UTC'
  return provider.timeZone
}
