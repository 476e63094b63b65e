import { analyze } from '../text/analyzer.ts'
import { isStopWord, keyOf } from '../text/words.ts'

/** The signs around a word. A run of signs is tried only from its start, or many would take long. */
const SIGNS = /^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/gu

export function withoutSigns(word: string): string {
  return word.replace(SIGNS, '')
}

/** Another spelling of words of a query, by their keys. */
interface OtherSpelling {
  key: string
  of: string[]
  /** How many words of the query it stands for. */
  words: number
}

/** IL6, GPT4, iPhone15: letters, then a number, which may end with letters. */
const TOGETHER = /^([a-z]{2,8})\d[a-z\d]{0,5}$/i
const LETTERS = /^[a-z]{1,8}$/i
const NUMBER = /^\d[a-z\d]{0,5}$/i
/** 20 km, 3.5 mm, 5 pm */
const AMOUNT = /^\d+(?:[.,]\d+)?$/
const UNIT = /^[a-z]{1,3}$/i
const AMOUNT_WITH_UNIT = /^(\d+)([a-z]{2,3})$/i

/**
 * Names with a number are written in one word or in two, so IL 6 also finds IL6, and IL6 finds IL 6. The analyzer joins
 * the parts of IL-6 by itself. A number and its unit are written in both ways, too.
 */
export function numberedNames(query: readonly string[]): OtherSpelling[] {
  const words = query.map(withoutSigns)
  return words.flatMap((word, i) => {
    const next = words[i + 1] ?? ''
    if (LETTERS.test(word) && NUMBER.test(next) && !isStopWord(word))
      return [{ key: keyOf(word + next), of: [keyOf(word), keyOf(next)], words: 1 }]
    if (AMOUNT.test(word) && UNIT.test(next) && !isStopWord(next)) {
      const together = analyze(word + next).filter(({ further }) => further === null)
      const of = [word, next].flatMap(each => analyze(each).flatMap(({ key, basic }) => (basic ? [key] : [])))
      // The longest is the whole.
      const whole = together.reduce((most, each) =>
        each.end - each.start > most.end - most.start ? each : most,
      )
      return [{ key: whole.key, of, words: 2 }]
    }
    const [, letters] = TOGETHER.exec(word) ?? []
    if (letters !== undefined && !isStopWord(letters))
      return [{ key: keyOf(letters), of: [keyOf(word)], words: 1 }]
    const [, amount, unit] = AMOUNT_WITH_UNIT.exec(word) ?? []
    if (amount === undefined || unit === undefined) return []
    return [amount, unit].map(part => ({ key: keyOf(part), of: [keyOf(word)], words: 1 }))
  })
}
