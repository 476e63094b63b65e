import { flagsOf } from '../model/reading/grouping.ts'
import { timesIn } from '../model/search/query-dates.ts'
import { parseSearchQuery } from '../model/search/search-query.ts'
import { fold } from '../model/text/fold.ts'
import { isStopKey, keyOf } from '../model/text/word-keys.ts'
import type { TimeZone } from '../model/time-zone.ts'
import { meantStreams } from './reading/every-stream.ts'
import type { Narrowing } from './reading/narrowing.ts'
import type { ResourceServerClient } from './reading/resource-server-client.ts'
import { bytesOf, callText } from './text/quote.ts'

/** Words of a question for money, and what they are asked with. */
const SPENT =
  /(?<!\p{L})(?:spen[dt]|spending|expenses?|expenditures?|earn(?:ed|ings)?|how\s+much\s+.*(?:pa(?:y|id)|cost))(?!\p{L})/iu
const MONEY =
  /^(?:spen[dt]|spending|expenses?|expenditures?|earn(?:ed|ings)?|pa(?:y|id)|costs?|much|money|total|altogether)$/
/** Parts of the names of fields with amounts of money. A size or a duration can be added up too. */
const AMOUNT =
  /(?:^|_)(?:amount|price|cost|paid|spent|total|gross|net|debit|value|betrag|umsatz|montant|importe|importo|bedrag)(?:_|$)/i
const MOST_CALLS = 2
/** A longer call, of a long question, has words that no record of an amount contains. */
const MOST_CALL_BYTES = 240

/** The calls that add up the amounts of readable streams, for a query that asks what was spent. Records are only examples. */
export async function amountCalls(
  client: ResourceServerClient,
  query: string,
  { narrowing, zone }: { narrowing: Narrowing; zone: TimeZone },
): Promise<string[]> {
  if (!SPENT.test(query)) return []
  const times = timesIn(query, { zone, now: new Date() })
  const [time] = times.length === 1 ? times : []
  const ofTimes = new Set(times.flatMap(({ words }) => words))
  const words = (parseSearchQuery(query).text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).filter(
    word => !MONEY.test(fold(word)) && !isStopKey(keyOf(word)) && !ofTimes.has(keyOf(word)),
  )
  const about = {
    ...(words.length > 0 ? { query: words.join(' ') } : {}),
    ...(time ? { since: time.name, until: time.name } : {}),
  }
  const streams = await meantStreams(client, narrowing).catch(() => [])
  return streams
    .flatMap(declared => {
      const stream = String(declared.stream ?? declared.name)
      const field = [...flagsOf([declared], stream)].find(
        ([name, flags]) => AMOUNT.test(name) && isSummed(flags),
      )?.[0]
      return field === undefined
        ? []
        : [callText({ tool: 'aggregate', args: { stream, metric: 'sum', field, ...about } })]
    })
    .filter(call => bytesOf(call) <= MOST_CALL_BYTES)
    .slice(0, MOST_CALLS)
    .map(call => `To add up amounts: ${call}`)
}

function isSummed(flags: readonly string[]): boolean {
  return flags.some(flag => flag.startsWith('a=') && flag.slice(2).split(',').includes('sum'))
}
