import { isStopKey } from '../text/words.ts'
import { type Clue, isFurther, type SearchQuery, withStopWords } from './search-query.ts'

/** Whether a query that finds nothing can be repeated with the words of its phrases. */
export function canLoosen({ clues, without }: SearchQuery): boolean {
  return !without.includes('meant_quotes') && clues.some(({ kind }) => kind === 'phrase')
}

/** The same query with each phrase replaced by its words. */
export function phrasesAsWords(query: SearchQuery): SearchQuery {
  const clues = new Map<string, Clue>()
  for (const clue of query.clues) {
    if (clue.kind === 'prefix') clues.set(`${clue.key}*`, clue)
    if (isFurther(clue)) continue
    const keys = clue.kind === 'phrase' ? clue.keys : clue.kind === 'word' ? [clue.key] : []
    for (const key of keys) {
      const weight = clue.weight + (clues.get(key)?.weight ?? 0)
      const stop = clue.kind === 'phrase' ? isStopKey(key) : clue.stop
      clues.set(key, { kind: 'word', key, weight, stop })
    }
  }
  return { ...query, clues: [...withStopWords([...clues.values()]), ...query.clues.filter(isFurther)] }
}
