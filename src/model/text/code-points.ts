const SURROGATE = /[\uD800-\uDFFF]/

export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let count = 0
  for (let i = 0; i < text.length; i++, count++) if (isPairAt(text, i)) i++
  return count
}

/** Whether a text has at most this many characters. A long text is usually known by its UTF-16 length alone. */
export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && countCodePoints(text) <= most)
}

/** The UTF-16 index `count` code points after `from`; the end of the text if it is shorter. */
export function advance(text: string, from: number, count: number): number {
  const straight = Math.min(text.length, from + count)
  if (!SURROGATE.test(text.slice(from, straight)))
    return isPairAt(text, straight - 1) ? straight - 1 : straight
  let index = from
  for (let n = 0; n < count && index < text.length; n++) index += isPairAt(text, index) ? 2 : 1
  return index
}

/** The part of a text between two code-point offsets. */
export function sliceCodePoints(text: string, start: number, end: number): string {
  const from = advance(text, 0, start)
  return text.slice(from, advance(text, from, Math.max(0, end - start)))
}

function isPairAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  if (!(unit >= 0xd800 && unit <= 0xdbff)) return false
  const next = text.charCodeAt(index + 1)
  return next >= 0xdc00 && next <= 0xdfff
}

/** The bytes of a part of a text in UTF-8, without an incomplete last character. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.subarray(0, -back) : bytes
    if (byte < 0x80) return bytes
  }
  return bytes
}

/**
 * Invisible characters that change how a line is read: controls, line separators, bidi controls, tags and other format
 * characters, lone surrogates, and sequences of variation selectors. Joiners are allowed, because Persian and emoji are
 * written with them.
 */
export const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200C\u200D])\p{Cf}|\p{VS}{2,}/gu

/** Whether a text can be written on a line and read unchanged (ID-11). */
export function isPrintable(text: string): boolean {
  return text.search(INVISIBLE) === -1
}
