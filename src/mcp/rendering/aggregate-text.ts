import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { localTime, type TimeZone } from '../../model/time.ts'
import { MOST_STREAMS } from '../reading/every-stream.ts'
import { mostThatFit, quotedHead, word } from '../text/quote.ts'
import { warningsOf } from './warnings.ts'

const MOST_BYTES = 4_000
const KEY_BYTES = 60
const SPLIT_KEY_BYTES = 40
const MOST_PARTS = 5

/** Figures in a few lines; groups that do not fit are counted. */
export function aggregateText(
  received: JsonObject,
  { args, notes, zone }: { args: JsonObject; notes: readonly string[]; zone: TimeZone },
): string {
  const data = withLocalTimes(received, zone)
  const { metric, field, stream, groups, value } = data
  const of = typeof stream === 'string' ? ` of ${name(stream)}` : ''
  const what = `${name(metric)}${typeof field === 'string' ? `(${name(field)})` : ''}${of}`
  const told = [...notes, ...warningsOf(data, { args, isEmpty: data.filtered_record_count === 0 })].map(
    note => `Note: ${note}`,
  )
  if (!Array.isArray(groups)) return [`${what} = ${figure(value)}${overText(data)}`, ...told].join('\n')
  const lines = groups.map(groupText)
  const render = (shown: number) =>
    [
      `${what}${overText(data)}${byText(data)}, ${counted(groups.length, 'group')}:`,
      ...lines.slice(0, shown),
      ...(shown < lines.length
        ? [`… ${counted(lines.length - shown, 'more group')}: lower limit, or narrow it`]
        : []),
      ...otherText(data),
      ...told,
    ].join('\n')
  return render(mostThatFit(lines.length, render, MOST_BYTES))
}

/** The first and last times of groups in the reader's zone. Other figures are numbers. */
function withLocalTimes(data: JsonObject, zone: TimeZone): JsonObject {
  if (data.metric !== 'min' && data.metric !== 'max') return data
  const local = (part: JsonObject): JsonObject => ({
    ...part,
    ...(typeof part.value === 'string' ? { value: localTime(part.value, zone) } : {}),
    ...(Array.isArray(part.splits) ? { splits: part.splits.filter(isObject).map(local) } : {}),
  })
  const { groups } = data
  return { ...local(data), ...(Array.isArray(groups) ? { groups: groups.filter(isObject).map(local) } : {}) }
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** How many records were counted and, if they come from several streams or connections, how many from each. */
function overText({ filtered_record_count, streams, connections }: JsonObject): string {
  if (typeof filtered_record_count !== 'number') return ''
  const over = ` over ${counted(filtered_record_count, 'record')}`
  if (Array.isArray(streams)) {
    const found = streams.filter(each => isObject(each) && each.record_count !== 0)
    const parts = partsOf(found, part => name(part.stream), MOST_STREAMS)
    const others = found.length < streams.length ? [`none in ${streams.length - found.length}`] : []
    return `${over} of ${counted(streams.length, 'stream')} (${[...parts, ...others].join(', ')})`
  }
  if (!Array.isArray(connections) || connections.length < 2) return over
  const parts = partsOf(connections, part => keyText(part.display_name, SPLIT_KEY_BYTES))
  return `${over} of ${counted(connections.length, 'source')} (${parts.join(', ')})`
}

function partsOf(parts: readonly Json[], label: (part: JsonObject) => string, most = MOST_PARTS): string[] {
  const shown = parts.slice(0, most).filter(isObject)
  const more = parts.length > shown.length ? [`${parts.length - shown.length} more`] : []
  return [...shown.map(part => `${label(part)} ${figure(part.record_count)}`), ...more]
}

function byText({ granularity, time_zone, group_by, split_by }: JsonObject): string {
  const time = typeof granularity === 'string' ? `${name(granularity)} of ${name(time_zone)}` : null
  const by = time ?? (typeof group_by === 'string' ? name(group_by) : null)
  const split = typeof split_by === 'string' ? ` and ${name(split_by)}` : ''
  return by === null ? '' : ` by ${by}${split}`
}

function groupText(group: Json): string {
  if (!isObject(group)) return ''
  const line = `${group.key === null ? 'no value' : figure(group.key)}: ${figureOf(group)}`
  if (!Array.isArray(group.splits)) return line
  const splits = group.splits
    .filter(isObject)
    .map(split => `${keyText(split.key, SPLIT_KEY_BYTES)} ${figureOf(split)}`)
  const { other_count } = group
  const others = typeof other_count === 'number' && other_count > 0 ? [`others ${other_count}`] : []
  return `${line} (${[...splits, ...others].join(', ')})`
}

function figureOf({ value, count }: JsonObject): string {
  return figure(value === undefined ? count : value)
}

/** What is left out of the response. Groups by time are newest first, so these are the older ones. */
function otherText({ other_count, other_groups, granularity, groups }: JsonObject): string[] {
  if (typeof other_count !== 'number' || other_count === 0) return []
  if (typeof other_groups !== 'number') return [`all other groups: ${other_count}`]
  const [first, last] = Array.isArray(groups) ? [groups[0], groups.at(-1)].map(keyOf) : []
  const isOlder =
    typeof granularity === 'string' && first !== undefined && last !== undefined && first >= last
  const which = counted(other_groups, isOlder ? 'older group' : 'other group')
  return [`left out: ${which} with ${counted(other_count, 'record')}; raise limit (at most 100) or narrow it`]
}

function keyOf(group: Json | undefined): string | undefined {
  return isObject(group) && typeof group.key === 'string' ? group.key : undefined
}

function figure(value: Json | undefined): string {
  return keyText(value, KEY_BYTES)
}

function keyText(value: Json | undefined, bytes: number): string {
  if (typeof value === 'string') return quotedHead(value, bytes)
  return word(JSON.stringify(value ?? null), bytes)
}

/** A declared name, shortened if it would leave no room for the numbers. */
function name(value: Json | undefined): string {
  return word(typeof value === 'string' ? value : '', KEY_BYTES)
}
