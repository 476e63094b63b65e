import type { JsonObject } from '../../model/json.ts'
import { TimeZone } from '../../model/time.ts'
import type { Calendar } from '../../model/time-bounds.ts'
import { text } from '../arguments.ts'
import { sourcesCalled } from '../reading/meant-sources.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { streamsOfEvents } from '../reading/stream-shape.ts'
import { askedCount } from './asked-count.ts'
import { type AskedOrder, askedOrder, type ByTime, operatorOf, within } from './asked-order.ts'
import { type AskedPlace, askedPlace, soughtIn } from './asked-place.ts'
import { LONGEST_QUESTION } from './asked-time.ts'
import { inEnglish } from './in-english.ts'

const SOURCES = ['connector', 'connection_id', 'streams'] as const
const INSTEAD = 'The words were searched for, because'
const ON_SOURCE = /^(.+?)\s+(?:on|in|via|from|with)\s+([^\s":]+?)[?.!]*$/i

/** A search that asks in words for an order or a person, with the arguments that ask for the same. */
export interface Reread {
  args: JsonObject
  told: string
  /** What to tell if that finds nothing. */
  missed: string
}

/** Null for a search that asks for no order and no person in words. */
export async function inAskedOrder(args: JsonObject, client: ResourceServerClient): Promise<Reread | null> {
  if (args.within !== undefined) return null
  const sorted = text(args, 'sort')
  if (sorted === 'relevance') return null
  const given = sorted as ByTime | undefined
  const calendar = { zone: new TimeZone('UTC'), now: new Date() }
  const read = (query: string) => askedOrder(query, calendar, given)
  const query = text(args, 'query') ?? ''
  const written = inEnglish(query)
  if (written.length > LONGEST_QUESTION) return null
  const capabilities = await capabilitiesOf(client)
  if (!capabilities.has('search_sort') || !capabilities.has('operators')) return null
  const isChosen = SOURCES.some(name => args[name] !== undefined)
  const called = async (name: string | null | undefined) =>
    name && !isChosen && (await sourcesCalled(client, name)).length > 0 ? name : null
  const place = askedPlace(written)
  const words = place?.rest ?? written
  const [, before = '', named] = ON_SOURCE.exec(words) ?? []
  const isRead = !isChosen && read(before) !== null
  const source = isRead ? await called(named) : null
  const asked =
    read(source === null ? words : before) ?? (place && allOf(place, given)) ?? allCounted(written, calendar)
  if (!asked && written === query) return null
  const { sort, kind, events, ...meant } = asked ?? { sort: null, kind: null, query: written }
  const sought = place ? `${operatorOf('in', place.name)} ${meant.query}`.replace(/ \*?$/, '') : meant.query
  if (events !== undefined) return amongEvents(args, { query: sought, sort, events }, client)
  const connector = source ?? (await called(kind))
  const what = `${sought}${connector === null ? '' : ` in ${connector}`}`
  return {
    args: {
      ...(meant.limit && { limit: meant.limit }),
      ...args,
      query: sought,
      ...(sort ? { sort } : {}),
      ...(connector === null ? {} : { connector }),
    },
    told: `${sort ? `Listed ${sort} first` : 'Searched for'}, as the query asks: ${what}. Pass sort relevance for ${sort ? 'the best hits' : 'its words'}.`,
    missed: `${INSTEAD} nothing that may be read matches ${what}.`,
  }
}

/** What a query that asks for no order and no person looks for in the place that it names. */
function allOf(place: AskedPlace, given: ByTime | undefined): AskedOrder {
  return { sort: given ?? null, query: soughtIn(place), kind: null }
}

/** The records of which a query asks for the number: the hits are examples of them. */
function allCounted(written: string, calendar: Calendar): AskedOrder | null {
  const { noun, query, isWords, group_by, ...bounds } = askedCount(written, calendar) ?? {
    noun: null,
    query: '',
  }
  if (noun === null || isWords || group_by || query === '') return null
  const all = bounds.since === undefined ? query : within(query, bounds)
  return { sort: 'newest', query: all, kind: noun }
}

/** Events are in the streams whose records end; the next begins after now. Null if there are none, or a time is given. */
async function amongEvents(
  args: JsonObject,
  { query, sort, events }: Pick<AskedOrder, 'query' | 'sort'> & { events: 'after' | 'before' | 'at' },
  client: ResourceServerClient,
): Promise<Reread | null> {
  if (['since', 'until', ...SOURCES].some(name => args[name] !== undefined)) return null
  const streams = await streamsOfEvents(client)
  if (streams.length === 0) return null
  const bound = { after: ' since:now', before: ' before:now', at: '' }[events]
  const when = events === 'at' ? '' : ` ${events} now`
  const places = streams.join(', ')
  return {
    args: { ...args, query: `${query}${bound}`, sort: sort ?? 'oldest', streams },
    told: `Listed${when}: ${query} in ${places}. Recurring events are listed by their first time.`,
    missed: `${INSTEAD} there is nothing${when} in ${places}${query === '*' ? '' : ` for ${query}`}.`,
  }
}
