import { stemmer as stemGreek } from '@orama/stemmers/greek'
import { stemmer as stemHindi } from '@orama/stemmers/indian'
import { withoutParticle, withoutPrefix } from './attached-words.ts'
import { BASE_FORMS, FORMS } from './irregular-forms.ts'
import { keyboardSpellings } from './keyboard-spellings.ts'

/**
 * Why a word has a further key: its first letters, which forms of one word share in many languages; a spelling without
 * punctuation, or with the letters of other keyboards; the base of an irregular form, or the stem if stemmers remove so
 * much that the word itself should be tried first; the accents that its own key leaves out.
 */
export const FURTHER = ['beginning', 'spelling', 'form', 'accents'] as const
export type Further = (typeof FURTHER)[number]

export interface FurtherKey {
  key: string
  further: Further
}

/** Further keys begin with a special character, so that no word has them as its key. Spellings are words. */
const BEGINNING_MARK = '\u{e010}'
const FORM_MARK = '\u{e012}'
const ACCENTS_MARK = '\u{e013}'
const MARKS = /^[\u{e010}-\u{e013}]/u

/** Words longer than this have a key of their first letters. */
const BEGINNING_LETTERS = 5
const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u
/** Arabic puts articles and prepositions before a word, so its first letters say little. The stemmer removes them. */
const BEGINS_OTHERWISE = /\p{sc=Arabic}/u
/** A Vietnamese syllable with at least one accent, in lower case and composed. */
const VIETNAMESE =
  /^(?=.*[^a-z])[bcdđghklmnpqrstvx]{0,3}[aeiouyàáâãèéêìíòóôõùúýăđĩũơưạ-ỹ]{1,3}(?:c|ch|m|n|ng|nh|p|t)?$/u

let basesByStem: Map<string, string> | undefined

/** The further keys of a word. `folded` is its key before stemming, and `stem` stems such a key. */
export function furtherKeys(word: string, folded: string, stem: (folded: string) => string): FurtherKey[] {
  const accented = word.normalize('NFC').toLowerCase()
  const spellings = keyboardSpellings(accented, folded)
  const keys: FurtherKey[] = []
  const letters = Array.from(folded)
  if (letters.length > BEGINNING_LETTERS && LETTERS.test(folded) && !BEGINS_OTHERWISE.test(folded))
    keys.push({
      key: BEGINNING_MARK + letters.slice(0, BEGINNING_LETTERS).join(''),
      further: 'beginning',
    })
  basesByStem ??= new Map([...FORMS.keys()].map(base => [stem(base), base]))
  const base = BASE_FORMS.get(folded) ?? basesByStem.get(stem(folded)) ?? roughStem(folded)
  if (base !== undefined) keys.push({ key: FORM_MARK + base, further: 'form' })
  const bare = withoutParticle(folded)
  if (bare !== null) keys.push({ key: bare, further: 'form' })
  for (const spelling of [...spellings, ...withoutPrefix(folded)])
    keys.push({ key: stem(spelling), further: 'spelling' })
  if (accented !== folded && VIETNAMESE.test(accented))
    keys.push({ key: ACCENTS_MARK + accented, further: 'accents' })
  return keys
}

function roughStem(folded: string): string | undefined {
  if (/^[\u03b1-\u03c9]{3,}$/.test(folded)) return stemGreek(folded)
  return /^[\u0900-\u097f]{3,}$/.test(folded) ? stemHindi(folded) : undefined
}

/** The first letters that words with this key can have. */
export function initialsOfKey(key: string): string {
  const plain = key.replace(MARKS, '')
  if (!key.startsWith(FORM_MARK)) return plain.slice(0, 1)
  return (FORMS.get(plain) ?? [plain]).map(form => form.slice(0, 1)).join('')
}
