/** `&#55357;&#56832;`: a surrogate pair, written as two character references. */
const HALVES =
  /&#(5(?:529[6-9]|5[3-9]\d\d|6[0-2]\d\d|63[01]\d));&#(5(?:632\d|63[3-9]\d|6[4-9]\d\d|7[0-2]\d\d|73[0-3]\d|734[0-3]));/g
const LONGEST = '&#55357;&#56832;'.length

/**
 * Replaces surrogate pairs, which the app writes for emoji, by the characters themselves, because they are not valid
 * in XML.
 */
export async function* withWholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = ''
  for await (const chunk of chunks) {
    const text = mended(held + Buffer.from(chunk).toString('latin1'))
    const last = text.indexOf('&', Math.max(0, text.length - LONGEST + 1))
    held = last === -1 ? '' : text.slice(last)
    yield Buffer.from(last === -1 ? text : text.slice(0, last), 'latin1')
  }
  if (held !== '') yield Buffer.from(held, 'latin1')
}

function mended(text: string): string {
  return text.replace(HALVES, (_, high, low) =>
    Buffer.from(String.fromCharCode(Number(high), Number(low))).toString('latin1'),
  )
}
