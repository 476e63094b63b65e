import { pathOf, pointer } from '../../model/declaration/field-path.ts'
import { isFormable } from '../../model/ids/citation.ts'
import { isObject, type Json } from '../../model/json.ts'
import { localTime } from '../../model/local-time.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import type { Row } from '../reading/row.ts'
import { bytesOf, callText, head, mostWithin, quote, quotedHead, word } from '../text/quote.ts'
import { quotedSizes } from '../text/quoted-around.ts'
import { type Call, readCall } from '../text/record-handle.ts'
import { isReadable } from './ladder.ts'
import { isRepeated, isUnsaid } from './unsaid-values.ts'

export interface RowRoom {
  bytes: number
  /** The fields that were requested by name; they are shown even if there is no room. */
  asked: ReadonlySet<string>
}

/** A longer id gets its own line, and so does one with spaces: it must be clear where an id ends. */
const MOST_ID_BYTES = 120
const LABEL_BYTES = 60
/** At least this many characters of a text that does not fit are shown. */
const LEAST_CHARS = 24
/** A requested value that does not fit gets at least this many bytes. */
const ASKED_BYTES = 80
/** A longer id is not repeated in calls. */
const MOST_REPEATED_BYTES = 1_000
/** A link longer than this is not printed. */
const MOST_LINK_BYTES = 300

/** Marks fields that a row does not show; the meaning is explained once per page. */
export const MORE_FIELDS = '…'

/** A time in UTC, in a field that is named like one: a text may be written like a time, but means what it says. */
const TIME_FIELD = /_at$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/

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
 */
export function rowText(row: Row, room: RowRoom): RowText {
  const { handle, deleted, url } = row
  const { id, connection_id } = handle
  const name = connection_id === undefined ? id : `${id} connection_id=${quote(connection_id)}`
  const separator = /\s/.test(name) || bytesOf(name) > MOST_ID_BYTES ? '\n  ' : ' '
  if (deleted) return measured(`${name}${separator}deleted`, { isWhole: true, unsaid: [] })
  const heading = headingOf(row)
  const link = formedFrom(row) === null && bytesOf(url) <= MOST_LINK_BYTES ? `\n  ${url}` : ''
  const values = valuesOf(row, { ...room, bytes: room.bytes - bytesOf(name + heading + link) - 4 })
  return measured(`${name}${separator}${heading}${values.text || 'no values'}${link}`, values)
}

function measured(text: string, { isWhole, unsaid }: Omit<RowText, 'text' | 'bytes'>): RowText {
  return { text, bytes: bytesOf(text), isWhole, unsaid }
}

/** The origin of a link that a reader can form from the id, by the pattern that is stated once; null otherwise. */
export function formedFrom({ handle, url }: Row): string | null {
  const origin = /^(https?:\/\/.+?)\/r\/[^/]+\/[^/]+\/[^/?]+$/.exec(url)?.[1]
  const formable = handle.connection_id === undefined && isFormable(handle.id, 'field')
  return origin !== undefined && formable ? origin : null
}

/** `time author: `, as far as known. */
function headingOf({ shown_at, author }: Row): string {
  const labels = [shown_at, author].flatMap(label => (label === null ? [] : [word(label, LABEL_BYTES)]))
  return labels.length === 0 ? '' : `${labels.join(' ')}: `
}

function valuesOf(row: Row, { bytes, asked }: RowRoom): Omit<RowText, 'bytes'> {
  const shown: string[] = []
  let isWhole = true
  // The first value is shown even if there is no room: a row without one says nothing.
  let room = bytes - bytesOf(MORE_FIELDS)
  const isLong = bytesOf(row.handle.id) > MOST_REPEATED_BYTES
  const values = Object.entries(row.preview.data).filter(
    ([field, value]) => asked.has(field) || !isRepeated(row, value),
  )
  const [said, unsaid] = parted(values, ([field, value]) => asked.has(field) || !isUnsaid(row, field, value))
  const isSilent = said.length === 0
  for (const [field, value] of isSilent ? unsaid : said) {
    const isAsked = asked.has(field)
    const text =
      valueText(row, field, value, room) ??
      ((isAsked || shown.length === 0) && !isLong ? shortText(row, field, value) : null)
    if (text === null) isWhole = false
    else shown.push(text)
    room -= text === null ? 0 : bytesOf(text) + 4
  }
  if (!isWhole) shown.push(MORE_FIELDS)
  return { text: shown.join(' · '), isWhole, unsaid: isSilent ? [] : unsaid.map(([field]) => field) }
}

function parted<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter(each => !isFirst(each))]
}

/** A complete value, or the start of a text with its call; null if there is no room. */
function valueText(row: Row, field: string, value: Json, room: number): string | null {
  const path = pathOf(field).text
  const cut = row.preview.cuts.find(each => each.path === path)
  if (row.preview.omitted.some(each => each.path === path)) {
    const left = `${word(field)} ${String(value)} (${callText(valueCall(row, field))})`
    return fitting(left, room)
  }
  if (typeof value === 'string') {
    if (TIME_FIELD.test(field) && INSTANT.test(value))
      return fitting(`${word(field)} ${quote(localTime(value, row.zone) ?? value)}`, room)
    const whole = cut || value.length > room ? null : `${word(field)} ${quote(value)}`
    if (whole !== null && bytesOf(whole) <= room) return whole
    return beginningText(row, field, value, cut?.size_chars ?? null, room)
  }
  const inside = `${pointer([field])}/`
  if (row.preview.cuts.some(each => each.path.startsWith(inside))) return null
  return fitting(`${word(field)} ${plainText(value)}`, room)
}

function fitting(text: string, room: number): string | null {
  return bytesOf(text) <= room ? text : null
}

function plainText(value: Json): string {
  if (Array.isArray(value) && value.length > 0) {
    const items = value.map(item => (typeof item === 'string' ? quote(item) : fileText(item)))
    if (!items.includes(null)) return items.join(', ')
  }
  return isObject(value) || Array.isArray(value) ? quote(JSON.stringify(value)) : String(value)
}

/** An attached file by name, type and size; its digest and addresses are in the structured content. */
function fileText(item: Json): string | null {
  if (!isObject(item)) return null
  const { name, mime_type, size_bytes } = item
  if (typeof name !== 'string' || name === '' || typeof mime_type !== 'string') return null
  const size = typeof size_bytes === 'number' ? `, ${size_bytes} bytes` : ''
  return `${quote(name)} (${word(mime_type)}${size})`
}

/** What is shown of a value if nothing of it fits: its first bytes and how to read it. */
function shortText(row: Row, field: string, value: Json): string {
  const plain = `${word(field)} ${typeof value === 'string' ? quote(value) : plainText(value)}`
  const cut = row.preview.cuts.some(({ path }) => path === pathOf(field).text)
  if (!cut && bytesOf(plain) <= ASKED_BYTES) return plain
  const least =
    typeof value === 'string'
      ? beginningText(row, field, value, null, Number.POSITIVE_INFINITY, LEAST_CHARS)
      : null
  if (least !== null) return least
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${word(field)} ${quotedHead(text, ASKED_BYTES)} (${callText(valueCall(row, field))})`
}

/** Reads a list or object, or anything that cannot be read otherwise. */
function valueCall({ handle, readsJson }: Row, field: string): Call {
  const path = pathOf(field).text
  if (readsJson && isReadable(path)) return readCall(handle, path)
  return { tool: 'fetch', args: { ...handle, fields: [field] } }
}

/** The start of a text with its range and the call that continues reading (LA-3). */
function beginningText(
  row: Row,
  field: string,
  value: string,
  size: number | null,
  room: number,
  most = Number.POSITIVE_INFINITY,
): string | null {
  const path = pathOf(field).text
  if (!isReadable(path)) return null
  const all = countCodePoints(value)
  const total = row.preview.cuts.find(each => each.path === path)?.size_chars ?? size ?? all
  const render = (chars: number) => {
    const call = callText(readCall(row.handle, path, { offset_chars: chars }))
    return `${word(field)} ${quote(`${head(value, chars)}…`)} (0-${chars} of ${total}; ${call})`
  }
  const sizes = quotedSizes(value)
  // The number of characters is written twice; everything else around the text is constant.
  const around = bytesOf(render(0)) - 2
  const bytesAt = (chars: number) =>
    sizes ? around + sizes(chars) + 2 * String(chars).length : bytesOf(render(chars))
  if (bytesAt(Math.min(all, LEAST_CHARS)) > room) return null
  return render(mostWithin(Math.min(all, most), bytesAt, room))
}
