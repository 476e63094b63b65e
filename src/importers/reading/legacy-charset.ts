const SAMPLE_BYTES = 16 * 1024
const LEAST_SHARE = 0.9
const LEAST_IN_WORDS = 0.7
/** Fewer letters may as well be those of another language. */
const LEAST_LETTERS = 8
const HIGH = /[\x80-\xff]/g

/**
 * Charsets with two bytes for a character: the pairs that are characters, and those of the characters that texts mostly
 * consist of. The first that fits is taken.
 */
const PAIRED: { charset: string; pair: string; common: RegExp }[] = [
  { charset: 'shift_jis', pair: '[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]', common: /^[\x81-\x83\x88-\x97]/ },
  { charset: 'euc-jp', pair: '[\xa1-\xfe][\xa1-\xfe]', common: /^[\xa1\xa3-\xa5\xb0-\xcf]/ },
  { charset: 'euc-kr', pair: '[\xa1-\xfe][\xa1-\xfe]', common: /^[\xa1-\xa3\xb0-\xc8]/ },
  { charset: 'gb18030', pair: '[\x81-\xfe][\x40-\x7e\x80-\xfe]', common: /^[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]/ },
  { charset: 'big5', pair: '[\xa1-\xf9][\x40-\x7e\xa1-\xfe]', common: /^[\xa1-\xc6]/ },
]
/** Japanese has kana, and in Big5 nearly every second character has a byte of ASCII. */
const NEEDED: Record<string, RegExp> = {
  shift_jis: /[\x81-\x9f][\x40-\x7e\x80-\xfc]/,
  'euc-jp': /[\xa4\xa5][\xa1-\xfe]/,
  big5: /[\xa4-\xc6][\x40-\x7e]/,
}

/** The charset of a text that is not UTF-8 and of which nothing else is known, by the bytes that are frequent in it. */
export function likelyCharset(bytes: Buffer): string {
  const first = bytes.findIndex(byte => byte > 0x7f)
  const text = bytes.toString('latin1', Math.max(0, first - 1), first + SAMPLE_BYTES)
  const high = text.match(HIGH)?.length ?? 0
  const inRuns = (text.match(/[\x80-\xff]{2,}/g) ?? []).join('').length
  // In languages with Latin letters, most others are alone between them.
  if (2 * inRuns < high) return latinCharset(text)
  const paired = PAIRED.find(each => isPaired(text, each))
  if (paired) return paired.charset
  const words = (text.match(/(?<![A-Za-z\x80-\xff])[\x80-\xff]{2,}(?![A-Za-z\x80-\xff])/g) ?? []).join('')
  if (words.length < Math.max(LEAST_LETTERS, LEAST_IN_WORDS * high)) return latinCharset(text)
  const count = (letters: RegExp) => words.match(letters)?.length ?? 0
  if (count(/[\xc0-\xff]/g) < LEAST_SHARE * words.length) return latinCharset(text)
  // The most frequent vowels: А, Е, И and О.
  return count(/[\xc0\xc5\xc8\xce\xe0\xe5\xe8\xee]/g) >= count(/[\xc1\xc5\xc9\xcf\xe1\xe5\xe9\xef]/g)
    ? 'windows-1251'
    : 'koi8-r'
}

function isPaired(text: string, { charset, pair, common }: (typeof PAIRED)[number]): boolean {
  // A half-width katakana is a single byte; a pair may be cut off at the end of the sample.
  const single = charset === 'shift_jis' ? '[\x80-\xa0\xe0-\xff](?!$)' : '[\x80-\xff](?!$)'
  const found = text.match(new RegExp(`${pair}|${single}`, 'gs')) ?? []
  const good = found.filter(bytes => bytes.length === 2 && common.test(bytes)).length
  return good > 1 && good >= LEAST_SHARE * found.length && (NEEDED[charset]?.test(text) ?? true)
}

/** Letters of Polish are signs in the western charset, where none is in the middle of a word. */
function latinCharset(text: string): string {
  return /[a-z\xf3][\xb3\xb9\xbf\x9c\x9f][a-z\xf3]/.test(text) ? 'windows-1250' : 'windows-1252'
}
