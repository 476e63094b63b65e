import { html } from 'hono/html'
import { type ConversationMessage, readConversation } from '../../api/conversation.ts'
import { type RecordBody, readRecord } from '../../api/records.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import type { Html } from '../../pages/layout.ts'
import { markdown } from '../../pages/markdown.ts'
import type { Times } from '../../pages/times.ts'
import { authorName, isAiPart } from '../author-name.ts'
import { recordRow } from '../record-row.ts'
import { orNull, type Visit } from '../visit.ts'
import { unwrapped } from './hard-wraps.ts'
import type { RecordShape } from './record-head.ts'
import type { Place } from './record-text.ts'

const NEIGHBOURS = 4
const MOST_CHARS = 4_000
const FEW_CHARS = 120

export interface ConversationPart {
  section: Html
  /** Whether the record itself can be read here in full. */
  isWhole: boolean
}

/** What was written before and after the record in the same conversation, if there is more than the record. */
export async function conversationPart(
  visit: Visit,
  place: Place,
  { isMarkdown, isChat, isFolder }: Pick<RecordShape, 'isMarkdown' | 'isChat' | 'isFolder'>,
): Promise<ConversationPart | null> {
  const { connection_id } = place
  const cursor = visit.query.get('around')
  const query = {
    connection_id,
    ...(cursor === null ? { before: NEIGHBOURS, after: NEIGHBOURS } : { cursor }),
  }
  const answer = await orNull(visit.call(readConversation, place, { query }))
  const isAround = answer?.messages.some(({ asked }) => !asked) === true
  if (!answer || (cursor === null && !isAround)) return null
  const { stream, conversation } = answer
  const { previous_cursor, next_cursor } = conversation
  const more = (to: string | null, words: string) =>
    to === null
      ? ''
      : html`<p class="actions"><a class="button small" href="?${new URLSearchParams({ around: to }).toString()}#around">${words}</a></p>`
  const within = { connection_id, stream }
  // The instructions and tools of an AI that say nothing are left out.
  const messages = answer.messages.filter(
    ({ text, author, asked }) => asked || text !== '' || !isAiPart(author),
  )
  const isTalk = !isFolder && messages.some(({ author }) => author !== null)
  const isWhole =
    isTalk &&
    isChat &&
    messages.some(
      ({ asked, complete, text }) => asked && complete && sliceCodePoints(text, 0, MOST_CHARS) === text,
    )
  const list = isTalk
    ? html`<ol class="plain talk">${messages.map((message, index) => said(message, messages[index - 1], within, visit.times, { isMarkdown, isWhole }))}</ol>`
    : await titles(visit, messages, within)
  const heading = isTalk ? 'Conversation' : conversation.place ? `In ${conversation.place}` : 'Beside it'
  const section = html`<section class="stack" id="around" aria-label="${heading}"><h2 dir="auto">${heading}</h2>
${more(previous_cursor, 'Earlier')}${list}${more(next_cursor, 'Later')}</section>`
  return { section, isWhole }
}

/** What nobody said, such as the notes of a folder, is listed by its titles. */
async function titles(
  visit: Visit,
  messages: readonly ConversationMessage[],
  { connection_id, stream }: Pick<Place, 'connection_id' | 'stream'>,
): Promise<Html> {
  const query = { connection_id, max_field_chars: FEW_CHARS }
  const records = await Promise.all(
    messages.map(({ record_key }) =>
      orNull(visit.call(readRecord, { stream, record_id: record_key }, { query })),
    ),
  )
  return html`<ol class="rows card">${records.map((record, index) =>
    record ? recordRow(titleOnly(record), visit.times, messages[index]?.asked ? ['this one'] : []) : '',
  )}</ol>`
}

/** The texts are as near as the titles, so the list stays short. */
function titleOnly(record: RecordBody): RecordBody {
  return record.title ? { ...record, data: {} } : record
}

function said(
  { record_key, author, occurred_at, text, complete, asked }: ConversationMessage,
  before: ConversationMessage | undefined,
  place: Pick<Place, 'connection_id' | 'stream'>,
  times: Times,
  { isMarkdown, isWhole }: { isMarkdown: boolean; isWhole: boolean },
): Html {
  // The record itself is already on the page, unless it is only here.
  const short = sliceCodePoints(text, 0, asked && !isWhole ? FEW_CHARS : MOST_CHARS)
  const isCut = !complete || short.length < text.length
  const shown = isCut ? `${short} …` : short
  const head = html`<span class="soft small"><strong dir="auto">${author === null ? '' : authorName(author)}</strong> ${occurred_at === null ? '' : times.after(before?.occurred_at ?? null, occurred_at)}</span>`
  const href = citationUrl('', { ...place, record_id: record_key })
  return html`<li class="bubble ${asked ? 'asked' : ''}"><p class="head">${head}${asked ? html`<span class="badge good">this one</span>` : html`<a class="small" href="${href}">open</a>`}</p>
${text === '' ? html`<p class="soft">No text</p>` : isMarkdown ? markdown(shown) : html`<p class="text" dir="auto">${unwrapped([shown])}</p>`}${isCut && !asked ? html`<p><a class="small" href="${href}">Read all of it</a></p>` : ''}</li>`
}
