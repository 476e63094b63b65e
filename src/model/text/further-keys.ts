import { stemmer as stemGreek } from '@orama/stemmers/greek'
import { stemmer as stemHindi } from '@orama/stemmers/indian'
import { fold, withoutUnseen } from './fold.ts'

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
  const keys: FurtherKey[] = []
  const isPlain = !NOT_ASCII.test(word)
  const written = isPlain ? folded : withKeptSpelled(folded)
  const letters = Array.from(written)
  if (letters.length > BEGINNING_LETTERS && LETTERS.test(folded) && !BEGINS_OTHERWISE.test(folded))
    keys.push({ key: BEGINNING_MARK + letters.slice(0, BEGINNING_LETTERS).join(''), further: 'beginning' })
  basesByStem ??= new Map([...FORMS.keys()].map(base => [stem(base), base]))
  const base = BASE_FORMS.get(folded) ?? basesByStem.get(stem(folded)) ?? roughStem(folded)
  if (base !== undefined) keys.push({ key: FORM_MARK + base, further: 'form' })
  if (isPlain) return keys
  const bare = withoutParticle(folded)
  if (bare !== null) keys.push({ key: bare, further: 'form' })
  const accented = withoutUnseen(word).normalize('NFC').toLowerCase()
  const spellings = [...keyboardSpellings(accented, folded), ...withoutPrefix(folded), ...plainHindi(folded)]
  for (const spelling of spellings) keys.push({ key: stem(spelling), further: 'spelling' })
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

/*
 * Korean writes particles after a word, and Hebrew writes articles, conjunctions and prepositions before it, without a
 * space. The rest is a word too.
 */

const PARTICLES = (
  '으로부터 에서부터 까지는 에게는 에게서 에서는 에서도 으로는 으로도 으로서 으로써 이라고 이라는 이지만 까지 께서 과는 ' +
  '라고 라는 마다 만큼 밖에 보다 부터 에게 에는 에도 에서 와는 으로 이나 이란 조차 처럼 하고 가 과 나 는 도 로 를 만 에 와 은 을 의 이 ' +
  '입니다 입니까 이었다 이에요 이다 였다 예요'
).split(' ')
/** At least two syllables remain, and as few as possible. Before the particle may be the sign of several, 들. */
const WITH_PARTICLE = new RegExp(`^(\\p{sc=Hangul}{2,}?)(?:들|들?(?:${PARTICLES.join('|')}))$`, 'u')
const HEBREW_PREFIX = /^(?:[וש]?[הבכלמ]|[וש])(?=[\u05d0-\u05ea]{3})/

/** A Korean word without its particle; null if it has none. */
function withoutParticle(word: string): string | null {
  return WITH_PARTICLE.exec(word)?.[1] ?? null
}

/** A Hebrew word without what may be attached to it; nothing if the word has no such beginning. */
function withoutPrefix(word: string): string[] {
  const plain = word.replace(HEBREW_PREFIX, '')
  return plain === word ? [] : [plain]
}

/** Hindi is often typed without nuktas, and with anusvara for chandrabindu. */
function plainHindi(word: string): string[] {
  const plain = word.replaceAll('\u093c', '').replaceAll('\u0901', '\u0902')
  return plain === word ? [] : [plain]
}

/** Letters that folding keeps, and how they are written on keyboards that lack them. */
const KEPT: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
}
const KEPT_LETTERS = /[ßæœøđðłıþ]/g
/** Letters that folding turns into one letter and that many people write as two. */
const DOUBLED: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const DOUBLED_LETTERS = /[äöüøå]/g
const NOT_ASCII = /[^\0-\x7f]/

/**
 * How a word is written on keyboards that lack some of its letters, apart from its folding `folded`: `mueller` for
 * `müller`. The word is in lower case and composed.
 */
export function keyboardSpellings(word: string, folded: string): Set<string> {
  if (!NOT_ASCII.test(word)) return NONE
  const doubled = fold(word.replace(DOUBLED_LETTERS, letter => DOUBLED[letter] ?? letter))
  const spellings = new Set([withKeptSpelled(folded), withKeptSpelled(doubled)])
  spellings.delete(folded)
  return spellings
}

function withKeptSpelled(folded: string): string {
  return folded.replace(KEPT_LETTERS, letter => KEPT[letter] ?? letter)
}

const NONE = new Set<string>()

/** Irregular English verbs and nouns, the base form first. Regular forms are stemmed, and stop words are not looked up. */
const FAMILIES = `
arise arose arisen|bear bore borne|beat beaten|become became|begin began begun|bend bent
bet|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built
burn burnt|buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug
draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone goes|grow grew grown
hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led
lean leant|learn learnt|leave left|lend lent|lie lain|light lit|lose lost|make made|mean meant|meet met
mistake mistook mistaken|pay paid|prove proven|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|speak spoke spoken|speed sped|spell spelt
spend spent|spill spilt|spin spun|split|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught
tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn
weave wove woven|weep wept|win won|wind wound|write wrote written
child children|foot feet|goose geese|knife knives|leaf leaves|life lives|man men|mouse mice|ox oxen|person people
shelf shelves|thief thieves|tooth teeth|wife wives|wolf wolves|woman women
`

/** All forms of a word, by its base form. */
const FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  FAMILIES.trim()
    .split(/[|\n]/)
    .map(family => family.trim().split(' '))
    .filter(forms => forms.length > 1)
    .map(forms => [forms[0] ?? '', forms]),
)

/** The base form of each form; a base form maps to itself. */
const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  [...FORMS].flatMap(([base, forms]) => forms.map((form): [string, string] => [form, base])),
)
