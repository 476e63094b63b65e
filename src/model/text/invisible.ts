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
