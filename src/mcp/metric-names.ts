import { CodedError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { callText } from './text/quote.ts'

/** What models call a metric. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  count: ['count', 'number'],
  sum: ['sum', 'total'],
  min: ['min', 'minimum', 'smallest', 'lowest', 'earliest', 'first', 'oldest'],
  max: ['max', 'maximum', 'largest', 'highest', 'latest', 'last', 'newest'],
  count_distinct: ['count_distinct', 'distinct', 'distinct_count', 'unique', 'count_unique'],
}

/** The metric that is meant by another spelling or name of it. A total of no field is a count. */
export function meantMetric(given: string, { field }: JsonObject): string {
  const name = plain(given)
  if (field === undefined && name === 'total') return 'count'
  return Object.keys(SAME).find(metric => SAME[metric]?.includes(name)) ?? name
}

const AVERAGES = ['avg', 'average', 'mean']
const GROUPINGS = ['group_by', 'group_by_time', 'granularity', 'split_by']

/** The refusal of an average, with the calls that give the sum and the count; null for other metrics. */
export function noAverage(args: JsonObject): CodedError | null {
  const { metric, field: _, ...others } = args
  if (!AVERAGES.includes(String(metric))) return null
  const sum = callText({ tool: 'aggregate', args: { ...args, metric: 'sum' } })
  const count = callText({ tool: 'aggregate', args: { ...others, metric: 'count' } })
  const isGrouped = GROUPINGS.some(name => args[name] !== undefined)
  const by = isGrouped ? `by the counts of ${count}` : 'by the number of records, which it also gives'
  const message = `There is no metric ${metric}. Call ${sum} and divide ${by}.`
  return new CodedError('invalid_request', message, { param: 'metric' })
}

const plain = (given: string) => given.trim().toLowerCase().replaceAll(/[\s-]/g, '_')
