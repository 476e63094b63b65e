import { html } from 'hono/html'
import type { RecordBody } from '../../api/records.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { readStream } from '../../api/streams.ts'
import { conversationOf } from '../../model/declaration/conversation.ts'
import {
  fieldsWithRole,
  fieldWithRole,
  propertyOf,
  type Role,
  type StreamDeclaration,
} from '../../model/declaration/declaration.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { LONGEST_NAME, personOf } from '../../model/reading/people.ts'
import { isWithoutTime } from '../../model/time.ts'
import type { Html } from '../../pages/layout.ts'
import { humanName } from '../../pages/words.ts'
import { authorName, isAiPart } from '../author-name.ts'
import { personPath } from '../page-paths.ts'
import type { Visit } from '../visit.ts'

type StreamMetadata = ReplyOf<typeof readStream>

/** The roles of a record's fields, as declared. */
export interface RecordShape {
  label: string
  /** The field that contains its text. */
  text: string | undefined
  isMarkdown: boolean
  /** Source code and data are shown in a fixed-width font. */
  isCode: boolean
  /** A chat message has no title: its page is headed by where it was written. */
  isChat: boolean
  /** What belongs together is a folder, not a conversation. */
  isFolder: boolean
  /** The record describes a person, as a contact does: its fields are what it says. */
  isPerson: boolean
  heading: string | null
  attachments: string[]
  /** Fields that the head of the page shows. */
  head: { term: string; fields: string[]; people?: boolean; isTime?: boolean }[]
  /** The fields that say when it ended. */
  ends: string[]
}

export function shapeOf({ name, display, schema }: StreamMetadata, record: RecordBody): RecordShape {
  const { data } = record
  const stream = { name, display, schema } as unknown as StreamDeclaration
  const withRole = (role: Role) => fieldsWithRole(stream, [role])
  const text = fieldWithRole(stream, 'primary-text') ?? longestText(data)
  const title = fieldWithRole(stream, 'primary-title')
  const media = (text !== undefined && propertyOf(stream, text)?.contentMediaType) || ''
  const isChat = title === undefined && withRole('place').length > 0 && withRole('actor').length > 0
  const [place] = isChat ? withRole('place').flatMap(field => textsOf(data[field])) : []
  const isPerson = title !== undefined && withRole('participant').includes(title)
  const ends = withRole('end-time')
  const [time] = withRole('event-time')
  const head = [
    { term: withRole('recipient').length > 0 ? 'From' : 'By', fields: withRole('actor'), people: true },
    { term: 'To', fields: withRole('recipient'), people: true },
    { term: isPerson ? 'Person' : 'With', fields: withRole('participant'), people: true },
    { term: time === 'updated_at' ? 'Updated' : 'When', fields: withRole('event-time'), isTime: true },
    { term: ends.length > 0 ? 'Where' : 'In', fields: withRole('place').filter(field => field !== title) },
    { term: 'Labels', fields: withRole('label') },
  ]
  return {
    label: stream.display?.label ?? humanName(name),
    text,
    isMarkdown: media === 'text/markdown',
    isCode: CODE.test(media),
    isChat,
    isFolder: title !== undefined && withRole('place').some(field => field === conversationOf(stream)?.key),
    isPerson,
    heading: place ?? record.title,
    attachments: withRole('attachment'),
    head: head.filter(({ fields }) => fields.length > 0),
    ends,
  }
}

const CODE = /^(?:text\/(?:x-|css|javascript|csv)|application\/(?:json|javascript|xml|sql|x-))/

/** A text of at least this length gets its own page if the declaration does not say which field is the text. */
const LONG_CHARS = 200

function longestText(data: JsonObject): string | undefined {
  const texts = Object.entries(data).flatMap(([field, value]) =>
    typeof value === 'string' && value.length > LONG_CHARS ? [{ field, length: value.length }] : [],
  )
  return texts.sort((a, b) => b.length - a.length)[0]?.field
}

const MOST_SHOWN = 12
/** Of a longer list, only the first values are compared with each other. */
const MOST_COMPARED = 100

/** Who, when and where; each person leads to everything with them. */
export function recordHead({ data }: RecordBody, shape: RecordShape, visit: Visit): Html | '' {
  const { head, heading } = shape
  const ends = shape.ends.flatMap(field => textsOf(data[field]))
  const named = new Set<string>()
  const lines = head.flatMap(({ term, fields, people, isTime }) => {
    const all = fields.flatMap(field => textsOf(data[field]))
    // The page of a chat message is headed by its place.
    const values = people || isTime ? all : all.filter(value => value !== heading)
    // An address that is already part of a name is not repeated, nor are recipients who also take part.
    const different = [...new Set(values)]
    const compared = different.slice(0, MOST_COMPARED).filter(({ length }) => length <= LONGEST_NAME)
    const repeated = new Set(
      compared.filter(value => compared.some(other => other !== value && other.includes(value))),
    )
    const told = different.filter(value => !repeated.has(value) && !(people && named.has(value)))
    if (people) for (const value of told) named.add(value)
    if (told.length === 0) return []
    const shown = told.slice(0, MOST_SHOWN).map(value => (people ? person(value, visit) : value))
    const more = told.length > MOST_SHOWN ? ` and ${told.length - MOST_SHOWN} more` : ''
    const separated = shown.map((each, index) => html`${index > 0 ? ', ' : ''}${each}`)
    return [{ term, value: isTime ? whenText(told, ends, visit) : html`${separated}${more}` }]
  })
  if (lines.length === 0) return ''
  return html`<dl class="letterhead">${lines.map(
    ({ term, value }) => html`<div><dt>${term}</dt><dd dir="auto">${value}</dd></div>`,
  )}</dl>`
}

const DAY_MS = 86_400_000

/** When it began, and when it ended. What lasts whole days ends at the midnight after the last of them. */
function whenText([start = '']: readonly string[], [end]: readonly string[], { times }: Visit): string {
  const at = Date.parse(end ?? '')
  if (end === undefined || Number.isNaN(at)) return times.at(start)
  const isDays = isWithoutTime(start) && isWithoutTime(end)
  const isWithinDay =
    ![start, end].some(isWithoutTime) && start !== end && times.date(start) === times.date(end)
  if (isWithinDay) return `${times.minute(start)} – ${times.at(end).slice(times.day(end).length + 2)}`
  const until = times.at(isDays ? new Date(at - DAY_MS).toISOString() : end)
  return until === times.at(start) ? until : `${times.at(start)} – ${until}`
}

/** In the demo, a name is scrambled and leads nowhere. */
function person(text: string, { isDemo }: Visit): Html | string {
  const leads = !isDemo && text.length <= LONGEST_NAME
  if (isAiPart(text)) return authorName(text)
  return leads ? html`<a href="${personPath(personOf(text))}">${text}</a>` : text
}

function textsOf(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return typeof value === 'string' && value !== '' ? [value] : []
}
