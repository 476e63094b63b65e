/** Days and times, as programs write them into the names of their exports. */
const TIMES = /\d{4}([-_.]?)\d{2}\1\d{2}(?:[T_ -]?\d{2}[-_.:]?\d{2}(?:[-_.:]?\d{2})?Z?)?(?!\d)/g
/** The number that a browser adds to the name of a second download. */
const COPY = /(?<!\s)\s*\(\d{1,3}\)$/
/** `slack-` of `slack-acme`: the kind is named before it anyway. */
const PREFIX = /^([^\s_-]+)[_-](?=.)/
const WORDS = /[^\s_\-–,()[\]\0]+/g
const OF_EXPORTS = wordSet('archive backup chatexport download dump export exported takeout')
const SAYS_NOTHING = wordSet(
  `all and archives backups batch chat chats conversation conversations copy csv data db default desktop documents
  downloads exports file files folder full history in index json message messages my new of old out output package part
  records result results rows share shared source table temp the tmp untitled upload uploads user your`,
)

/**
 * The part of a file's name that tells it apart and is likely to be in the name of the next export too: without times,
 * checksums and words of exports at its ends. Null if nothing remains that says more than `kind`.
 */
export function tellingName(name: string, kind: string): string | null {
  const original = name
    .replace(COPY, '')
    .replace(PREFIX, (written, word: string) => (word.toLowerCase() === kind.toLowerCase() ? '' : written))
  const timeless = original.replace(TIMES, time => '\0'.repeat(time.length))
  const words = [...timeless.matchAll(WORDS)].filter(([word]) => !isOfExports(word))
  const known = wordSet(kind)
  const isTelling = words.some(([word]) => {
    const plain = word.toLowerCase()
    return !/^\d+$/.test(plain) && !SAYS_NOTHING.has(plain) && !known.has(plain)
  })
  const [first] = words
  const last = words.at(-1)
  return isTelling && first && last ? original.slice(first.index, last.index + last[0].length) : null
}

function isOfExports(word: string): boolean {
  const isChecksum = /^[0-9a-f]{8,}$/i.test(word) && /\d/.test(word)
  return isChecksum || OF_EXPORTS.has(word.toLowerCase())
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.toLowerCase().match(WORDS))
}
