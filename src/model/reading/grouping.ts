import { isObject } from '../json.ts'
import { GRANULARITIES } from './aggregate.ts'

/** How a request wants its figures grouped. */
export interface Grouping {
  group_by: string | undefined
  group_by_time: string | undefined
  granularity: string | undefined
  split_by: string | undefined
}

/** How many groups an answer has unless a limit says otherwise: enough for the days of a month. */
export function usualGroups({ group_by, group_by_time, granularity, split_by }: Grouping): number {
  const isTimed =
    group_by_time !== undefined || granularity !== undefined || isUnit(group_by) || isUnit(split_by)
  return isTimed ? 31 : 10
}

/** The flags of each field in the compact schema. */
export type Flags = ReadonlyMap<string, readonly string[]>

/** Two fields with one of these roles say the same. */
const SAYING_THE_SAME = ['actor', 'recipient', 'place']

/**
 * The grouping in fields that can be grouped: `from` is the field of the sender, `month` a granularity of the event
 * time, and a field beside a time splits its buckets. What is not understood stays, and the resource server refuses it.
 */
export function groupingOf(asked: Grouping, fields: Flags): Grouping {
  if (fields.size === 0) return asked
  const { group_by, group_by_time, granularity, split_by } = withTime(asked, fields)
  const isSplit = group_by !== undefined && group_by_time !== undefined && split_by === undefined
  return {
    group_by: isSplit ? undefined : meantField(group_by, fields, 'group_by'),
    group_by_time,
    granularity,
    split_by: meantField(isSplit ? group_by : split_by, fields, 'group_by'),
  }
}

function withTime(asked: Grouping, fields: Flags): Grouping {
  const { group_by, group_by_time, granularity, split_by } = asked
  const isTime = (name: string | undefined) => name !== undefined && offers(fields, name, 'group_by_time')
  const times = [...fields.keys()].filter(isTime)
  const time = times.find(field => fields.get(field)?.includes('event-time')) ?? times[0]
  const names = (name: string | undefined) => isUnit(name) && !fields.has(name ?? '')
  if (names(group_by_time))
    return { ...asked, group_by_time: time, granularity: granularity ?? group_by_time }
  if (group_by_time !== undefined) return asked
  if (names(group_by))
    return { ...asked, group_by: undefined, group_by_time: time, granularity: granularity ?? group_by }
  if (names(split_by))
    return { ...asked, split_by: undefined, group_by_time: time, granularity: granularity ?? split_by }
  if (granularity === undefined) return asked
  if (isTime(group_by)) return { ...asked, group_by: undefined, group_by_time: group_by }
  return isTime(split_by)
    ? { ...asked, split_by: undefined, group_by_time: split_by }
    : { ...asked, group_by_time: time }
}

function isUnit(name: string | undefined): boolean {
  return GRANULARITIES.some(unit => unit === name)
}

/** The named field, or the one that says the same and offers the aggregation. */
export function meantField(name: string | undefined, fields: Flags, aggregation: string): string | undefined {
  if (name === undefined || offers(fields, name, aggregation)) return name
  const known = fields.get(name)
  const roles = known ? SAYING_THE_SAME.filter(role => known.includes(role)) : [roleMeant(name)]
  const alike = [...fields.keys()].find(
    field => offers(fields, field, aggregation) && fields.get(field)?.some(flag => roles.includes(flag)),
  )
  return alike ?? name
}

function offers(fields: Flags, field: string, aggregation: string): boolean {
  const offered = fields.get(field)?.find(flag => flag.startsWith('a='))
  return offered?.slice(2).split(',').includes(aggregation) ?? false
}

/** A stream of a compact schema, from any server. */
type Described = Partial<Record<'stream' | 'name' | 'fields', unknown>>

/** The flags of a stream's fields. */
export function flagsOf(streams: readonly Described[], stream: string): Flags {
  const named = streams.filter(each => each.stream === stream || each.name === stream)
  return new Map(
    named.flatMap(({ fields }) =>
      Object.entries(isObject(fields) ? fields : {}).flatMap(([field, flags]) =>
        typeof flags === 'string' ? [[field, flags.split(' ')] as const] : [],
      ),
    ),
  )
}

/** What a field is called by someone who does not know its name, by role. Operators of search have these names too. */
const WORDS: Readonly<Record<string, string>> = {
  actor: 'from sender author person user username',
  recipient: 'to recipient recipients',
  place: 'in channel folder mailbox room chat place',
  label: 'label labels tag tags category categories',
  'event-time': 'date time timestamp datetime when sent received created occurred_at',
  'primary-title': 'title subject name heading',
  'primary-text': 'text body content message',
  attachment: 'attachment attachments attachment_names file files',
}

const ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([role, words]) => words.split(' ').map(word => [word, role] as const)),
)

/** The role of the fields that a word means, in any stream; undefined for a word that means none. */
export function roleMeant(word: string): string | undefined {
  return ROLES.get(word.trim().toLowerCase())
}
