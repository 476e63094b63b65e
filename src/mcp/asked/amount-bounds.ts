import { aggregate as route } from '../../api/aggregate.ts'
import type { JsonObject } from '../../model/json.ts'
import { wordsOf } from '../../model/reading/role-test.ts'
import { sinceInstant, untilInstant } from '../../model/time-bounds.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { callText, word } from '../text/quote.ts'
import { type Amounts, alone, narrowingArgs, type Search, streamsWithAmounts } from './amounts.ts'
import { onlyTime } from './asked-time.ts'

/** What is meant to have an amount of money. */
const PAID = new RegExp(
  alone(
    'payments?|transactions?|purchases?|expenses?|transfers?|spen[dt]|paid|bills?|invoices?|zahlung(?:en)?|überweisung(?:en)?|ausgaben?|buchung(?:en)?|rechnung(?:en)?|pagos?|gastos?|compras?|facturas?|paiements?|dépenses?|achats?|factures?',
  ),
  'iu',
)
const OVER =
  /(?<!\p{L})(?:over|more\s+than|above|at\s+least|exceeding|greater\s+than|über|mehr\s+als|más\s+de|plus\s+de)\s*[€$£]?\s*(\d{1,3}(?:[.,’']\d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,9}(?:[.,]\d{1,2})?)(?![\p{L}\p{N}]|[.,’']\d)/iu
const LARGEST = new RegExp(
  alone(
    'largest|biggest|highest|größten?|höchsten?|mayor(?:es)?|más\\s+(?:grande|alto)|plus\\s+(?:grande?|grosse?)',
  ),
  'iu',
)
const MOST_CALLS = 3

/**
 * The calls that list payments above an amount, or the largest ones: no search for words finds them. Money that was spent
 * is negative in most statements and positive in others.
 */
export async function amountBounds(client: ResourceServerClient, search: Search): Promise<string[]> {
  const { args, narrowing, zone } = search
  const query = String(args.query)
  const [, over] = OVER.exec(query) ?? []
  if (!PAID.test(query) || (over === undefined && !LARGEST.test(query)) || args.filter !== undefined)
    return []
  if (!(await capabilitiesOf(client)).has('where')) return []
  const calendar = { zone, now: new Date() }
  const time = onlyTime(query.replace(OVER, ' '), calendar)?.name
  const bounds =
    time === undefined
      ? {}
      : { since: sinceInstant(time, calendar), until: untilInstant(time, calendar), time_zone: zone.name }
  const told = { ...narrowingArgs(args), ...(time === undefined ? {} : { since: time, until: time }) }
  const figure = async ({ stream, field }: Amounts, metric: 'count' | 'min' | 'max', more = {}) => {
    const of = metric === 'count' ? { metric } : { metric, field }
    const found = await client
      .get(route, { stream }, { ...narrowing, ...bounds, ...of, ...more })
      .catch((): JsonObject => ({}))
    return Number(metric === 'count' ? (found.filtered_record_count ?? 0) : (found.value ?? 0))
  }
  const all = (await streamsWithAmounts(client, narrowing)).filter(({ field }) => field !== 'value')
  const named = all.filter(({ stream }) => wordsOf(query).includes(stream))
  const lines: { line: string; records: number }[] = []
  for (const amounts of named.length > 0 ? named : all) {
    const { stream, field } = amounts
    const limits =
      over === undefined
        ? { lte: await figure(amounts, 'min'), gte: await figure(amounts, 'max') }
        : { lte: -amountOf(over), gte: amountOf(over) }
    for (const operator of ['lte', 'gte'] as const) {
      const limit = limits[operator]
      if (operator === 'lte' ? limit >= 0 : limit <= 0) continue
      const where = [{ field, operator, value: String(limit) }]
      const records = await figure(amounts, 'count', { where })
      if (records === 0) continue
      const range = over === undefined ? String(limit) : `${limit} or ${operator === 'gte' ? 'more' : 'less'}`
      const call = { stream, filter: { [field]: { [operator]: limit } }, ...told }
      const line = `${word(stream)} with ${word(field)} ${range}: ${records}.`
      lines.push({ line: `${line} ${callText({ tool: 'query_records', args: call })}`, records })
    }
  }
  const most = lines.toSorted((a, b) => b.records - a.records).slice(0, MOST_CALLS)
  return most.map(({ line }) => line)
}

/** Separators before three digits group them; another one begins the decimals. */
function amountOf(written: string): number {
  return Number(written.replace(/[.,’'](?=\d{3})/g, '').replace(',', '.'))
}
