import { eachKey } from '../text/analyzer.ts'
import { countedKey, countingKeys, type Key } from '../text/word-keys.ts'
import { isWhole, type PieceText, type RowPieces, wordsOf } from './index-rows.ts'

/** How often each word occurs in one field of an index row, and how many words the field has there. */
export interface Section {
  code: number
  length: number
  words: { key: Key; count: number }[]
  /** Words of the overlap that are not among the others: the row is found by them, but they do not count in it. */
  neighbours: Key[]
}

/** For each key by its number: where it is among the words of the section that is being counted, and which section that was. */
let places = new Int32Array(2 ** 15)
let seenIn = new Int32Array(2 ** 15)
let sections = 0

/** One row of the index: what the pieces of each searchable field hold. */
export function indexRow(pieces: RowPieces): Section[] {
  return countingKeys(() => {
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
  const section: Section = { code, length: 0, words: [], neighbours: [] }
  const { words } = section
  const no = ++sections
  const count = (key: Key, isFurther: boolean) => {
    if (!isFurther) section.length++
    const { id } = key
    if (id >= seenIn.length) makeRoom(id)
    if (seenIn[id] === no) {
      ;(words[places[id] as number] as Section['words'][number]).count++
      return
    }
    seenIn[id] = no
    places[id] = words.length
    words.push({ key, count: 1 })
  }
  const neighbours: string[] = []
  for (const piece of pieces) {
    if (isWhole(piece)) {
      eachKey(piece.text, count)
      continue
    }
    const { own, neighbours: further } = wordsOf(piece)
    for (const { key, further } of own) count(countedKey(key), further !== null)
    for (const { key } of further) neighbours.push(key)
  }
  for (const text of new Set(neighbours)) {
    const key = countedKey(text)
    if (seenIn[key.id] !== no) section.neighbours.push(key)
  }
  return section
}

function makeRoom(id: number): void {
  const size = 2 * (id + 1)
  const [before, seen] = [places, seenIn]
  places = new Int32Array(size)
  seenIn = new Int32Array(size)
  places.set(before)
  seenIn.set(seen)
}
