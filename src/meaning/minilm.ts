import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { smallVector, type Vector } from '../model/search/meaning.ts'
import { GRAPH_FILE, VOCABULARY_FILE } from './folder.ts'

/** The part of the runtime that is used; it is not a dependency of this package. */
interface Runtime {
  InferenceSession: { create(file: string, options: object): Promise<Session> }
  Tensor: new (type: 'int64', data: BigInt64Array, shape: readonly number[]) => object
}
interface Session {
  outputNames: readonly string[]
  run(inputs: Record<string, object>): Promise<Record<string, { data: Float32Array }>>
}

/** One thread, and no memory kept for the next text, because it runs beside everything else. */
const OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableCpuMemArena: false,
  enableMemPattern: false,
}

/** A model that turns texts into vectors. */
export interface Model {
  /** Uses at most this many pieces of the text. */
  embed(text: string, most: number): Promise<Vector>
  /** The share of a text's words that it knows, from 0 to 1. */
  knows(text: string): number
}

/** Loads the model installed in a folder. */
export async function loadModel(folder: string): Promise<Model> {
  const { InferenceSession, Tensor } = createRequire(join(folder, 'package.json'))(
    'onnxruntime-node',
  ) as Runtime
  const session = await InferenceSession.create(join(folder, GRAPH_FILE), OPTIONS)
  const [output = ''] = session.outputNames
  const vocabulary = vocabularyIn(readFileSync(join(folder, VOCABULARY_FILE), 'utf8'))
  return {
    async embed(text, most) {
      const pieces = piecesOf(text, vocabulary, most)
      const tensor = (values: BigInt64Array) => new Tensor('int64', values, [1, values.length])
      const results = await session.run({
        pieces: tensor(BigInt64Array.from(pieces, BigInt)),
        places: tensor(BigInt64Array.from(pieces, (_, place) => BigInt(place))),
      })
      return smallVector(results[output]?.data ?? [])
    },
    knows: text => shareOfWholeWords(text, vocabulary),
  }
}

/** One piece per line; its number is that of the line. */
function vocabularyIn(lines: string): Vocabulary {
  const pieces = new Map(lines.split('\n').map((piece, number) => [piece, number]))
  const numberOf = (piece: string) => pieces.get(piece) ?? 0
  return { pieces, unknown: numberOf('[UNK]'), first: numberOf('[CLS]'), last: numberOf('[SEP]') }
}

/** The vocabulary of a model that splits texts into word pieces, as BERT does. */
interface Vocabulary {
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
