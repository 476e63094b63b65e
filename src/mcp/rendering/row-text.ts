import { isFormable } from '../../model/ids/citation.ts'
import type { Json } from '../../model/json.ts'
import type { Row } from '../reading/row.ts'
import { bytesOf, quote, timeText, word } from '../text/quote.ts'
import { ValueText } from './value-text.ts'

/** A longer id gets its own line, and so does one with spaces: it must be clear where an id ends. */
const MOST_ID_BYTES = 120
const LABEL_BYTES = 60
/** A longer id is not repeated in calls. */
const MOST_REPEATED_BYTES = 1_000
/** A link longer than this is not printed. */
const MOST_LINK_BYTES = 300

/** Marks fields that a row does not show; the meaning is explained once per page. */
export const MORE_FIELDS = '…'

export interface RowText {
  text: string
  bytes: number
  /** Whether it shows every field that says something. */
  isWhole: boolean
  /** The fields that it leaves out because their values say nothing. */
  unsaid: readonly string[]
}

/**
 * A record as text: its id, time and author, then its values on the same line; a text that is cut includes its call.
 * What does not depend on the room is made once.
 */
export class RowLine {
  readonly #start: string
  readonly #end: string
  /** The bytes around the values. */
  readonly #around: number
  /** Null for a deleted record. */
  readonly #values: readonly ValueText[] | null
  readonly #asked: ReadonlySet<string>
  readonly #unsaid: readonly string[]
  readonly #isLong: boolean

  /** The fields in `asked` were requested by name; they are shown even if there is no room. */
  constructor(row: Row, asked: ReadonlySet<string>) {
    const { handle, deleted, url } = row
    const { id, connection_id } = handle
    const name = connection_id === undefined ? id : `${id} connection_id=${quote(connection_id)}`
    const separator = /\s/.test(name) || bytesOf(name) > MOST_ID_BYTES ? '\n  ' : ' '
    const heading = deleted ? 'deleted' : headingOf(row)
    this.#start = `${name}${separator}${heading}`
    this.#end = !deleted && formedFrom(row) === null && bytesOf(url) <= MOST_LINK_BYTES ? `\n  ${url}` : ''
    this.#around = bytesOf(name + heading + this.#end)
    this.#asked = asked
    this.#isLong = bytesOf(id) > MOST_REPEATED_BYTES
    const { said, unsaid } = deleted ? { said: null, unsaid: [] } : saidIn(row, asked)
    this.#values = said
    this.#unsaid = unsaid
  }

  within(bytes: number): RowText {
    if (!this.#values) return this.#measured('', true)
    const shown: string[] = []
    let isWhole = true
    let room = bytes - this.#around - 4 - bytesOf(MORE_FIELDS)
    for (const value of this.#values) {
      // The first value is shown even if there is no room: a row without one says nothing.
      const isNeeded = (this.#asked.has(value.field) || shown.length === 0) && !this.#isLong
      const text = value.within(room) ?? (isNeeded ? value.short() : null)
      if (text === null) isWhole = false
      else {
        shown.push(text)
        room -= bytesOf(text) + 4
      }
    }
    if (!isWhole) shown.push(MORE_FIELDS)
    return this.#measured(shown.join(' · ') || 'no values', isWhole)
  }

  #measured(values: string, isWhole: boolean): RowText {
    const text = `${this.#start}${values}${this.#end}`
    return { text, bytes: bytesOf(text), isWhole, unsaid: this.#unsaid }
  }
}

/** The values that say something, or all of them if none does, and the names of the others. */
function saidIn(row: Row, asked: ReadonlySet<string>): { said: ValueText[]; unsaid: string[] } {
  const values = Object.entries(row.preview.data).filter(
    ([field, value]) => asked.has(field) || !isRepeated(row, value),
  )
  const unsaid = values.filter(([field, value]) => !asked.has(field) && isUnsaid(row, field, value))
  const isSilent = unsaid.length === values.length
  const left = new Set(isSilent ? [] : unsaid)
  const said = values.filter(value => !left.has(value))
  return {
    said: said.map(([field, value]) => new ValueText(row, field, value)),
    unsaid: [...left].map(([field]) => field),
  }
}

/** The origin of a link that a reader can form from the id, by the pattern that is stated once; null otherwise. */
export function formedFrom({ handle, url }: Row): string | null {
  const origin = /^(https?:\/\/.+?)\/r\/[^/]+\/[^/]+\/[^/?]+$/.exec(url)?.[1]
  const formable = handle.connection_id === undefined && isFormable(handle.id, 'field')
  return origin !== undefined && formable ? origin : null
}

/** `time author: `, as far as known. */
function headingOf({ shown_at, author }: Row): string {
  const labels = [
    ...(shown_at === null ? [] : [timeText(shown_at, LABEL_BYTES)]),
    ...(author === null ? [] : [word(author, LABEL_BYTES)]),
  ]
  return labels.length === 0 ? '' : `${labels.join(' ')}: `
}

/** Whether a value is empty or only repeats the start of the line. */
function isRepeated({ reference, occurred_at, author }: Row, value: Json): boolean {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return true
  if (typeof value === 'string' && author?.includes(`<${value}>`)) return true
  return [null, '', reference.record_id, occurred_at, author].includes(value as string | null)
}

/**
 * Whether a row says as much without this value: a flag that is not set, a count of nothing, the id of something that
 * the row names, the time of the row in another zone, in a message the ids by which programs find it and what it belongs
 * to.
 */
function isUnsaid(row: Row, field: string, value: Json): boolean {
  if (value === false) return true
  if (value === 0) return /(?:^|_)count$/.test(field)
  if (row.author !== null && isLinkToOthers(field, value)) return true
  return (
    typeof value === 'string' &&
    (isIdOfNamed(row, field) || isLocalOfTime(row, field) || isSameTime(row, value))
  )
}

const LINK_FIELD =
  /(?:^|_)(?:source|message|thread|conversation|session|parent|reply_to|tool_use)_ids?$|^in_reply_to$|^references$/

/** `thread_id`, `in_reply_to`: what they link is read with read_conversation. */
function isLinkToOthers(field: string, value: Json): boolean {
  const ids = Array.isArray(value) ? value : [value]
  return LINK_FIELD.test(field) && ids.every(id => typeof id === 'string' && !/\s/.test(id))
}

/** `channel_id` beside `channel`, `conversation_id` beside `conversation_title`. */
function isIdOfNamed({ preview: { data } }: Row, field: string): boolean {
  const thing = /^(.+)_id$/.exec(field)?.[1]
  return (
    thing !== undefined &&
    [thing, `${thing}_name`, `${thing}_title`].some(
      name => typeof data[name] === 'string' && data[name] !== '',
    )
  )
}

/** `ends_at_local` beside `ends_at`, which is shown in the reader's zone. */
function isLocalOfTime({ preview: { data } }: Row, field: string): boolean {
  const time = /^(.+_at)_local$/.exec(field)?.[1]
  return time !== undefined && typeof data[time] === 'string'
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i
const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length

function isSameTime({ occurred_at, shown_at }: Row, value: string): boolean {
  const time = TIME.exec(value)
  if (!time || occurred_at === null) return false
  const seconds = (text: string) => Math.floor(Date.parse(text) / 1000)
  if (time[1] !== undefined) return seconds(value) === seconds(occurred_at)
  const digits = value.slice(0, SECONDS)
  return [occurred_at, shown_at].some(shown => shown?.slice(0, SECONDS) === digits)
}
