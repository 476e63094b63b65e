/** What a word consists of, a soft hyphen included; everything else separates words. */
const IN_WORD = /[\p{L}\p{N}\p{M}\p{Co}\u00ad]/u
/** Flags and other pictures, without signs such as © and ™, and without the colour of a skin. */
const EMOJI =
  /\p{RI}{2}|[\p{Extended_Pictographic}&&[\u231a-\u23f3\u2600-\u27bf\u2b05-\u2b55\u{1f000}-\u{1faff}]]/vy
const FIRST_EMOJI = 0x231a
const NOT_ASCII = /[^\0-\x7f]/
const LAST_ASCII = 127

/** For each UTF-16 unit whether it is part of a word, or half of a character; 0 until that is asked. */
const UNITS = new Uint8Array(2 ** 16)
const INSIDE = 1
const OUTSIDE = 2
const HALF = 3

/** How many UTF-16 units the character at an index has if it is part of a word; otherwise 0. */
function unitsAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (UNITS[unit] === 0) UNITS[unit] = kindOf(unit)
  if (UNITS[unit] !== HALF) return UNITS[unit] === INSIDE ? 1 : 0
  const character = text.codePointAt(index) ?? 0
  return character > 0xffff && IN_WORD.test(String.fromCodePoint(character)) ? 2 : 0
}

function kindOf(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return HALF
  return IN_WORD.test(String.fromCharCode(unit)) ? INSIDE : OUTSIDE
}

/** Where the word at an index ends; the index itself if there is none. */
export function wordEndAt(text: string, index: number): number {
  let end = index
  while (end < text.length) {
    // Nearly always it is known that the next unit is part of the word.
    if (UNITS[text.charCodeAt(end)] === INSIDE) end++
    else {
      const units = unitsAt(text, end)
      if (units === 0) break
      end += units
    }
  }
  return end
}

/** Where the picture at an index ends; the index itself if there is none. */
export function emojiEndAt(text: string, index: number): number {
  if (text.charCodeAt(index) < FIRST_EMOJI) return index
  EMOJI.lastIndex = index
  return EMOJI.test(text) ? EMOJI.lastIndex : index
}

/** Whether a text is plain ASCII. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text)
}

/** Whether a part of a text is plain ASCII. */
export function isPartAscii(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) > LAST_ASCII) return false
  return true
}
