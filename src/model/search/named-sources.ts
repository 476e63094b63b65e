import type { Source } from '../access/enforce.ts'
import { keysOf } from '../text/word-keys.ts'
import { type Clue, requiredClues } from './search-query.ts'

/** Words of a query that name a kind of source, as in "the ChatGPT conversation about Django". */
export interface NamedSources {
  /** The keys of the words, and their further keys. */
  keys: readonly string[]
  further: readonly string[]
  /** The sources of that kind, as indexes. */
  sources: ReadonlySet<number>
}

/**
 * The kinds of sources that a query names besides what it asks about. A name that all sources have tells nothing about
 * them, so it is an ordinary word.
 */
export function sourcesNamed(clues: readonly Clue[], sources: readonly Source[]): NamedSources[] {
  const required = requiredClues(clues)
  const asked = new Set(required.flatMap(clue => (clue.kind === 'word' ? [clue.key] : [])))
  const named = [...kindsOf(sources)].flatMap(([name, ofKind]) => {
    const words = name.split('-').map(keysOf)
    if (ofKind.size === sources.length || !words.every(({ key }) => asked.has(key))) return []
    const further = words.flatMap(word => word.further.map(({ key }) => key))
    return [{ keys: words.map(({ key }) => key), further, sources: ofKind }]
  })
  const naming = new Set(named.flatMap(({ keys }) => keys))
  return required.length > naming.size ? named : []
}

/** What sources are called: `slack`, `google-chat`, and `emails` for the stream. */
function kindsOf(sources: readonly Source[]): Map<string, Set<number>> {
  const kinds = new Map<string, Set<number>>()
  for (const [index, { connector_key, stream }] of sources.entries())
    for (const name of [connector_key, stream.name]) {
      if (!/^[a-z]{3,}(?:-[a-z]{3,})*$/.test(name)) continue
      kinds.set(name, (kinds.get(name) ?? new Set()).add(index))
    }
  return kinds
}
