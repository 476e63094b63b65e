/** The vocabulary of a model that splits texts into word pieces, as BERT does. */
export interface Vocabulary {
  pieces: ReadonlyMap<string, number>
  unknown: number
  first: number
  last: number
}

const LONGEST_WORD = 100
const CONTINUED = '##'
/** Words, and each punctuation mark, symbol or ideograph by itself. */
const PARTS =
  /[\p{P}\p{S}\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]|[^\s\p{P}\p{S}\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]+/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu

/** The numbers of the pieces of a text, at most `most`, between the start and end markers. */
export function piecesOf(text: string, vocabulary: Vocabulary, most: number): number[] {
  const found = [vocabulary.first]
  for (const [word] of plain(text).matchAll(PARTS)) {
    if (found.length >= most - 1) break
    found.push(...piecesOfWord(word, vocabulary))
  }
  return [...found.slice(0, most - 1), vocabulary.last]
}

/** The share of words that the vocabulary contains whole: low for a text in another language. */
export function shareOfWholeWords(text: string, { pieces }: Vocabulary): number {
  const words = plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.filter(word => pieces.has(word)).length / Math.max(1, words.length)
}

function plain(text: string): string {
  return text
    .replace(/\s/g, ' ')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
}

/** The longest matching pieces from the start; a word that cannot be split is unknown as a whole. */
function piecesOfWord(word: string, { pieces, unknown }: Vocabulary): number[] {
  if (word.length > LONGEST_WORD) return [unknown]
  const found: number[] = []
  for (let start = 0; start < word.length; ) {
    let end = word.length
    let piece: number | undefined
    for (; end > start; end--) {
      piece = pieces.get((start > 0 ? CONTINUED : '') + word.slice(start, end))
      if (piece !== undefined) break
    }
    if (piece === undefined) return [unknown]
    found.push(piece)
    start = end
  }
  return found
}
