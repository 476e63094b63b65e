/**
 * The one folding of case and diacritics: literal windows (RF-4) and the search analyzer use it.
 *
 * Accents and vowel points of Latin, Greek, Cyrillic, Hebrew and Arabic fold away. Marks that are parts of
 * letters stay: those of Indic and South-East Asian scripts and the Japanese voicing marks, so か is not が.
 */

/** The characters that folding removes, as the inside of a RegExp class. Each is a single UTF-16 unit. */
export const DIACRITICS =
  '\\u0300-\\u0337\\u0339-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f' +
  '\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7' +
  '\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed'

const DIACRITIC_RUN = new RegExp(`[${DIACRITICS}]+`, 'g')
const NOT_ASCII = /[^\0-\x7f]/

/** Idempotent: `fold(fold(x)) === fold(x)`. Composed, so that Hangul syllables compare whole. */
export function fold(text: string): string {
  return NOT_ASCII.test(text) ? foldDecomposed(text).normalize('NFC') : text.toLowerCase()
}

/** Soft hyphens, and what only chooses between forms of a character. They are parts of words, but not of keys. */
const UNSEEN = /\u00ad|\p{Variation_Selector}/gu

export function withoutUnseen(word: string): string {
  return word.replace(UNSEEN, '')
}

/** The same folding, left decomposed: every character of `text` contributes to the result independently. */
export function foldDecomposed(text: string): string {
  // `toLowerCase` writes a capital sigma at a word's end as ς, so sigma is unified after it.
  return text.normalize('NFD').replace(DIACRITIC_RUN, '').toLowerCase().replaceAll('ς', 'σ')
}

/** The Unicode ranges with the characters that folding changes, except for Hangul syllables (they follow a formula). */
const CHANGING: [number, number][] = [
  [0x41, 0x13ff],
  [0x1b00, 0x24ff],
  [0x2a00, 0x2cff],
  [0x3040, 0x30ff],
  [0xa640, 0xa7ff],
  [0xf900, 0xfb4f],
  [0xff00, 0xff5f],
  [0x10400, 0x105ff],
  [0x10c80, 0x10dff],
  [0x11000, 0x119ff],
  [0x16100, 0x161ff],
  [0x16d00, 0x16eff],
  [0x1d100, 0x1d1ff],
  [0x1e900, 0x1e9ff],
  [0x2f800, 0x2fa1f],
]

interface Variant {
  char: string
  folded: string[]
}

let variants: Map<string, Variant[]> | undefined

/**
 * The inverse of `foldDecomposed`: every character whose folding starts with `folded` and continues only with `marks`.
 * Computed from the runtime's Unicode tables at the first call (about 10 ms).
 */
export function spellings(folded: string, marks: Set<string>): string[] {
  variants ??= readVariants()
  const known = variants.get(folded) ?? []
  const fitting = known.filter(variant => variant.folded.every((part, i) => i === 0 || marks.has(part)))
  return [folded, ...fitting.map(variant => variant.char), ...syllables(folded, marks)]
}

function syllables(first: string, marks: Set<string>): string[] {
  if (!/^[\u1100-\u1112]/.test(first)) return []
  const jamo = [...marks].filter(mark => /^[\u1161-\u1175\u11a8-\u11c2]/.test(mark))
  const composed = jamo.flatMap(vowel => ['', ...jamo].map(final => (first + vowel + final).normalize('NFC')))
  return composed.filter(syllable => syllable.length === 1)
}

function readVariants(): Map<string, Variant[]> {
  const found = new Map<string, Variant[]>()
  for (const [first, last] of CHANGING) {
    const chars = Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))
    // One call for all characters is many times faster than one call for each; folding does not change the separator.
    const folds = foldDecomposed(chars.join('\n')).split('\n')
    for (const [i, char] of chars.entries()) {
      const folded = [...(folds[i] ?? '')]
      const key = folded[0]
      if (key === undefined || folded.join('') === char) continue
      const known = found.get(key)
      if (known) known.push({ char, folded })
      else found.set(key, [{ char, folded }])
    }
  }
  return found
}
