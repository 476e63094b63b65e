import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { smallVector, type Vector } from '../model/search/meaning.ts'
import { GRAPH_FILE, VOCABULARY_FILE } from './folder.ts'
import { piecesOf, shareOfWholeWords, type Vocabulary } from './word-pieces.ts'

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
