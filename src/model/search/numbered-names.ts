import { isStopWord, keyOf } from '../text/word-keys.ts'

/** Another spelling of words of a query, by their keys. */
interface OtherSpelling {
  key: string
  of: string[]
}

/** IL6, GPT4, iPhone15: letters, then a number, which may end with letters. */
const TOGETHER = /^([a-z]{2,8})\d[a-z\d]{0,5}$/i
const LETTERS = /^[a-z]{1,8}$/i
const NUMBER = /^\d[a-z\d]{0,5}$/i

/**
 * Names with a number are written in one word or in two, so IL 6 also finds IL6, and IL6 finds IL 6. The analyzer joins
 * the parts of IL-6 by itself.
 */
export function numberedNames(query: readonly string[]): OtherSpelling[] {
  const words = query.map(word => word.replace(/^\W+|\W+$/g, ''))
  const isName = (letters: string) => !isStopWord(letters)
  return words.flatMap((word, i) => {
    const number = words[i + 1] ?? ''
    if (LETTERS.test(word) && NUMBER.test(number) && isName(word))
      return [{ key: keyOf(word + number), of: [keyOf(word), keyOf(number)] }]
    const [, letters] = TOGETHER.exec(word) ?? []
    return letters !== undefined && isName(letters) ? [{ key: keyOf(letters), of: [keyOf(word)] }] : []
  })
}
