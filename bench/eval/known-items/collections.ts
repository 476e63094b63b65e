import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedCollection } from '../collections.ts'
import type { KnownItems } from './make.ts'
import { KINDS } from './questions.ts'

const LEAST_QUESTIONS = 20

/** For each language and kind of question one collection, over the same texts. */
export function knownItemCollections(place: string): JudgedCollection[] {
  if (!existsSync(place)) return []
  const files = readdirSync(place).filter(name => name.endsWith('.json'))
  return files.sort().flatMap(file => {
    const known = JSON.parse(readFileSync(join(place, file), 'utf8')) as KnownItems
    const documents = known.documents.map(each => ({ ...each, title: '' }))
    return KINDS.flatMap(kind => {
      const questions = known.questions.filter(question => question.kind === kind)
      if (questions.length < LEAST_QUESTIONS) return []
      return {
        name: `known ${known.language}, ${kind}`,
        language: known.language,
        metric: 'nDCG@10' as const,
        target: null,
        documents,
        queries: questions.map(({ text, document }, i) => ({
          id: `q${i}`,
          text,
          relevant: new Set([document]),
        })),
      }
    })
  })
}
