import { smallVector, type Vector } from '../src/model/search/meaning.ts'
import { hashOf } from '../src/model/search/packed-counts.ts'
import { embedRecords } from '../src/origin/meaning.ts'
import type { Store } from '../src/store/store.ts'

const DIRECTIONS = 16

/** A model for tests that knows every word. Each word moves the vector in some directions. */
function wordVector(text: string): Vector {
  const sums = new Array<number>(DIRECTIONS).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    for (let i = 0; i < DIRECTIONS; i++) sums[i] = (sums[i] ?? 0) + (hashOf(`${word} ${i}`) % 201) - 100
  return smallVector(sums)
}

/** Embeds queries with this model. */
export const wordMeaning = { ask: async (query: string) => ({ vector: wordVector(query) }) }

export function embedWords(store: Store): Promise<void> {
  return embedRecords(store, { embed: async text => wordVector(text) }, () => true)
}
