import { eachKey } from '../text/analyzer.ts'
import { countingKeys, keyNumber, keyText, timesForgotten } from '../text/counted-keys.ts'
import { isWhole, type PieceText, type RowPieces, wordsOf } from './index-rows.ts'
import { type CountedField, hashOf } from './packed-counts.ts'
import { isOfLetters, shortened } from './word-hash.ts'

/**
 * One field of an index row, with its key numbers in the order of their hashes and counts. Valid until the next row.
 */
export interface Section extends CountedField {
  keys: number[]
  /** Keys that occur only in the overlap: the row is found by them, but they are not counted in it. */
  neighbours: number[]
}

/**
 * For each key, by its number: the last section that had it, its count there, its hash plus one (0 if not yet known),
 * and the last round in which it was reported, or `NEVER` if it is not reported at all.
 */
const SECTION = 0
const COUNT = 1
const HASH = 2
const ROUND = 3
const NEVER = -1
const FACTS = 4
let facts = new Int32Array(FACTS * 2 ** 10)
let factsOf = 0
let sections = 0
let rounds = 0
/** The keys of a section while they are counted. A list that grows would be copied several times. */
let found = new Int32Array(2 ** 10)

/** One row of the index: what the pieces of each searchable field contain. */
export function indexRow(pieces: RowPieces): Section[] {
  return countingKeys(() => {
    if (factsOf !== timesForgotten()) facts.fill(0)
    factsOf = timesForgotten()
    const row: Section[] = []
    for (let i = 0; i < pieces.length; ) {
      const code = pieces[i]?.code ?? 0
      const ofField: PieceText[] = []
      for (; pieces[i]?.code === code; i++) ofField.push((pieces[i] as RowPieces[number]).piece)
      row.push(sectionOf(code, ofField))
    }
    return row
  })
}

function sectionOf(code: number, pieces: readonly PieceText[]): Section {
  // The number must fit into the array and must not occur in it.
  if (sections === 0x7fffffff) facts.fill(0)
  sections = sections === 0x7fffffff ? 1 : sections + 1
  const no = sections
  let size = 0
  let length = 0
  const count = (key: number, isFurther: boolean) => {
    if (!isFurther) length++
    const at = FACTS * key
    if (at >= facts.length) facts = larger(facts, 2 * (at + FACTS))
    if (facts[at + SECTION] === no) {
      facts[at + COUNT] = (facts[at + COUNT] as number) + 1
      return
    }
    facts[at + SECTION] = no
    facts[at + COUNT] = 1
    if (size === found.length) found = larger(found, 2 * size)
    found[size++] = key
  }
  let overlap: Set<number> | null = null
  for (const piece of pieces) {
    if (isWhole(piece)) {
      eachKey(piece.text, count)
      continue
    }
    const { own, neighbours } = wordsOf(piece)
    for (const { key, further } of own) count(keyNumber(key), further !== null)
    if (neighbours.length === 0) continue
    overlap ??= new Set()
    for (const { key } of neighbours) overlap.add(keyNumber(key))
  }
  const [keys, hashes, counts] = [Array<number>(size), Array<number>(size), Array<number>(size)]
  for (let i = 0; i < size; i++) {
    const key = found[i] as number
    keys[i] = key
    hashes[i] = hashOfKey(key)
    counts[i] = facts[FACTS * key + COUNT] as number
    overlap?.delete(key)
  }
  return { code, length, keys, hashes, counts, neighbours: overlap ? [...overlap] : [] }
}

/**
 * Returns a function that reports the words of rows that a misspelt word can be corrected to, as shortened hashes: each
 * word once, or again if the key numbers were reset meanwhile.
 */
export function tellingWords(tell: (hash: number) => void): (row: readonly Section[]) => void {
  const round = ++rounds
  return row => {
    for (const { keys, hashes } of row)
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as number
        const at = FACTS * key + ROUND
        const before = facts[at] as number
        if (before === round || before === NEVER) continue
        // The letters of a key are looked at once; reading them for each round would be most of the work.
        facts[at] = before > 0 || isOfLetters(keyText(key)) ? round : NEVER
        if (facts[at] === round) tell(shortened(hashes[i] as number))
      }
  }
}

function hashOfKey(key: number): number {
  const at = FACTS * key + HASH
  if (facts[at] === 0) facts[at] = hashOf(keyText(key)) + 1
  return (facts[at] as number) - 1
}

function larger(before: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  const after = new Int32Array(size)
  after.set(before)
  return after
}
