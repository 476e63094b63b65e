import { eachKey } from '../text/analyzer.ts'
import { countingKeys, keyNumber, keyText, timesForgotten } from '../text/counted-keys.ts'
import { isWhole, type PieceText, type RowPieces, wordsOf } from './index-rows.ts'
import { type CountedField, hashOf } from './packed-counts.ts'

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
 * and the last round in which it was reported.
 */
const SECTION = 0
const COUNT = 1
const HASH = 2
const ROUND = 3
const FACTS = 4
let facts = new Int32Array(FACTS * 2 ** 10)
let factsOf = 0
let sections = 0
let rounds = 0

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
  const keys: number[] = []
  let length = 0
  const count = (key: number, isFurther: boolean) => {
    if (!isFurther) length++
    const at = FACTS * key
    if (at >= facts.length) makeRoom(at)
    if (facts[at + SECTION] === no) {
      facts[at + COUNT] = (facts[at + COUNT] as number) + 1
      return
    }
    facts[at + SECTION] = no
    facts[at + COUNT] = 1
    keys.push(key)
  }
  const overlap = new Set<number>()
  for (const piece of pieces) {
    if (isWhole(piece)) {
      eachKey(piece.text, count)
      continue
    }
    const { own, neighbours } = wordsOf(piece)
    for (const { key, further } of own) count(keyNumber(key), further !== null)
    for (const { key } of neighbours) overlap.add(keyNumber(key))
  }
  for (const key of overlap.size > 0 ? keys : []) overlap.delete(key)
  return {
    code,
    length,
    keys,
    hashes: keys.map(hashOfKey),
    counts: keys.map(key => facts[FACTS * key + COUNT] as number),
    neighbours: [...overlap],
  }
}

/**
 * Returns a function that reports the keys of rows with their hashes, each key once, or again if the key numbers were
 * reset meanwhile.
 */
export function tellingKeys(tell: (key: string, hash: number) => void): (row: readonly Section[]) => void {
  const round = ++rounds
  return row => {
    for (const { keys, hashes } of row)
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as number
        if (facts[FACTS * key + ROUND] === round) continue
        facts[FACTS * key + ROUND] = round
        tell(keyText(key), hashes[i] as number)
      }
  }
}

function hashOfKey(key: number): number {
  const at = FACTS * key + HASH
  if (facts[at] === 0) facts[at] = hashOf(keyText(key)) + 1
  return (facts[at] as number) - 1
}

function makeRoom(at: number): void {
  const before = facts
  facts = new Int32Array(2 * (at + FACTS))
  facts.set(before)
}
