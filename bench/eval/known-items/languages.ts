import { stemmer as stemGreek } from '@orama/stemmers/greek'
import { stemmer as stemHindi } from '@orama/stemmers/indian'

/** A language in which known texts are searched for. */
export interface KnownLanguage {
  code: string
  /** A character of a translated text. */
  script: RegExp
  /** The number of words in a question, and their minimum length. Vietnamese syllables count as words. */
  words: number
  letters: number
  /** The hunspell dictionary with the forms of words, and the Debian package that contains it. */
  dictionary?: { name: string; package: string }
  /** What determines the forms if the dictionary is only a list of words. */
  stemmer?: (word: string) => string
  /** Whether its words are also typed without their accents. */
  isPlainToo?: boolean
  /** Whether it is written without spaces, so that any part of a text may be asked for. */
  isUnspaced?: boolean
}

const LATIN = { script: /\p{sc=Latin}/u, words: 3, letters: 5, isPlainToo: true }
const OTHER = { words: 3, letters: 5 }
const UNSPACED = { words: 3, letters: 2, isUnspaced: true }

export const KNOWN_LANGUAGES: readonly KnownLanguage[] = [
  { code: 'de', ...LATIN, dictionary: { name: 'de_DE', package: 'hunspell-de-de' } },
  { code: 'tr', ...LATIN, dictionary: { name: 'tr_TR', package: 'hunspell-tr' } },
  { code: 'ro', ...LATIN, dictionary: { name: 'ro_RO', package: 'hunspell-ro' } },
  { code: 'el', ...OTHER, script: /\p{sc=Greek}/u, isPlainToo: true, stemmer: stemGreek },
  {
    ...{ code: 'ru', ...OTHER, script: /\p{sc=Cyrillic}/u },
    dictionary: { name: 'ru_RU', package: 'hunspell-ru' },
  },
  {
    ...{ code: 'ar', ...OTHER, script: /\p{sc=Arabic}/u },
    dictionary: { name: 'ar', package: 'hunspell-ar' },
  },
  {
    ...{ code: 'he', ...OTHER, letters: 4, script: /\p{sc=Hebrew}/u },
    dictionary: { name: 'he_IL', package: 'hunspell-he' },
  },
  {
    ...{ code: 'ko', ...OTHER, letters: 3, script: /\p{sc=Hangul}/u },
    dictionary: { name: 'ko', package: 'hunspell-ko' },
  },
  { code: 'hi', ...OTHER, letters: 4, script: /\p{sc=Devanagari}/u, stemmer: stemHindi },
  { code: 'vi', ...LATIN, words: 5, letters: 2 },
  { code: 'th', ...UNSPACED, script: /\p{sc=Thai}/u },
  { code: 'ja', ...UNSPACED, script: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u },
]
