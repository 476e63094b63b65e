import { aggregate as route } from '../../api/aggregate.ts'
import { type JsonObject, objectsIn } from '../../model/json.ts'
import { type Flags, flagsOf, groupingOf } from '../../model/reading/grouping.ts'
import { PEOPLE } from '../../model/reading/people.ts'
import { wordsOf } from '../../model/reading/role-test.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { someNames } from '../../model/some-names.ts'
import { isStopKey, keyOf } from '../../model/text/words.ts'
import { meantStreams, nameText } from '../reading/every-stream.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { bytesOf, callText, quotedHead, word } from '../text/quote.ts'
import { narrowingArgs, type Search, WORDS } from './amounts.ts'
import { askedPeriod } from './asked-time.ts'

const keysIn = (words: string) => new Set(words.split(' ').map(keyOf))

/** Words that only ask for all about a person. */
const ASKING = keysIn('everything anything know tell information info overview summary alles todo tout tutto')
const COUNTING = /(?<!\p{L})(?:how\s+(?:many|often|much)|wie\s+(?:viele?|oft))(?!\p{L})/iu
/** Words that only say what is counted. */
const COUNTED = keysIn(
  'wie many often much message mail email note post text chat write wrote written send sent say said post per day week month year have total ever nachrichten mails geschrieben schreibt hat viele oft',
)
const MOST_NAMES = 4
const NAME_BYTES = 60
/** The most streams that are named, and that are asked. Each is a request to the resource server. */
const MOST_NAMED = 4
const MOST_ASKED = 20
const MOST_BYTES = 400

/** What one stream has of a person. */
interface Share {
  stream: string
  records: number
  /** The first and the last year. */
  years: readonly string[]
}

/**
 * Where and when a person appears, and the calls that list and count it, if a query names nothing but somebody whose hits
 * it finds, or asks how many there are: the hits are only a few of many.
 */
export async function personOverview(
  client: ResourceServerClient,
  search: Search,
  hits: readonly JsonObject[],
): Promise<string[]> {
  const { args, narrowing, zone } = search
  const query = String(args.query)
  const name = personNamed(query)
  const isNarrowed = (args.person ?? args.streams ?? args.filter) !== undefined
  if (name === null || isNarrowed || !(COUNTING.test(query) || hits.some(hit => isOf(hit, name)))) return []
  if (!(await capabilitiesOf(client)).has('operators')) return []
  const shares: Share[] = []
  for (const { stream, flags } of await streamsWithPeople(client, search)) {
    const { group_by_time, granularity } = groupingOf({ ...NO_GROUPS, granularity: 'year' }, flags)
    const years = group_by_time === undefined ? {} : { group_by_time, granularity, time_zone: zone.name }
    const figures = await client
      .get(route, { stream }, { ...narrowing, ...years, person: [name], metric: 'count' })
      .catch((): JsonObject => ({}))
    const records = Number(figures.filtered_record_count ?? 0)
    const keys = objectsIn(figures.groups).flatMap(({ key }) => (typeof key === 'string' ? [key] : []))
    if (records > 0) shares.push({ stream, records, years: keys.sort() })
  }
  const lines = overviewLines(name, shares, sourcesOf(hits), args)
  return shares.length === 0 || bytesOf(lines.join('')) > MOST_BYTES ? [] : lines
}

const NO_GROUPS = { group_by: undefined, group_by_time: undefined, split_by: undefined }

/** The name in a query that has nothing else, as written there. */
function personNamed(query: string): string | null {
  const { clues, operators, excluded, text } = parseSearchQuery(query)
  if (operators.length > 0 || excluded.length > 0 || clues.some(({ kind }) => kind !== 'word')) return null
  const isCounting = COUNTING.test(query)
  const names: string[] = []
  for (const word of text.match(WORDS) ?? []) {
    const key = keyOf(word)
    // Some surnames, such as Doe, are also words that only ask.
    const isSurname = names.length > 0 && /^\p{Lu}\p{Ll}/u.test(word)
    if (ASKING.has(key) || (isCounting && COUNTED.has(key)) || (isStopKey(key) && !isSurname)) continue
    names.push(word)
  }
  return names.length > 0 && names.length <= MOST_NAMES ? names.join(' ') : null
}

/** Whether a hit is by somebody of this name, or has just the name as its title, as a contact does. */
function isOf({ author, title }: JsonObject, name: string): boolean {
  const words = wordsOf(name)
  const written = typeof author === 'string' ? wordsOf(author) : []
  const titled = typeof title === 'string' ? wordsOf(title) : []
  return words.every(word => written.includes(word)) || words.join(' ') === titled.join(' ')
}

async function streamsWithPeople(
  client: ResourceServerClient,
  { narrowing }: Search,
): Promise<{ stream: string; flags: Flags }[]> {
  const streams = await meantStreams(client, narrowing)
  const declared = streams.map(each => {
    const stream = String(each.stream ?? each.name)
    return { stream, flags: flagsOf([each], stream) }
  })
  return declared
    .filter(({ flags }) => [...flags.values()].some(each => PEOPLE.some(role => each.includes(role))))
    .slice(0, MOST_ASKED)
}

/** The sources of hits, if there are several: a person is also mentioned where they wrote nothing. */
function sourcesOf(hits: readonly JsonObject[]): string {
  const names = new Set(hits.flatMap(({ display_name }) => (display_name ? [String(display_name)] : [])))
  const told = [...names].map(name => word(name, NAME_BYTES))
  return told.length > 1 ? ` Hits in ${someNames(told, MOST_NAMED)}.` : ''
}

function overviewLines(name: string, shares: readonly Share[], sources: string, args: JsonObject): string[] {
  const shown = shares
    .toSorted((a, b) => b.records - a.records || (a.stream < b.stream ? -1 : 1))
    .map(({ stream, records, years }) => `${records} ${nameText(stream)}${yearsText(years)}`)
  const who = { person: name, ...narrowingArgs(args) }
  const granularity = askedPeriod(String(args.query)) ?? 'month'
  const all = callText({ tool: 'query_records', args: who })
  return [
    `From, to or with ${quotedHead(name, NAME_BYTES)}: ${someNames(shown, MOST_NAMED)}.${sources} All: ${all}`,
    `Per ${granularity}: ${callText({ tool: 'aggregate', args: { ...who, granularity } })}`,
  ]
}

function yearsText(years: readonly string[]): string {
  const [first, last] = [years[0], years.at(-1)]
  if (first === undefined) return ''
  return first === last ? ` (${first})` : ` (${first} to ${last})`
}
