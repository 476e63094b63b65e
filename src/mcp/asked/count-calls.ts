import { aggregate as route } from '../../api/aggregate.ts'
import { search as searchRoute } from '../../api/search.ts'
import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import { flagsOf, groupingOf } from '../../model/reading/grouping.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { someNames } from '../../model/some-names.ts'
import { sinceInstant, untilInstant } from '../../model/time-bounds.ts'
import { texts } from '../arguments.ts'
import { meantStreams, nameText } from '../reading/every-stream.ts'
import { streamsMeant } from '../reading/meant-sources.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { streamsOfEvents } from '../reading/stream-shape.ts'
import { bytesOf, callText, quotedHead } from '../text/quote.ts'
import { narrowingArgs, type Search } from './amounts.ts'
import { type AskedCount, askedCount } from './asked-count.ts'

/** The most streams that are counted. Each is a request to the resource server. */
const MOST_STREAMS = 8
const MOST_NAMED = 4
const MOST_GROUPS = 3
const EVENTS = /^(?:meetings?|appointments?)$/i
const KEY_BYTES = 50
const MOST_LINE_BYTES = 400

/** A number that a query asks for, and the line that says it, with the call that gives it. */
export interface Counted {
  line: string
  records: number
}

/** The number that a query asks for: hits are only examples. */
export async function askedCounts(client: ResourceServerClient, search: Search): Promise<Counted | null> {
  const { args, zone } = search
  if (args.filter !== undefined || !(await capabilitiesOf(client)).has('aggregate_query')) return null
  const asked = askedCount(String(args.query), { zone, now: new Date() })
  if (!asked) return null
  const counted =
    asked.noun === null ? await mentioned(client, search, asked) : await ofKind(client, search, asked)
  return counted === null || bytesOf(counted.line) > MOST_LINE_BYTES ? null : counted
}

/** Records of every kind with the words; those of the owner, if the records say which these are. */
async function mentioned(
  client: ResourceServerClient,
  search: Search,
  asked: AskedCount,
): Promise<Counted | null> {
  if (parseSearchQuery(asked.query).clues.length === 0) return null
  const others = asked.query.replace(/^from:me /, '')
  for (const query of new Set([asked.query, others])) {
    const { meta } = await client
      .get(searchRoute, {}, { ...search.narrowing, ...boundsOf(asked, search), q: query, limit: 1 })
      .catch((): JsonObject => ({}))
    const { count, count_accuracy } = isObject(meta) ? meta : {}
    if (typeof count !== 'number' || count === 0) continue
    const number = `${count_accuracy === 'exact' ? '' : 'more than '}${count}`
    const line = `Records with these words: ${number}. ${call(search, { ...asked, query })}`
    return { line, records: count }
  }
  return null
}

/** Records of one kind, of which there may be several streams. */
async function ofKind(
  client: ResourceServerClient,
  search: Search,
  asked: AskedCount,
): Promise<Counted | null> {
  const declared = await streamsOf(client, search, asked.noun ?? '')
  if (declared.length === 0 || declared.length > MOST_STREAMS) return null
  const { counted, isRefused } = await countEach(client, search, asked, declared)
  const [only, ...others] = counted
  if (!only) return asked.isWords || isRefused ? null : none(client, search, asked, declared)
  const records = counted.reduce((sum, each) => sum + each.records, 0)
  const words = asked.isWords ? ' with these words' : ''
  if (others.length === 0) {
    const most = only.groups.map(({ key, count }) => `${quotedHead(String(key), KEY_BYTES)} ${count}`)
    const which = most.length > 0 ? `, most: ${most.join(', ')}` : ''
    const all = call(search, { ...asked, stream: only.stream })
    return { line: `Count of ${nameText(only.stream)}${words}: ${records}${which}. ${all}`, records }
  }
  const each = counted.map(({ stream, records }) => `${records} ${nameText(stream)}`)
  const group_by = asked.group_by ?? (asked.granularity === undefined ? 'stream' : undefined)
  const all = call(search, { ...asked, ...(group_by && { group_by }) })
  return { line: `Count${words}: ${someNames(each, MOST_NAMED)}. ${all}`, records }
}

const MESSAGES = /^messages?$/i

/** The readable streams that a word for their records means. A mail is a message too. */
async function streamsOf(
  client: ResourceServerClient,
  { args, narrowing }: Search,
  noun: string,
): Promise<JsonObject[]> {
  const named = new Set(await (EVENTS.test(noun) ? streamsOfEvents(client) : streamsMeant(client, noun)))
  if (MESSAGES.test(noun)) for (const stream of await streamsMeant(client, 'mail')) named.add(stream)
  const chosen = texts(args, 'streams')
  return (await meantStreams(client, narrowing)).filter(each => {
    const stream = nameOf(each)
    return named.has(stream) && (chosen?.includes(stream) ?? true)
  })
}

const nameOf = ({ stream, name }: JsonObject) => String(stream ?? name)

/** The streams that have any of these records, and how many, most first. */
async function countEach(
  client: ResourceServerClient,
  search: Search,
  asked: AskedCount,
  declared: readonly JsonObject[],
) {
  const counted: { stream: string; records: number; groups: JsonObject[] }[] = []
  let isRefused = true
  for (const each of declared) {
    const stream = nameOf(each)
    const { group_by } = groupingOf({ ...NO_GROUPS, group_by: asked.group_by }, flagsOf([each], stream))
    const figures = await client
      .get(
        route,
        { stream },
        {
          ...search.narrowing,
          ...boundsOf(asked, search),
          ...(asked.query === '' ? {} : { q: asked.query, time_zone: search.zone.name }),
          ...(group_by === undefined ? {} : { group_by, limit: MOST_GROUPS }),
          metric: 'count',
        },
      )
      .catch((): JsonObject => ({}))
    if (typeof figures.filtered_record_count === 'number') isRefused = false
    const records = Number(figures.filtered_record_count ?? 0)
    if (records > 0) counted.push({ stream, records, groups: objectsIn(figures.groups) })
  }
  return { counted: counted.toSorted((a, b) => b.records - a.records), isRefused }
}

/** Says that there are none, and how many there are of other times, by month. */
async function none(
  client: ResourceServerClient,
  search: Search,
  asked: AskedCount,
  declared: readonly JsonObject[],
): Promise<Counted> {
  const { since, until, ...untimed } = asked
  const [only, ...others] = declared.map(nameOf)
  const of = only === undefined || others.length > 0 ? 'Count' : `Count of ${nameText(only)}`
  const stream = others.length > 0 ? {} : { stream: only ?? '' }
  const { counted } =
    since === undefined ? { counted: [] } : await countEach(client, search, untimed, declared)
  if (counted.length === 0) return { line: `${of}: 0. ${call(search, { ...asked, ...stream })}`, records: 0 }
  const ever = counted.reduce((sum, { records }) => sum + records, 0)
  const time = until === undefined ? `since ${since}` : `of ${since}`
  const months = call(search, { ...untimed, ...stream, granularity: asked.granularity ?? 'month' })
  return { line: `${of} ${time}: 0. At any time: ${ever}. ${months}`, records: 0 }
}

const NO_GROUPS = { group_by_time: undefined, granularity: undefined, split_by: undefined }

function boundsOf({ since, until }: AskedCount, { zone }: Search) {
  const calendar = { zone, now: new Date() }
  return {
    ...(since === undefined ? {} : { since: sinceInstant(since, calendar), time_zone: zone.name }),
    ...(until === undefined ? {} : { until: untilInstant(until, calendar) }),
  }
}

function call(
  { args }: Search,
  { noun: _, isWords: __, query, stream, ...asked }: Omit<AskedCount, 'group_by'> & JsonObject,
) {
  const narrowed = {
    ...(stream === undefined ? {} : { stream }),
    ...(query === '' ? {} : { query }),
    ...narrowingArgs(args),
  }
  return callText({ tool: 'aggregate', args: { ...narrowed, ...asked } })
}
