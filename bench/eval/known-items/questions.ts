import { Random } from '../../../test/random.ts'
import type { KnownLanguage } from './languages.ts'

export const KINDS = ['words', 'other forms', 'without accents', 'parts'] as const

/** What someone who knows a text may type to find it again. */
export interface Question {
  kind: (typeof KINDS)[number]
  text: string
  /** The id of the text. */
  document: string
}

export interface KnownText {
  id: string
  text: string
}

/** Of each kind. */
const MOST_QUESTIONS = 250
const PART_CHARS = 8
const KEPT = new Map(Object.entries({ ß: 'ss', đ: 'd', Đ: 'D', ı: 'i' }))

/**
 * Questions about texts that are drawn at random: a few of their long words in order, the same words in other forms
 * that occur in the texts, or without accents; in scripts without spaces a part of the text, starting anywhere.
 */
export function questionsAbout(
  texts: readonly KnownText[],
  language: KnownLanguage,
  formsOf: ReadonlyMap<string, readonly string[]>,
): Question[] {
  const random = new Random(1)
  const questions: Question[] = []
  const add = (kind: Question['kind'], text: string, document: string) => {
    if (questions.filter(each => each.kind === kind).length < MOST_QUESTIONS)
      questions.push({ kind, text, document })
  }
  const drawn = texts
    .map(text => ({ ...text, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, 10 * MOST_QUESTIONS)
  for (const { id, text } of drawn) {
    const words = longWords(text, language)
    if (words.length < language.words) continue
    const start = random.integer(0, words.length - language.words)
    const asked = words.slice(start, start + language.words)
    add('words', asked.join(' '), id)
    const others = asked.map(word => formsOf.get(word) ?? [])
    if (others.every(forms => forms.length > 0))
      add('other forms', others.map(forms => random.pick(forms)).join(' '), id)
    const plain = asked.map(withoutAccents).join(' ')
    if (language.isPlainToo && plain !== asked.join(' ')) add('without accents', plain, id)
    if (language.isUnspaced) add('parts', partOf(text, random), id)
  }
  return questions
}

const segmenters = new Map<string, Intl.Segmenter>()

function segmenterOf(code: string): Intl.Segmenter {
  const segmenter = segmenters.get(code) ?? new Intl.Segmenter(code, { granularity: 'word' })
  segmenters.set(code, segmenter)
  return segmenter
}

/** The words of a text that are long enough, each once, in lower case. */
export function longWords(text: string, { code, script, letters }: KnownLanguage): string[] {
  const words = [...segmenterOf(code).segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.toLocaleLowerCase(code))
    .filter(word => /^[\p{L}\p{M}]+$/u.test(word) && script.test(word) && Array.from(word).length >= letters)
  return [...new Set(words)]
}

function withoutAccents(word: string): string {
  const letters = Array.from(word.normalize('NFD').replace(/\p{M}/gu, ''))
  return letters.map(letter => KEPT.get(letter) ?? letter).join('')
}

function partOf(text: string, random: Random): string {
  const characters = Array.from(text)
  const start = random.integer(0, Math.max(0, characters.length - PART_CHARS))
  return characters.slice(start, start + PART_CHARS).join('')
}
