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

/** The number that a query asks for, and the call that gives it: hits are only examples. */
export async function countCalls(client: ResourceServerClient, search: Search): Promise<string[]> {
  const { args, zone } = search
  if (args.filter !== undefined || !(await capabilitiesOf(client)).has('aggregate_query')) return []
  const asked = askedCount(String(args.query), { zone, now: new Date() })
  if (!asked) return []
  const line =
    asked.noun === null ? await mentioned(client, search, asked) : await ofKind(client, search, asked)
  return line === null || bytesOf(line) > MOST_LINE_BYTES ? [] : [line]
}

/** Records of every kind with the words; those of the owner, if the records say which these are. */
async function mentioned(
  client: ResourceServerClient,
  search: Search,
  asked: AskedCount,
): Promise<string | null> {
  if (parseSearchQuery(asked.query).clues.length === 0) return null
  const others = asked.query.replace(/^from:me /, '')
  for (const query of new Set([asked.query, others])) {
    const { meta } = await client
      .get(searchRoute, {}, { ...search.narrowing, ...boundsOf(asked, search), q: query, limit: 1 })
      .catch((): JsonObject => ({}))
    const { count, count_accuracy } = isObject(meta) ? meta : {}
    if (typeof count !== 'number' || count === 0) continue
    const number = `${count_accuracy === 'exact' ? '' : 'more than '}${count}`
    return `Records with these words: ${number}. ${call(search, { ...asked, query })}`
  }
  return null
}

/** Records of one kind, of which there may be several streams. */
async function ofKind(
  client: ResourceServerClient,
  search: Search,
  asked: AskedCount,
): Promise<string | null> {
  const { args, narrowing, zone } = search
  const noun = asked.noun ?? ''
  const named = new Set(await (EVENTS.test(noun) ? streamsOfEvents(client) : streamsMeant(client, noun)))
  const chosen = texts(args, 'streams')
  const declared = (await meantStreams(client, narrowing)).filter(each => {
    const stream = String(each.stream ?? each.name)
    return named.has(stream) && (chosen?.includes(stream) ?? true)
  })
  if (declared.length === 0 || declared.length > MOST_STREAMS) return null
  const counted: { stream: string; records: number; groups: JsonObject[] }[] = []
  for (const each of declared) {
    const stream = String(each.stream ?? each.name)
    const { group_by } = groupingOf({ ...NO_GROUPS, group_by: asked.group_by }, flagsOf([each], stream))
    const grouped = group_by === undefined ? {} : { group_by, limit: MOST_GROUPS }
    const figures = await client
      .get(
        route,
        { stream },
        {
          ...narrowing,
          ...boundsOf(asked, search),
          ...(asked.query === '' ? {} : { q: asked.query, time_zone: zone.name }),
          ...grouped,
          metric: 'count',
        },
      )
      .catch((): JsonObject => ({}))
    const records = Number(figures.filtered_record_count ?? 0)
    if (records > 0) counted.push({ stream, records, groups: objectsIn(figures.groups) })
  }
  const [only, ...others] = counted.toSorted((a, b) => b.records - a.records)
  if (!only) return null
  if (others.length === 0) {
    const most = only.groups.map(({ key, count }) => `${quotedHead(String(key), KEY_BYTES)} ${count}`)
    const which = most.length > 0 ? `, most: ${most.join(', ')}` : ''
    return `Count of ${nameText(only.stream)}: ${only.records}${which}. ${call(search, { ...asked, stream: only.stream })}`
  }
  const all = [only, ...others].map(({ stream, records }) => `${records} ${nameText(stream)}`)
  const group_by = asked.group_by ?? (asked.granularity === undefined ? 'stream' : undefined)
  return `Count: ${someNames(all, MOST_NAMED)}. ${call(search, { ...asked, ...(group_by && { group_by }) })}`
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
  { noun: _, query, stream, ...asked }: Omit<AskedCount, 'group_by'> & JsonObject,
) {
  const narrowed = {
    ...(stream === undefined ? {} : { stream }),
    ...(query === '' ? {} : { query }),
    ...narrowingArgs(args),
  }
  return callText({ tool: 'aggregate', args: { ...narrowed, ...asked } })
}
