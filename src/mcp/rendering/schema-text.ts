import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { bytesOf, mostThatFit, quotedHead } from './quote.ts'

const MOST_BYTES = 12_000

/** The schema as lines: a stream, its connections, its fields with their flags. */
export function schemaText(data: JsonObject): string {
  const streams = Array.isArray(data.streams) ? data.streams.filter(isObject) : []
  if (streams.length === 0) return 'This grant opens no stream.'
  const blocks = streams.map(streamText)
  const more = typeof data.more_streams === 'number' ? data.more_streams : 0
  const render = (shown: number) => {
    const left = blocks.length - shown + more
    const lines = blocks.slice(0, shown)
    if (left > 0) lines.push(`${left} more streams: call schema with a connection_id.`)
    if (data.index === true) lines.push('This is an index: call schema with "stream" for its fields.')
    return lines.join('\n')
  }
  return render(mostThatFit(blocks.length, render, MOST_BYTES))
}

function streamText(stream: JsonObject): string {
  const label = typeof stream.label === 'string' ? ` ${quotedHead(stream.label, 60)}` : ''
  const connections = Array.isArray(stream.connections) ? stream.connections.filter(isObject) : []
  const named = connections.slice(0, 12).map(connectionText)
  if (connections.length > named.length) named.push(`${connections.length - named.length} more`)
  const head = `${stream.stream ?? stream.name}${label} in ${named.join(', ')}`
  return [head, ...boundsText(stream.bounds), ...fieldLines(stream)].join('\n')
}

function connectionText({ connection_id, display_name }: JsonObject): string {
  return typeof display_name === 'string'
    ? `${connection_id} ${quotedHead(display_name, 40)}`
    : String(connection_id)
}

function boundsText(bounds: Json | undefined): string[] {
  return Array.isArray(bounds) && bounds.length > 0 ? [`  only ${JSON.stringify(bounds)}`] : []
}

function fieldLines({ fields, schema }: JsonObject): string[] {
  const described = isObject(fields)
    ? fields
    : isObject(schema) && isObject(schema.properties)
      ? schema.properties
      : {}
  const lines = Object.entries(described).map(
    ([field, flags]) =>
      `  ${field}: ${typeof flags === 'string' ? flags : quotedHead(JSON.stringify(flags), 160)}`,
  )
  const fit = lines.filter((_, index) => bytesOf(lines.slice(0, index + 1).join('\n')) <= MOST_BYTES / 2)
  return fit.length < lines.length ? [...fit, `  ${lines.length - fit.length} more fields`] : lines
}
