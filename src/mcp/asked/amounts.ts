import { aggregate as route } from '../../api/aggregate.ts'
import type { JsonObject } from '../../model/json.ts'
import { flagsOf } from '../../model/reading/grouping.ts'
import { timesIn } from '../../model/search/query-dates.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import { fold } from '../../model/text/fold.ts'
import { isStopKey, keyOf } from '../../model/text/words.ts'
import type { TimeZone } from '../../model/time.ts'
import { sinceInstant, untilInstant } from '../../model/time-bounds.ts'
import { meantStreams } from '../reading/every-stream.ts'
import type { Narrowing } from '../reading/narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { bytesOf, callText, word } from '../text/quote.ts'
import { askedPeriod, onlyTime, withoutPeriod } from './asked-time.ts'

/** The source of an expression that matches these words, but not as parts of others. */
export const alone = (words: string) => `(?<!\\p{L})(?:${words})(?!\\p{L})`
/** What asks for a sum: for money, or for a figure for each day, week, month or year. */
const SPENT = new RegExp(
  `${alone(
    'spen[dt]|spending|expenses?|expenditures?|earn(?:ed|ings)?|how\\s+much\\s+.*(?:pa(?:y|id)|cost)|ausgegeben|ausgaben|bezahlt|verdient|gast(?:é|amos|ado|os|ar)|pagu?[eé]|dépens(?:é|es?)|payé',
  )}|花了|花费|花費|支出`,
  'iu',
)
/** What asks for a number of something, such as steps. */
const HOW_MANY = new RegExp(
  alone('how\\s+many|how\\s+much|number\\s+of|wie\\s?viele?|cuánt[oa]s?|combien'),
  'iu',
)
/** Words that ask for money or a number, and are not in its records. */
const ASKING =
  /^(?:spen[dt]|spending|expenses?|expenditures?|earn(?:ed|ings)?|pa(?:y|id)|costs?|many|much|money|total|altogether|number|take|took|taken|make|made|walk|walked|run|ran|get|got|viele?|wieviele?|gemacht|gelaufen|cuant[oa]s?|combien|wie|ich|wir|je|viel|hab(?:e|en)|he|ai|euros?|ausgegeben|ausgaben|bezahlt|verdient|gast(?:e|amos|ado|os)|pague|depens(?:e|es)|paye)$/
/** Parts of the names of fields with amounts of money. A size or a duration can be added up too. */
const AMOUNT =
  /(?:^|_)(?:amount|price|cost|paid|spent|total|gross|net|debit|value|betrag|umsatz|montant|importe|importo|bedrag)(?:_|$)/i
/** A number that may be an amount, if words say of what: steps, kilometres. */
const ANY_NUMBER = 'value'
export const WORDS = /\p{sc=Han}+|(?:(?!\p{sc=Han})[\p{L}\p{N}\p{M}])+/gu
const MOST_CALLS = 2
/** The most streams with amounts that are asked. Each is a request to the resource server. */
const MOST_STREAMS = 20
const MOST_LINE_BYTES = 300
/** A longer question has words that no record of an amount contains. */
const MOST_WORDS = 8

/** A stream with amounts, and what is added up of it. */
export interface Amounts {
  stream: string
  field: string
}

/** What a question asks to be added up. */
interface Asked {
  words: readonly string[]
  /** As `since` and `until` accept it. */
  time: string | undefined
  granularity: string | undefined
  /** Whether it asks for a sum in words. Otherwise it may ask for a number of records, and amounts of money are none. */
  isSum: boolean
}

/** The search that asks, as understood. */
export interface Search {
  args: JsonObject
  narrowing: Narrowing
  zone: TimeZone
}

/**
 * The sums that a query asks for, and the calls that give them: hits are only examples. Where no record with an amount
 * has all words, as in a question with words that only ask, those are taken that records of the streams of the hits have.
 */
export async function amountCalls(
  client: ResourceServerClient,
  search: Search,
  streamsOfHits: ReadonlySet<string>,
): Promise<string[]> {
  const asked = askedAmounts(String(search.args.query), search.zone)
  if (!asked || !(await capabilitiesOf(client)).has('aggregate_query')) return []
  const all = (await streamsWithAmounts(client, search.narrowing)).filter(({ field }) =>
    field === ANY_NUMBER ? asked.words.length > 0 : asked.isSum,
  )
  const sum = (amounts: Amounts, words: readonly string[]) =>
    summed(client, amounts, { ...asked, words }, search)
  const whole = await found(all, amounts => sum(amounts, asked.words))
  const shown =
    whole.length > 0
      ? whole
      : await found(
          all.filter(({ stream }) => streamsOfHits.has(stream)),
          async amounts => {
            const known = await found(asked.words, async one => (await sum(amounts, [one])) && one)
            return known.length === 0 ? null : sum(amounts, known)
          },
        )
  return shown
    .filter(({ line }) => bytesOf(line) <= MOST_LINE_BYTES)
    .toSorted((a, b) => b.records - a.records)
    .slice(0, MOST_CALLS)
    .map(({ line }) => line)
}

/** What is found for one after another. */
async function found<Each, Found>(
  all: readonly Each[],
  find: (each: Each) => Promise<Found | null>,
): Promise<Found[]> {
  const results: Found[] = []
  for (const each of all) {
    const result = await find(each)
    if (result !== null) results.push(result)
  }
  return results
}

function askedAmounts(query: string, zone: TimeZone): Asked | null {
  const granularity = askedPeriod(query)
  const isAnyNumber = HOW_MANY.test(query)
  const isSum = SPENT.test(query) || granularity !== undefined
  if (!isSum && !isAnyNumber) return null
  const about = withoutPeriod(query)
  const calendar = { zone, now: new Date() }
  const ofTimes = new Set(timesIn(about, calendar).flatMap(({ words }) => words))
  const words = (parseSearchQuery(about).text.match(WORDS) ?? []).filter(
    each => !ASKING.test(fold(each)) && !isStopKey(keyOf(each)) && !ofTimes.has(keyOf(each)),
  )
  if (words.length > MOST_WORDS) return null
  return { words, time: onlyTime(about, calendar)?.name, granularity, isSum }
}

export async function streamsWithAmounts(
  client: ResourceServerClient,
  narrowing: Narrowing,
): Promise<Amounts[]> {
  const streams = await meantStreams(client, narrowing).catch(() => [])
  return streams
    .flatMap(declared => {
      const stream = String(declared.stream ?? declared.name)
      const field = [...flagsOf([declared], stream)].find(
        ([name, flags]) => AMOUNT.test(name) && isSummed(flags),
      )?.[0]
      return field === undefined ? [] : [{ stream, field }]
    })
    .slice(0, MOST_STREAMS)
}

/** The arguments of a search that narrow a figure too. */
const NARROWING = ['connection_id', 'connector', 'person', 'since', 'until', 'time_zone'] as const

export function narrowingArgs(args: JsonObject): JsonObject {
  return Object.fromEntries(NARROWING.flatMap(name => (args[name] == null ? [] : [[name, args[name]]])))
}

/** The sum and the call that gives it; null without records. */
async function summed(
  client: ResourceServerClient,
  { stream, field }: Amounts,
  { words, time, granularity }: Asked,
  { args, narrowing, zone }: Search,
): Promise<{ line: string; records: number } | null> {
  const query = words.length === 0 ? {} : { query: words.join(' ') }
  const calendar = { zone, now: new Date() }
  const bounds =
    time === undefined ? {} : { since: sinceInstant(time, calendar), until: untilInstant(time, calendar) }
  const zoned = query.query === undefined && time === undefined ? {} : { time_zone: zone.name }
  const { filtered_record_count, value } = await client
    .get(route, { stream }, { ...narrowing, ...bounds, ...zoned, metric: 'sum', field, q: query.query })
    .catch((): JsonObject => ({}))
  const records = Number(filtered_record_count ?? 0)
  if (records === 0) return null
  const call = {
    ...{ stream, metric: 'sum', field, ...query },
    ...narrowingArgs(args),
    ...(time === undefined ? {} : { since: time, until: time }),
    ...(granularity === undefined ? {} : { granularity }),
  }
  const of = `${word(field)} in ${records} ${records === 1 ? 'record' : 'records'}`
  return { line: `Sum of ${of}: ${String(value)}. ${callText({ tool: 'aggregate', args: call })}`, records }
}

function isSummed(flags: readonly string[]): boolean {
  return flags.some(flag => flag.startsWith('a=') && flag.slice(2).split(',').includes('sum'))
}
