import { pathOf, pointer } from '../../model/declaration/field-path.ts'
import { isObject, type Json } from '../../model/json.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { localTime } from '../../model/time.ts'
import type { CutText } from '../reading/preview.ts'
import type { Row } from '../reading/row.ts'
import {
  bytesOf,
  callText,
  head,
  mostWithin,
  type QuotedSizes,
  quote,
  quotedHead,
  quotedSizes,
  timeText,
  word,
} from '../text/quote.ts'
import { type Call, readCall } from '../text/record-handle.ts'
import { isReadable } from './ladder.ts'

/** At least this many characters of a text that does not fit are shown. */
const LEAST_CHARS = 24
/** What is shown of a value that does not fit gets at least this many bytes. */
const SHORT_BYTES = 80

/** A time in UTC, in a field that is named like one: a text may be written like a time, but means what it says. */
const TIME_FIELD = /_at$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/

/** A value of a row as text. What does not depend on the room is made once. */
export class ValueText {
  readonly field: string
  readonly #row: Row
  readonly #value: Json
  readonly #path: string
  readonly #cut: CutText | undefined
  /** The complete value; null for one that is cut. */
  readonly #whole: string | null
  readonly #wholeBytes: number
  /** Whether the start of the text is shown if the whole does not fit. */
  readonly #mayBegin: boolean
  #beginning: Beginning | undefined

  constructor(row: Row, field: string, value: Json) {
    this.field = field
    this.#row = row
    this.#value = value
    this.#path = pathOf(field).text
    const { cuts, omitted } = row.preview
    this.#cut = cuts.find(({ path }) => path === this.#path)
    const isOmitted = omitted.some(({ path }) => path === this.#path)
    const isTime = typeof value === 'string' && TIME_FIELD.test(field) && INSTANT.test(value)
    this.#mayBegin = typeof value === 'string' && !isOmitted && !isTime && isReadable(this.#path)
    if (isOmitted) this.#whole = `${word(field)} ${String(value)} (${callText(this.#call())})`
    else if (isTime) this.#whole = `${word(field)} ${timeText(localTime(value, row.zone) ?? value)}`
    else this.#whole = this.#isCut() ? null : `${word(field)} ${plainText(value)}`
    this.#wholeBytes = this.#whole === null ? Number.POSITIVE_INFINITY : bytesOf(this.#whole)
  }

  /** The complete value, or the start of a text with its call; null if there is no room. */
  within(room: number): string | null {
    if (this.#wholeBytes <= room) return this.#whole
    return this.#mayBegin ? this.#begun(room) : null
  }

  /** What is shown if nothing of it fits: its first bytes and how to read it. */
  short(): string {
    const { field } = this
    const value = this.#value
    const plain = `${word(field)} ${plainText(value)}`
    if (!this.#cut && bytesOf(plain) <= SHORT_BYTES) return plain
    const isBegun = typeof value === 'string' && isReadable(this.#path)
    const least = isBegun ? this.#begun(Number.POSITIVE_INFINITY, LEAST_CHARS) : null
    if (least !== null) return least
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${word(field)} ${quotedHead(text, SHORT_BYTES)} (${callText(this.#call())})`
  }

  /** Whether the value is a text that is cut, or contains one. */
  #isCut(): boolean {
    if (typeof this.#value === 'string') return this.#cut !== undefined
    const inside = `${pointer([this.field])}/`
    return this.#row.preview.cuts.some(({ path }) => path.startsWith(inside))
  }

  #begun(room: number, most?: number): string | null {
    this.#beginning ??= new Beginning(this.#row, this.field, String(this.#value), this.#path, this.#cut)
    return this.#beginning.within(room, most)
  }

  /** Reads a list or object, or anything that cannot be read otherwise. */
  #call(): Call {
    const { handle, readsJson } = this.#row
    if (readsJson && isReadable(this.#path)) return readCall(handle, this.#path)
    return { tool: 'fetch', args: { ...handle, fields: [this.field] } }
  }
}

/** The start of a text with its range and the call that continues reading (LA-3). */
class Beginning {
  readonly #render: (chars: number) => string
  readonly #bytesAt: QuotedSizes
  readonly #chars: number

  constructor({ handle }: Row, field: string, text: string, path: string, cut: CutText | undefined) {
    this.#chars = countCodePoints(text)
    const total = cut?.size_chars ?? this.#chars
    const render = (chars: number) => {
      const call = callText(readCall(handle, path, { offset_chars: chars }))
      return `${word(field)} ${quote(`${head(text, chars)}…`)} (0-${chars} of ${total}; ${call})`
    }
    const sizes = quotedSizes(text)
    // The number of characters is written twice; everything else around the text is constant.
    const around = bytesOf(render(0)) - 2
    this.#render = render
    this.#bytesAt = chars =>
      sizes ? around + sizes(chars) + 2 * String(chars).length : bytesOf(render(chars))
  }

  within(room: number, most = Number.POSITIVE_INFINITY): string | null {
    if (this.#bytesAt(Math.min(this.#chars, LEAST_CHARS)) > room) return null
    return this.#render(mostWithin(Math.min(this.#chars, most), this.#bytesAt, room))
  }
}

function plainText(value: Json): string {
  if (typeof value === 'string') return quote(value)
  const items = Array.isArray(value) ? value : [value]
  const texts = items.map(item =>
    typeof item === 'string' ? quote(item) : (fileText(item) ?? labelledText(item)),
  )
  if (isObject(value) || (Array.isArray(value) && value.length > 0))
    return texts.includes(null) ? quote(JSON.stringify(value)) : texts.join(', ')
  return Array.isArray(value) ? quote(JSON.stringify(value)) : String(value)
}

/** An attached file by name, type and size; its digest and addresses are in the structured content. */
function fileText(item: Json): string | null {
  if (!isObject(item)) return null
  const { name, mime_type, size_bytes } = item
  if (typeof name !== 'string' || name === '' || typeof mime_type !== 'string') return null
  const size = typeof size_bytes === 'number' ? `, ${size_bytes} bytes` : ''
  return `${quote(name)} (${word(mime_type)}${size})`
}

/** A value with what it is for, such as a number of a contact: `"+49 30 1234" (work)`. */
function labelledText(item: Json): string | null {
  if (!isObject(item)) return null
  const { value, label, ...others } = item
  if (typeof value !== 'string' || value === '' || Object.keys(others).length > 0) return null
  return typeof label === 'string' && label !== '' ? `${quote(value)} (${word(label)})` : quote(value)
}
