import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { bytesOf, mostWithin, quote, UNESCAPED } from './quote.ts'

const ELLIPSIS = '…'

/** A quoted part of a text around a match, including the match or at least its start (EV-8). */
export function quotedAround(
  text: string,
  match: { start: number; end: number } | null,
  mostBytes: number,
): string {
  const size = countCodePoints(text)
  const { start, end } = match ?? { start: 0, end: 0 }
  const bounds = (room: number) => {
    const inside = Math.min(end - start, room)
    const before = Math.min(start, Math.floor((room - inside) / 3))
    const to = Math.min(size, start - before + room)
    // Room that is not used at the end of the text is used before the match.
    return { from: Math.max(0, Math.min(start - before, to - room)), to }
  }
  const render = (room: number) => {
    const { from, to } = bounds(room)
    return quote(`${from > 0 ? ELLIPSIS : ''}${sliceCodePoints(text, from, to)}${to < size ? ELLIPSIS : ''}`)
  }
  const sizes = quotedSizes(text)
  const bytesAt = (room: number) => {
    if (!sizes) return bytesOf(render(room))
    const { from, to } = bounds(room)
    const ellipses = (from > 0 ? 1 : 0) + (to < size ? 1 : 0)
    return 2 + sizes(to) - sizes(from) + ellipses * bytesOf(ELLIPSIS)
  }
  return render(mostWithin(Math.min(size, mostBytes), bytesAt, mostBytes))
}

/** The quoted size in bytes of the first characters of a text. */
export type QuotedSizes = (chars: number) => number

/**
 * Null for a text in which more is escaped than JSON escapes: its start may then be escaped differently than the whole.
 */
export function quotedSizes(text: string): QuotedSizes | null {
  if (UNESCAPED.test(text)) return chars => chars
  if (quote(text) !== JSON.stringify(text)) return null
  const sizes = new Uint32Array(countCodePoints(text) + 1)
  let bytes = 0
  let chars = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) ?? 0
    if (code > 0xffff) index++
    bytes += bytesBetweenQuotes(code)
    sizes[++chars] = bytes
  }
  return count => sizes[count] ?? 0
}

const SHORT_ESCAPES: ReadonlySet<number> = new Set(
  ['"', '\\', '\b', '\t', '\n', '\f', '\r'].map(each => each.charCodeAt(0)),
)
const ESCAPE_BYTES = bytesOf('\\u0000')

function bytesBetweenQuotes(code: number): number {
  if (SHORT_ESCAPES.has(code)) return 2
  if (code < 0x20) return ESCAPE_BYTES
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  if (code >= 0xd800 && code <= 0xdfff) return ESCAPE_BYTES
  return code > 0xffff ? 4 : 3
}
