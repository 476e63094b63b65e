import { fieldWindow, listRecords } from '../../api/records.ts'
import { listStreams, readSchema } from '../../api/streams.ts'
import type { OwnServer } from '../own-server.ts'

const STREAMS = 8
const RECORDS = 50
const NEAR_CHARS = 400
const WORDS = 3

interface Text {
  stream: string
  connection_id: string
  record_id: string
  field_path: string
  size_chars: number
}

/** A question that the data can answer: words that are near each other in the middle of a long text. */
export async function pickQuery(server: OwnServer): Promise<string | null> {
  const { body } = await server.get(listStreams, {})
  const streams = body.data.toSorted((a, b) => b.record_count - a.record_count).slice(0, STREAMS)
  let longest: Text | null = null
  for (const { name } of streams) {
    const text = await longestText(server, name)
    if (text && text.size_chars > (longest?.size_chars ?? 0)) longest = text
  }
  return longest && wordsOf(await middleOf(server, longest))
}

/** The longest searchable text among a stream's newest records. */
async function longestText(server: OwnServer, stream: string): Promise<Text | null> {
  const schema = await server.get(readSchema, {}, { stream, view: 'compact' })
  const searched = new Set(
    schema.body.streams.flatMap(({ fields = {} }) =>
      Object.entries(fields).flatMap(([name, flags]) => (flags.split(' ').includes('lex') ? [name] : [])),
    ),
  )
  if (searched.size === 0) return null
  const { body } = await server.get(listRecords, { stream }, { limit: RECORDS })
  let longest: Text | null = null
  for (const record of body.data) {
    if (!('data' in record)) continue
    const { connection_id, id, data, truncated_fields = [] } = record
    for (const field_path of searched) {
      const value = data[field_path]
      if (typeof value !== 'string') continue
      const whole = truncated_fields.find(each => each.field_path === field_path)
      const size_chars = whole?.size_chars ?? value.length
      if (size_chars <= (longest?.size_chars ?? 0)) continue
      longest = { stream, connection_id, record_id: id, field_path, size_chars }
    }
  }
  return longest
}

async function middleOf(server: OwnServer, text: Text): Promise<string> {
  const { connection_id, field_path, size_chars } = text
  const { body } = await server.get(fieldWindow, text, {
    connection_id,
    field: field_path,
    offset_chars: Math.floor(size_chars / 2),
    limit_chars: NEAR_CHARS,
  })
  return body.window.text
}

/** The longest words of a text, in its order; whole words only. */
function wordsOf(text: string): string | null {
  const words = [...text.matchAll(/(?<![\p{L}\p{N}])\p{L}{4,24}(?![\p{L}\p{N}])/gu)].map(([word]) => word)
  const inside = new Set(words.slice(1, -1).map(word => word.toLowerCase()))
  const rarest = [...inside].toSorted((a, b) => b.length - a.length).slice(0, WORDS)
  const chosen = [...inside].filter(word => rarest.includes(word))
  return chosen.length === 0 ? null : chosen.join(' ')
}
