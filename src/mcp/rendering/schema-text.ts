import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import type { TimeZone } from '../../model/time.ts'
import { boundText } from '../../model/time-bounds.ts'
import { knownZone } from '../reading/narrowing.ts'
import { bytesOf, head, mostThatFit, quotedHead, visible, word } from '../text/quote.ts'

const MOST_BYTES = 12_000

/** The schema as lines: a stream, its connections, its fields with their flags. */
export function schemaText(data: JsonObject): string {
  const streams = objectsIn(data.streams)
  const today = todayText(data)
  if (streams.length === 0) return [...today, 'This grant opens no stream.'].join('\n')
  const zone = knownZone(data.time_zone)
  const blocks = streams.map(stream => streamText(stream, zone))
  const more = typeof data.more_streams === 'number' ? data.more_streams : 0
  const render = (shown: number) => {
    const left = blocks.length - shown + more
    const lines = [...today, ...blocks.slice(0, shown)]
    if (left > 0) lines.push(`${left} more streams: call schema with a connection_id.`)
    if (data.index === true) lines.push('This is an index: call schema with "stream" for its fields.')
    return lines.join('\n')
  }
  return render(mostThatFit(blocks.length, render, MOST_BYTES))
}

/** The date that `today` means for the owner. */
function todayText({ today, time_zone }: JsonObject): string[] {
  if (typeof today !== 'string' || typeof time_zone !== 'string') return []
  return [`today is ${word(today, 40)} in ${word(time_zone, 60)}`]
}

function streamText(stream: JsonObject, zone: TimeZone): string {
  const label = typeof stream.label === 'string' ? ` ${quotedHead(stream.label, 60)}` : ''
  const connections = objectsIn(stream.connections)
  const named = connections.slice(0, 12).map(connectionText)
  if (connections.length > named.length) named.push(`${connections.length - named.length} more`)
  const name = word(String(stream.stream ?? stream.name ?? ''))
  const where = named.length > 0 ? ` in ${named.join(', ')}` : ''
  return [`${name}${label}${where}`, ...boundsText(stream.bounds, zone), ...fieldLines(stream)].join('\n')
}

function connectionText({ connection_id, display_name }: JsonObject): string {
  const id = word(String(connection_id ?? ''))
  return typeof display_name === 'string' ? `${id} ${quotedHead(display_name, 40)}` : id
}

function boundsText(bounds: Json | undefined, zone: TimeZone): string[] {
  if (!Array.isArray(bounds) || bounds.length === 0) return []
  const told = bounds.map(bound => (isObject(bound) ? partText(bound, zone) : visible(JSON.stringify(bound))))
  return [`  only ${head(told.join('; or '), 300)}`]
}

/** `since 2015-01-01, 2 chosen records`, as days and times of the owner; other members are those of other servers. */
function partText({ since, until, records, ...others }: JsonObject, zone: TimeZone): string {
  const shown = (time: Json) =>
    word(Number.isNaN(Date.parse(String(time))) ? String(time) : boundText(String(time), zone), 60)
  const told = [
    ...(since ? [`since ${shown(since)}`] : []),
    ...(until ? [`before ${shown(until)}`] : []),
    ...(typeof records === 'number' ? [`${records} chosen record${records === 1 ? '' : 's'}`] : []),
    ...(Object.keys(others).length > 0 ? [visible(JSON.stringify(others))] : []),
  ]
  return told.join(', ') || 'a part'
}

function fieldLines({ fields, schema, more_fields }: JsonObject): string[] {
  const described = isObject(fields)
    ? fields
    : isObject(schema) && isObject(schema.properties)
      ? schema.properties
      : {}
  const lines: string[] = []
  let bytes = 0
  for (const [field, flags] of Object.entries(described)) {
    const told =
      typeof flags === 'string' ? visible(head(flags, 160)) : quotedHead(JSON.stringify(flags), 160)
    const line = `  ${word(field)}: ${told}`
    bytes += bytesOf(line) + 1
    if (bytes > MOST_BYTES / 2) break
    lines.push(line)
  }
  const left =
    Object.keys(described).length - lines.length + (typeof more_fields === 'number' ? more_fields : 0)
  return left > 0 ? [...lines, `  ${left} more fields`] : lines
}
