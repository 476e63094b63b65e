import { countCodePoints } from '../../model/text/code-points.ts'
import { bytesOf, quote, UNESCAPED } from './quote.ts'

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
