import { answerQuestions } from '../src/meaning/process.ts'
import { smallVector, type Vector } from '../src/model/search/meaning.ts'

/** Groups of words with the same meaning, for tests. Each group is one direction of the vector. */
const GROUPS = [
  ['boat', 'ship', 'vessel', 'ferry'],
  ['tea', 'coffee', 'drink'],
  ['snow', 'ice', 'frost'],
]

/** A model of three meanings. It replaces the real one, which tests do not install. */
export function tinyVector(text: string): Vector {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const counts = GROUPS.map(group => words.filter(word => group.includes(word)).length)
  return smallVector([...counts, 0.1])
}

if (import.meta.main) {
  answerQuestions({
    // Never answers a text with this word.
    embed: async text => (text.includes('ponder') ? new Promise(() => {}) : tinyVector(text)),
    knows: text => (text.includes('ñ') ? 0 : 1),
  })
  process.send?.('ready')
}
