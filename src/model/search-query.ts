import { analyze, isStopWord } from './analyzer.ts'
import { CodedError } from './errors.ts'
import { fold } from './fold.ts'

/** One thing to look for. `weight` grows when the query says it more than once. */
export type Clue =
  | { kind: 'word'; key: string; weight: number; stop: boolean }
  | { kind: 'prefix'; key: string; weight: number; stop: false }
  | { kind: 'phrase'; keys: string[]; weight: number; stop: false }

export interface SearchQuery {
  clues: Clue[]
  /** Words that a hit must not contain. */
  excluded: string[]
}

export const MAX_SEARCH_CHARS = 1_000
const MOST_CLUES = 200

/** Reads words, "phrases", prefix* and -word. Anything else in the text only separates. */
export function parseSearchQuery(text: string): SearchQuery {
  if (text === '' || text.length > 2 * MAX_SEARCH_CHARS || Array.from(text).length > MAX_SEARCH_CHARS) {
    throw new CodedError('invalid_request', `q has 1 to ${MAX_SEARCH_CHARS} characters.`, { param: 'q' })
  }
  const clues = new Map<string, Clue>()
  const excluded = new Set<string>()
  const add = (clue: Clue) => {
    const name = clue.kind === 'phrase' ? `"${clue.keys.join(' ')}` : `${clue.kind} ${clue.key}`
    const known = clues.get(name)
    if (known) known.weight++
    else if (clues.size < MOST_CLUES) clues.set(name, clue)
  }
  for (const part of text.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const [, phrase, word = ''] = part
    if (phrase !== undefined) addPhrase(phrase, add)
    else if (/^-[\p{L}\p{N}]/u.test(word)) for (const { key } of analyze(word.slice(1))) excluded.add(key)
    else if (/^[\p{L}\p{N}]{2,}\*$/u.test(word)) {
      add({ kind: 'prefix', key: fold(word.slice(0, -1).normalize('NFKC')), weight: 1, stop: false })
    } else {
      for (const { key } of analyze(word)) add({ kind: 'word', key, weight: 1, stop: isStopWord(key) })
    }
  }
  const all = [...clues.values()]
  const content = all.filter(clue => !clue.stop)
  return {
    clues: content.length > 0 ? all : all.map(clue => ({ ...clue, stop: false }) as Clue),
    excluded: [...excluded],
  }
}

function addPhrase(text: string, add: (clue: Clue) => void): void {
  const keys = analyze(text).flatMap(token => (token.basic ? [token.key] : []))
  const [only] = keys
  if (keys.length === 1 && only !== undefined) add({ kind: 'word', key: only, weight: 1, stop: false })
  else if (keys.length > 1) add({ kind: 'phrase', keys, weight: 1, stop: false })
}
