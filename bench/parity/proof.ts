import { analyze, isUnspaced } from '../../src/model/text/analyzer.ts'
import { keyOf, wordKey } from '../../src/model/text/words.ts'

/** What a query asks for, parsed without the product's own parser. */
export interface Asked {
  words: Set<string>
  prefixes: string[]
  phrases: string[][]
}

/** What the answer says about how the query was changed. */
interface Changed {
  /** The words of quotations were searched for. */
  asWords?: boolean
  /** Words that were searched for instead of misspelt ones. */
  taken?: readonly string[]
}

export function askedBy(written: string, { asWords = false, taken = [] }: Changed = {}): Asked {
  const query = written.replace(/[“”„‟＂]/g, '"')
  const asked: Asked = { words: new Set(), prefixes: [], phrases: [] }
  if (asWords) {
    // A minus inside quotation marks excludes nothing.
    const parts = query.split('"').map((part, i) => (i % 2 === 0 ? part : part.replace(/(?<!\S)-/g, ' ')))
    return askedBy(parts.join(' '), { taken })
  }
  for (const { key } of taken.flatMap(word => analyze(word))) asked.words.add(key)
  const keys = (text: string) =>
    analyze(text)
      .filter(word => word.basic)
      .map(word => word.key)
  query.split('"').forEach((part, i, parts) => {
    // Outside of quotes, or after a quote that is not closed.
    if (i % 2 === 0 || i === parts.length - 1) {
      // Names with a number may be written together or apart.
      const plain = part.replace(/(?<!\S)-\S+/g, '')
      for (const [, letters = ''] of plain.matchAll(/\b([a-z]{2,8})\d/gi)) asked.words.add(keyOf(letters))
      for (const [, letters = '', number = ''] of plain.matchAll(/\b([a-z]{1,8})\W+(?=(\d\w{0,5}))/gi))
        asked.words.add(keyOf(letters + number))
      for (const word of part.split(/\s+/)) {
        // A small number after a minus is a number.
        if (
          !/^-\d{1,3}(?![\p{L}\p{N}])/u.test(word) &&
          /^-[\p{L}\p{N}][^\p{L}\p{N}]*[\p{L}\p{N}]/u.test(word)
        )
          continue
        if (word.endsWith('*')) asked.prefixes.push(wordKey(word.slice(0, -1)))
        for (const { key } of analyze(word)) asked.words.add(key)
      }
    } else if (/(^|\s)-$/.test(parts[i - 1] ?? '')) return
    else if (keys(part).length === 1) asked.words.add(keys(part)[0] ?? '')
    else asked.phrases.push(keys(part))
  })
  for (const prefix of asked.prefixes) asked.phrases.push(keys(prefix))
  return asked
}

/** Whether a matched part of a text begins and ends with something from the query. */
export function isProof(matched: string, { words, prefixes, phrases }: Asked): boolean {
  const found = analyze(matched)
  const fits = (at: (word: { start: number; end: number }) => boolean) =>
    found.some(word => {
      if (!at(word)) return false
      const whole = wordKey(matched.slice(word.start, word.end))
      return words.has(word.key) || prefixes.some(prefix => whole.startsWith(prefix))
    })
  // A word of one character inside a text without spaces is not one by itself.
  const alone = (character = '') =>
    isUnspaced(character) && analyze(character).some(word => words.has(word.key))
  const characters = Array.from(matched)
  const basic = found.filter(word => word.basic).map(word => word.key)
  const begins = phrases.some(phrase => phrase.length > 0 && phrase.every((key, i) => basic[i] === key))
  const ends = phrases.some(
    phrase => phrase.length > 0 && phrase.every((key, i) => basic[basic.length - phrase.length + i] === key),
  )
  return (
    (begins || alone(characters[0]) || fits(word => word.start === 0)) &&
    (ends || alone(characters.at(-1)) || fits(word => word.end === matched.length))
  )
}
