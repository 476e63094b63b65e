import { html } from 'hono/html'
import type { RecordBody } from '../api/records.ts'
import { citationUrl } from '../model/ids/citation.ts'
import { isObject, isRawNumber, type Json, type JsonObject } from '../model/json.ts'
import { cutText } from '../model/reading/record.ts'
import { inOneLine } from '../pages/facts.ts'
import type { Html } from '../pages/layout.ts'
import type { Times } from '../pages/times.ts'
import { humanName } from '../pages/words.ts'
import { authorName, isAiPart } from './author-name.ts'

const MOST_VALUES = 4
const VALUE_CHARS = 60
const GIST_CHARS = 120

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
  const values = valuesOf(data).filter(value => value !== id)
  const [only, another] = values
  if (only !== undefined && another === undefined && only === data.kind)
    return `${humanName(only)} without a title`
  return rowOf(values) || id
}

/**
 * What a record says beside its title: the beginning of its text or, of a row of values, such as a measurement, the first
 * of them.
 */
function gistOf({ title, author, data }: RecordBody): string {
  if (!title) return ''
  const told = title.replace(/…$/, '')
  const values = valuesOf(data).filter(value => !value.startsWith(told) && value !== author)
  const isRow = !Object.values(data).some(value => Array.isArray(value))
  const text = values.find(value => value.length > (isRow ? VALUE_CHARS : TEXT_CHARS) && SAYS.test(value))
  if (text !== undefined) return cutText(text, GIST_CHARS)
  return isRow ? rowOf(values) : ''
}

function rowOf(values: readonly string[]): string {
  return values
    .slice(0, MOST_VALUES)
    .map(value => cutText(value, VALUE_CHARS))
    .join(' · ')
}

/** Fields that tell people nothing. */
const ID = /(?:^|_)(?:id|time_zone)$/
const INSTANT = /^\d{4}-\d\d-\d\dT/
/** Several words, or a script that does not separate them; not a path or an address. */
const SAYS = /\s|[^\p{ASCII}]/u
const TEXT_CHARS = 20

/** The different texts and numbers of a record, on one line each. */
function valuesOf(data: JsonObject): string[] {
  const named = Object.entries(data).filter(([field]) => !ID.test(field))
  return [...new Set(named.flatMap(([, value]) => valueText(value)))].filter(value => value !== '')
}

/** A text or a number, and the first of a list; times, which lists tell beside the title, and other values are left out. */
function valueText(value: Json | undefined): string[] {
  if (value === undefined) return []
  if (isRawNumber(value)) return [value.rawJSON]
  if (typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return valueText(value[0])
  if (isObject(value)) return typeof value.value === 'string' ? valueText(value.value) : []
  if (typeof value !== 'string' || INSTANT.test(value)) return []
  return [value.replace(/\s+/g, ' ').trim()]
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
  const gist = gistOf(record)
  const facts = [by, occurred_at && times.minute(occurred_at), ...more].flatMap(fact => fact || [])
  return html`<li><div class="entry"><p dir="auto"><a href="${citationUrl('', { connection_id, stream, record_id: id })}">${recordTitle(record)}</a></p>
${facts.length === 0 ? '' : html`<p class="soft small">${inOneLine(facts)}</p>`}</div>${gist && html`<p class="soft small" dir="auto">${gist}</p>`}</li>`
}
