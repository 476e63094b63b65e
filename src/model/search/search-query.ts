import { CodedError, invalidRequest } from '../errors.ts'
import {
  foreignOperators,
  type QueryOperator,
  takeOperators,
  withoutQuotationMarks,
} from '../reading/query-operators.ts'
import { analyze, type Initials, isUnspaced, markInitials, type Word } from '../text/analyzer.ts'
import { hasAtMost } from '../text/code-points.ts'
import { fold } from '../text/fold.ts'
import type { Further } from '../text/further-keys.ts'
import { askingWords } from '../text/questions.ts'
import { isStopKey, isStopWord, wordKey } from '../text/words.ts'
import { numberedNames, withoutSigns } from './numbered-names.ts'
import type { Without } from './refinements.ts'
import * as tuning from './tuning.ts'

/**
 * One thing to search for. `weight` is higher if the query repeats it. A further key of a word finds and ranks records,
 * but records are not required to contain it; `of` are the keys of the words that it belongs to.
 */
export type Clue =
  | { kind: 'word'; key: string; weight: number; stop: boolean; further?: Further; of?: readonly string[] }
  | { kind: 'prefix'; key: string; weight: number; stop: false }
  | { kind: 'phrase'; keys: string[]; weight: number; stop: false }

export interface SearchQuery {
  clues: Clue[]
  /** The words of the query in order, including stop words and the words of phrases. */
  words: string[]
  /** How many words of scripts without spaces are written apart. Each consists of several clues. */
  runs: number
  /** The query as written, without operators and exclusions. */
  text: string
  /** The plain words that may be misspelt, as written and as clues. */
  spelled: { written: string; key: string }[]
  excluded: Exclusion[]
  operators: QueryOperator[]
  /** Parts that look like operators of other programs, such as `is:unread`. They are words here. */
  foreign: string[]
  /** Whether quotation marks were ignored: the whole query is a sentence in them, or has too many phrases. */
  quoted: boolean
  without: Without
}

/** A hit must not contain all of these words; for a phrase, it must not contain them one after the other. */
export interface Exclusion {
  keys: string[]
  phrase: boolean
}

export const MAX_SEARCH_CHARS = 4_000

/**
 * Parses words, "phrases", prefix*, -word, -"phrase" and operators. Everything else separates words. A question or a
 * long sentence in quotation marks is treated as words, and so is a query with too many phrases. A minus followed by a
 * single character, such as a command-line option, or by a small number excludes nothing.
 */
export function parseSearchQuery(text: string, without: Without = []): SearchQuery {
  if (text === '' || !hasAtMost(text, MAX_SEARCH_CHARS)) {
    throw new CodedError('invalid_request', `The query must have 1 to ${MAX_SEARCH_CHARS} characters.`, {
      param: 'q',
    })
  }
  const clues = new Map<string, Clue>()
  const further = new Map<string, Clue>()
  const excluded: Exclusion[] = []
  const inOrder: string[] = []
  const asked: string[] = []
  const plain: string[] = []
  let runs = 0
  const spelled: SearchQuery['spelled'] = []
  const isNewWord = (key: string) => !spelled.some(each => each.key === key)
  const add = (clue: Clue) => {
    const name = clue.kind === 'phrase' ? `"${clue.keys.join(' ')}` : `${clue.kind} ${clue.key}`
    const all = isFurther(clue) ? further : clues
    const known = all.get(name)
    if (known) {
      known.weight += clue.weight
      known.stop &&= clue.stop
      if (known.kind === 'word' && clue.kind === 'word' && known.of && clue.of)
        known.of = [...new Set([...known.of, ...clue.of])]
    } else if (all.size < tuning.MOST_CLUES) all.set(name, clue)
  }
  const { operators, words: written } = takeOperators(text)
  const meant = !without.includes('meant_quotes')
  const sentence = meant ? quotedSentence(written) : null
  const words = sentence ?? written
  const asking = without.includes('asking') ? new Set() : askingWords(words)
  const minus_word = meant ? MEANT_MINUS : ANY_MINUS
  for (const part of words.matchAll(/(-?)"([^"]*)"|([^\s"]+)/g)) {
    const [, minus, phrase, word = ''] = part
    if (phrase === undefined ? !minus_word.test(word) : !minus) asked.push(phrase ?? word)
    if (phrase !== undefined && minus) excludePhrase(phrase, excluded)
    else if (phrase !== undefined) {
      addPhrase(phrase, add)
      inOrder.push(...basicKeys(phrase))
    } else if (minus_word.test(word)) addExcluded(word.slice(1), excluded)
    else if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]+\*$/u.test(word)) addPrefix(word.slice(0, -1), add)
    else {
      plain.push(word)
      const written = fold(withoutSigns(word))
      const found = asking.has(written) ? asStopWords(wordClues(word, without)) : wordClues(word, without)
      runs += runsIn(word)
      for (const { clue, basic } of found) {
        add(clue)
        if (basic) inOrder.push(clue.key)
      }
      const [only, ...others] = found.filter(({ clue }) => !isFurther(clue))
      const owner = written.replace(POSSESSIVE, '')
      if (
        only &&
        others.every(({ clue }) => clue.stop) &&
        !only.clue.stop &&
        isNewWord(only.clue.key) &&
        mayBeMisspelt(owner, only.clue.key)
      )
        spelled.push({ written: owner, key: only.clue.key })
    }
  }
  if (!without.includes('spelling'))
    for (const { key, of, words } of numberedNames(plain)) {
      const weight = words * tuning.FURTHER_WEIGHTS.spelling
      add({ kind: 'word', key, of, weight, stop: false, further: 'spelling' })
    }
  for (const name of clues.keys()) further.delete(name)
  const all = [...clues.values()]
  if (all.filter(clue => clue.kind !== 'word').length > tuning.MOST_TEXT_CLUES) {
    const unquoted = withoutQuotationMarks(text)
    if (unquoted !== text) return { ...parseSearchQuery(unquoted, without), quoted: true }
    throw invalidRequest(`q may have at most ${tuning.MOST_TEXT_CLUES} prefixes.`, 'q')
  }
  return {
    clues: [...withStopWords(all), ...further.values()].slice(0, tuning.MOST_CLUES),
    words: inOrder.slice(0, tuning.MOST_CLUES),
    runs,
    text: asked.join(' '),
    spelled: without.includes('misspellings') ? [] : spelled.slice(0, tuning.MOST_SPELLED),
    excluded,
    operators,
    foreign: foreignOperators(words),
    quoted: sentence !== null,
    without,
  }
}

/** The parts of a word that are written without spaces: pairs of characters overlap within each. */
function runsIn(word: string): number {
  if (!isUnspaced(word)) return 0
  const pairs = analyze(word).filter(({ key, basic }) => basic && isUnspaced(key))
  return pairs.filter(({ start }, i) => start >= (pairs[i - 1]?.end ?? 0)).length
}

function mayBeMisspelt(word: string, key: string): boolean {
  const { least, most } = tuning.CORRECTED_LETTERS
  if (/\p{sc=Arabic}/u.test(key) && key.length < tuning.CORRECTED_ARABIC_STEM) return false
  return new RegExp(`^\\p{L}{${least},${most}}$`, 'u').test(word) && !isUnspaced(word)
}

interface WordClue {
  clue: Clue & { kind: 'word' }
  basic: boolean
}

/** As in `Ada's`, which has two words. */
const POSSESSIVE = /['’]s$/

const HIRAGANA_WORD = /^\p{sc=Hiragana}+$/u
const HIRAGANA_PAIR = /^\p{sc=Hiragana}{2}$/u

/** Only Vietnamese has such keys. A single letter, such as à, may be of any language. */
const isAccented = ({ further, start, end }: Word) => further === 'accents' && end - start > 1

/**
 * The clues for one part of a query between spaces. A stop word has no further keys; số only looks like one. A word and
 * its base form, which the same texts contain, share the weight of one word.
 */
export function wordClues(text: string, without: Without): WordClue[] {
  const words = analyze(text)
  const bySegments = !without.includes('segments') && isUnspaced(text)
  const isParticle = (key: string) => HIRAGANA_PAIR.test(key) && !HIRAGANA_WORD.test(text)
  const startsOf = (some: typeof words) => new Set(some.map(({ start }) => start))
  const accented = startsOf(without.includes('accents') ? [] : words.filter(isAccented))
  const isStop = ({ key, basic, start, end }: Word) =>
    !accented.has(start) && (basic ? isStopWord(text.slice(start, end)) : isStopKey(key))
  const stops = startsOf(words.filter(isStop))
  const formed = startsOf(without.includes('form') ? [] : words.filter(({ further }) => further === 'form'))
  return words.flatMap((word): WordClue[] => {
    const { key, basic, further, start } = word
    if (further !== null) {
      if (stops.has(start) || without.includes(further)) return []
      const weight = tuning.FURTHER_WEIGHTS[further]
      const of = words.filter(own => own.further === null && own.start === start).map(own => own.key)
      return [{ clue: { kind: 'word', key, weight, stop: false, further, of }, basic }]
    }
    const usual = basic ? (formed.has(start) ? 1 - tuning.FURTHER_WEIGHTS.form : 1) : tuning.NAME_WEIGHT
    const segmented = basic ? (isParticle(key) ? tuning.HIRAGANA_WEIGHT : 1) : tuning.SEGMENT_WEIGHT
    const weight = bySegments ? segmented : usual
    return [{ clue: { kind: 'word', key, weight, stop: isStop(word) }, basic }]
  })
}

function asStopWords(found: readonly WordClue[]): WordClue[] {
  return found
    .filter(({ clue }) => !isFurther(clue))
    .map(({ clue, basic }) => ({ clue: { ...clue, stop: true }, basic }))
}

/** The query that means every record. */
export const EVERYTHING = '*'

/** Whether a query selects records without looking for words: by operators, or every record. */
export function isListing({ clues, excluded, operators, text }: SearchQuery): boolean {
  if (clues.length > 0) return false
  return operators.length > 0 || (text === EVERYTHING && excluded.length === 0)
}

/** The clues that a record must contain to match the whole query. */
export function requiredClues(clues: readonly Clue[]): Clue[] {
  return clues.filter(clue => !clue.stop && !isFurther(clue))
}

/**
 * The clues of `requiredClues` without the words of the segmenter, which splits a text in other places than a query. The
 * pairs of characters say whether a text contains all of a query.
 */
export function writtenClues({ clues, words }: Pick<SearchQuery, 'clues' | 'words'>): Clue[] {
  const written = new Set(words)
  return requiredClues(clues).filter(clue => !isUnspacedWord(clue) || written.has(clue.key))
}

export function isUnspacedWord(clue: Clue): clue is Clue & { kind: 'word' } {
  return clue.kind === 'word' && isUnspaced(clue.key)
}

export function isFurther(clue: Clue): boolean {
  return clue.kind === 'word' && clue.further !== undefined
}

const MEANT_MINUS = /^-(?!\d{1,3}(?![\p{L}\p{N}]))[\p{L}\p{N}][^\p{L}\p{N}]*[\p{L}\p{N}]/u
const ANY_MINUS = /^-[\p{L}\p{N}]/u

/** The words of a query that is one question or long sentence in quotation marks; null for any other. */
function quotedSentence(text: string): string | null {
  const [, inside] = /^\s*"([^"]+)"\s*$/.exec(text) ?? []
  if (inside === undefined) return null
  const isLong = basicKeys(inside).length >= tuning.SENTENCE_WORDS
  return isLong || /[?？؟]\s*$/u.test(inside) ? inside : null
}

/** Stop words count only if there are no other words. */
export function withStopWords(clues: readonly Clue[]): Clue[] {
  return clues.every(({ stop }) => stop) ? clues.map(clue => ({ ...clue, stop: false }) as Clue) : [...clues]
}

function addPhrase(text: string, add: (clue: Clue) => void): void {
  const keys = basicKeys(text)
  const [only] = keys
  if (keys.length === 1 && only !== undefined) add({ kind: 'word', key: only, weight: 1, stop: false })
  else if (keys.length > 1) add({ kind: 'phrase', keys, weight: 1, stop: false })
}

function basicKeys(text: string): string[] {
  return analyze(text).flatMap(word => (word.basic ? [word.key] : []))
}

function addPrefix(text: string, add: (clue: Clue) => void): void {
  const key = wordKey(text)
  // In scripts without spaces any part of a text can be found, so a prefix is a phrase.
  if (isUnspaced(text)) addPhrase(text, add)
  else if (key !== '') add({ kind: 'prefix', key, weight: 1, stop: false })
}

/** A joined name excludes records that contain the whole name, not records that contain its parts. */
function addExcluded(text: string, excluded: Exclusion[]): void {
  if (excluded.length >= tuning.MOST_CLUES) return
  const words = analyze(text)
  const end = Math.max(...words.map(word => word.end))
  const whole = words.find(word => word.start === 0 && word.end === end)
  if (whole) excluded.push({ keys: [whole.key], phrase: false })
  else if (words.length > 0) excluded.push({ keys: [...new Set(basicKeys(text))], phrase: false })
}

function excludePhrase(text: string, excluded: Exclusion[]): void {
  const keys = basicKeys(text)
  if (keys.length > 0 && excluded.length < tuning.MOST_CLUES) excluded.push({ keys, phrase: keys.length > 1 })
}

/** The initials of the words that can match the clues; null if there are phrases, which need every word. */
export function initialsOf(clues: readonly Clue[]): Initials {
  const keys = clues.flatMap(clue => (clue.kind === 'phrase' ? clue.keys : [clue.key]))
  return markInitials(
    keys,
    clues.some(({ kind }) => kind === 'phrase'),
  )
}
