import { html } from 'hono/html'
import type { RecordBody } from '../api/records.ts'
import { citationUrl } from '../model/ids/citation.ts'
import { isRawNumber, type Json } from '../model/json.ts'
import { cutText } from '../model/reading/record.ts'
import { inOneLine } from '../pages/facts.ts'
import type { Html } from '../pages/layout.ts'
import type { Times } from '../pages/times.ts'
import { humanName } from '../pages/words.ts'
import { authorName, isAiPart } from './author-name.ts'

const MOST_VALUES = 4
const VALUE_CHARS = 60

/** The title of a record; the first values of one without a title, such as a row of a table; its id if it has none. */
export function recordTitle({
  id,
  title,
  author,
  data,
}: Pick<RecordBody, 'id' | 'title' | 'author' | 'data'>): string {
  if (title) return title
  // What an AI keeps beside an empty message are numbers and words for programs.
  if (isAiPart(author)) return 'No text'
  const named = Object.entries(data).filter(([field]) => !ID.test(field))
  const values = new Set(named.flatMap(([, value]) => valueText(value)))
  const told = [...values].filter(value => value !== '' && value !== id).slice(0, MOST_VALUES)
  const [only, another] = told
  if (only !== undefined && another === undefined && only === data.kind)
    return `${humanName(only)} without a title`
  return told.join(' · ') || id
}

/** Fields that tell people nothing. */
const ID = /(?:^|_)(?:id|time_zone)$/
const INSTANT = /^\d{4}-\d\d-\d\dT/

/** A text or a number; times, which lists tell beside the title, and other values are left out. */
function valueText(value: Json): string[] {
  if (isRawNumber(value)) return [value.rawJSON]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'string' || INSTANT.test(value)) return []
  return [cutText(value.replace(/\s+/g, ' ').trim(), VALUE_CHARS)]
}

/** A record in a list: its title as a link, then who, when and what else the list tells about it. */
export function recordRow(
  record: RecordBody,
  times: Times,
  more: readonly string[] = [],
  /** Whoever the whole list is about is not named in each row. */
  isKnown: (author: string) => boolean = () => false,
): Html {
  const { connection_id, stream, id, author, occurred_at } = record
  const by = author && !isKnown(author) && authorName(author)
  const facts = [by, occurred_at && times.minute(occurred_at), ...more].flatMap(fact => fact || [])
  return html`<li><div class="entry"><p dir="auto"><a href="${citationUrl('', { connection_id, stream, record_id: id })}">${recordTitle(record)}</a></p>
${facts.length === 0 ? '' : html`<p class="soft small">${inOneLine(facts)}</p>`}</div></li>`
}
