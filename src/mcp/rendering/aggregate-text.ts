import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { mostThatFit, quotedHead, word } from '../text/quote.ts'

const MOST_BYTES = 4_000
const KEY_BYTES = 60

/** Numbers in a few lines; groups that do not fit are counted. */
export function aggregateText(data: JsonObject): string {
  const { metric, field, stream, groups, value, filtered_record_count } = data
  const what = `${name(metric)}${typeof field === 'string' ? `(${name(field)})` : ''} of ${name(stream)}`
  const over = typeof filtered_record_count === 'number' ? ` over ${filtered_record_count} record(s)` : ''
  if (!Array.isArray(groups)) return `${what} = ${figure(value)}${over}`
  const lines = groups.map(groupText)
  const render = (shown: number) =>
    [
      `${what}${over}, ${groups.length} group(s):`,
      ...lines.slice(0, shown),
      ...(shown < lines.length ? [`… ${lines.length - shown} more: narrow it with filter`] : []),
      ...otherText(data),
    ].join('\n')
  return render(mostThatFit(lines.length, render, MOST_BYTES))
}

function groupText(group: Json): string {
  if (!isObject(group)) return ''
  return `${figure(group.key)}: ${figure(group.value === undefined ? group.count : group.value)}`
}

function otherText({ other_count }: JsonObject): string[] {
  return typeof other_count === 'number' && other_count > 0 ? [`all other groups: ${other_count}`] : []
}

function figure(value: Json | undefined): string {
  if (typeof value === 'string') return quotedHead(value, KEY_BYTES)
  return word(JSON.stringify(value ?? null), KEY_BYTES)
}

/** A name of the declaration, shortened where it would leave no room for the numbers. */
function name(value: Json | undefined): string {
  return word(typeof value === 'string' ? value : '', KEY_BYTES)
}
