import type { ConversationMessage } from '../../api/conversation.ts'
import * as api from '../../api/conversation.ts'
import { visibleFields } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { isShown } from '../../model/declaration/conversation.ts'
import { fieldWithRole } from '../../model/declaration/declaration.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { isObject, parseJson } from '../../model/json.ts'
import { bodyField, headField, isTitle, project, textSize } from '../../model/reading/record.ts'
import {
  type ConversationKey,
  type ConversationPosition,
  type ConversationRow,
  neighbours,
  wholePlace,
} from '../../store/records/conversation.ts'
import { readStart } from '../../store/records/long-text.ts'
import { headOf } from '../../store/search/hits.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { json } from '../request/responses.ts'
import { type OpenedConversation, openedConversation } from './declared-conversation.ts'
import { type FoundRecord, readFrom } from './read-record.ts'

type Context = RequestContext<typeof api.readConversation>
type Side = 'before' | 'after'
type CursorState = [side: Side, order_key: string, record_key: string]

const ALL = Number.MAX_SAFE_INTEGER

interface Walk {
  key: ConversationKey
  from: ConversationPosition
  most: number
}

/** The size of a message besides its text. */
const HEAD_CHARS = 80

export const readConversation = serve(api.readConversation, async context => {
  const { stream, record_id } = context.path
  const sources = context.sources(stream, context.parameters.connection_id)
  return readFrom(context, sources, record_id, found => show(context, found))
})

async function show(context: Context, found: FoundRecord) {
  const { page, parameters } = context
  const opened = await openedConversation(context, found)
  const { key, conversation, start } = opened
  const cursor = await page.open<CursorState>()
  const beyond = wholePlace(key, conversation.order)
  const excerpt = new Excerpt(context, opened)
  if (cursor) {
    const [side, order_key, record_key] = cursor
    await excerpt.fill({ [side]: { key: beyond, from: { order_key, record_key }, most: ALL } })
  } else {
    // Who asks for a number of messages gets them, however far apart they are in their place.
    const walk = (most: number | undefined) =>
      most === undefined
        ? { key, from: start.position, most: ALL }
        : { key: beyond, from: start.position, most }
    await excerpt.take(start, 'after')
    await excerpt.fill({ after: walk(parameters.after), before: walk(parameters.before) })
  }
  const { messages, shown, leftOut, title, first, last } = excerpt
  const place = placeOfRecord(found)
  context.disclose([...shown, ...place.shown])
  const [previous, next] = await Promise.all([
    first && cursorBeyond(context, beyond, 'before', first),
    last && cursorBeyond(context, beyond, 'after', last),
  ])
  return json({
    object: 'conversation' as const,
    connection_id: key.source.connection_id,
    stream: key.source.stream.name,
    conversation: {
      title,
      place: place.text,
      previous_cursor: previous ?? null,
      next_cursor: next ?? null,
      complete: !previous && !next && messages.every(message => message.complete),
      left_out: leftOut,
    },
    messages,
  })
}

/** The place that a record refers to, as far as it may be seen. */
function placeOfRecord({ source, record, visible }: FoundRecord): { text: string | null; shown: Shown[] } {
  const { connection_id, stream } = source
  const field = fieldWithRole(stream, 'place')
  const text = field === undefined ? undefined : project(source, record, visible).data[field]
  if (field === undefined || typeof text !== 'string') return { text: null, shown: [] }
  const shown = { connection_id, stream: stream.name, record_ids: [record.record_id], fields: [field] }
  return { text, shown: [shown] }
}

/** The cursor of what lies beyond a message; null if nothing of it may be seen. */
async function cursorBeyond(
  { page, store, budget }: Context,
  key: ConversationKey,
  side: Side,
  { order_key, record_key }: ConversationPosition,
): Promise<string | null> {
  for await (const _ of neighbours(store.database, key, side, { order_key, record_key }, budget))
    return page.seal([side, order_key, record_key] satisfies CursorState)
  return null
}

/** Messages in order, as many as fit into the budget: alternately one after and one before. */
class Excerpt {
  readonly messages: ConversationMessage[] = []
  readonly shown: Shown[] = []
  leftOut = 0
  title: string | null = null
  /** Where the excerpt ends on each side, including records that are not shown. */
  first: ConversationPosition | null = null
  last: ConversationPosition | null = null
  readonly #context: Context
  readonly #opened: OpenedConversation
  #left: number

  constructor(context: Context, opened: OpenedConversation) {
    this.#context = context
    this.#opened = opened
    this.#left = context.parameters.limit_chars
  }

  async fill(sides: Partial<Record<Side, Walk>>): Promise<void> {
    const walks = (['after', 'before'] as const).flatMap(side => {
      const given = sides[side]
      if (!given) return []
      const { store, budget } = this.#context
      const rows = neighbours(store.database, given.key, side, given.from, budget)
      return [{ side, rows, most: given.most }]
    })
    while (walks.length > 0) {
      for (const walk of [...walks]) {
        const next = walk.most === 0 ? null : await this.#nextShown(walk.rows, walk.side)
        const taken = next !== null && (await this.take(next, walk.side))
        walk.most--
        if (!taken) walks.splice(walks.indexOf(walk), 1)
      }
    }
  }

  async #nextShown(rows: AsyncGenerator<ConversationRow>, side: Side): Promise<ConversationRow | null> {
    const { conversation, asked } = this.#opened
    for (;;) {
      const { value, done } = await rows.next()
      if (done) return null
      const data = parseJson(value.record.data)
      if (isObject(data) && isShown(conversation, data)) return value
      if (value.record.record_id === asked) continue
      this.leftOut++
      this.#reach(side, value.position)
    }
  }

  #reach(side: Side, position: ConversationPosition): void {
    if (side === 'before') this.first = position
    else this.last = position
    this.first ??= position
    this.last ??= position
  }

  /** False if the message does not fit; the first message is cut instead. */
  async take({ record, position }: ConversationRow, side: Side): Promise<boolean> {
    const { store, owner_id, env } = this.#context
    const { source } = this.#opened.key
    const visible = visibleFields(source, record)
    const projection = project(source, record, visible === undefined ? new Set() : visible)
    const field =
      bodyField(source.stream, projection.data, projection.long_texts) ??
      fieldWithRole(source.stream, 'primary-text')
    const size_chars = textSize(projection, field)
    if (this.messages.length > 0 && size_chars + HEAD_CHARS > this.#left) return false
    const end = Math.min(size_chars, this.#left)
    const text = await readStart(store.database, owner_id, projection, field, end)
    this.#left -= end + HEAD_CHARS
    const head = await headOf(store.database, owner_id, projection)
    const { connection_id, stream } = source
    const { record_id } = record
    const hasText = field !== undefined && typeof projection.data[field] === 'string'
    const message: ConversationMessage = {
      record_key: record_id,
      occurred_at: head.occurred_at,
      author: head.author,
      url: citationUrl(env.publicUrl, { connection_id, stream: stream.name, record_id }),
      field_path: hasText ? field : null,
      text,
      size_chars,
      complete: end === size_chars,
      ...(record_id === this.#opened.asked ? { asked: true as const } : {}),
    }
    if (side === 'before') this.messages.unshift(message)
    else this.messages.push(message)
    const headed = headField(source.stream, projection.data, projection.long_texts)
    if (headed !== undefined && isTitle(source.stream, headed)) this.title ??= head.title
    const fields = [...new Set([...head.fields, ...(hasText ? [field] : [])])]
    const ranges =
      end < size_chars && hasText
        ? { ...head.ranges, [field]: [[0, end]] as [number, number][] }
        : head.ranges
    this.shown.push({ connection_id, stream: stream.name, record_ids: [record_id], fields, ranges })
    this.#reach(side, position)
    return true
  }
}
