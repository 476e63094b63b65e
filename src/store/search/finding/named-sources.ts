import type { Source } from '../../../model/access/enforce.ts'
import { type Clue, isFurther, requiredClues } from '../../../model/search/search-query.ts'
import { keysOf } from '../../../model/text/words.ts'
import type { SearchScope } from '../search-scope.ts'
import type { Candidate } from './finder.ts'

/** Words of a query that name a kind of source, as in "the ChatGPT conversation about Django". */
export interface NamedSources {
  /** The keys of the words, and their further keys. */
  keys: readonly string[]
  further: readonly string[]
  /** The sources of that kind, as indexes. */
  sources: ReadonlySet<number>
}

interface Kind {
  sources: Set<number>
  /** Whether streams are named after it, as `slack_messages` after Slack. Such a name is hardly ever another word. */
  isProper: boolean
}

/**
 * The kinds of sources that a query names besides what it asks about. If all sources have the name and it is a common
 * word, such as "mail", the query more likely asks about that.
 */
export function sourcesNamed(clues: readonly Clue[], sources: readonly Source[]): NamedSources[] {
  const required = requiredClues(clues)
  const asked = new Set(required.flatMap(clue => (clue.kind === 'word' ? [clue.key] : [])))
  const named = [...kindsOf(sources)].flatMap(([name, kind]) => {
    const words = name.split('-').map(keysOf)
    const isTelling = kind.isProper || kind.sources.size < sources.length
    if (!isTelling || !words.every(({ key }) => asked.has(key))) return []
    const further = words.flatMap(word => word.further.map(({ key }) => key))
    return [{ keys: words.map(({ key }) => key), further, sources: kind.sources }]
  })
  const naming = new Set(named.flatMap(({ keys }) => keys))
  return required.length > naming.size ? named : []
}

/** What sources are called: `slack`, `google-chat`, and `emails` for the stream. */
function kindsOf(sources: readonly Source[]): Map<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const [index, { connector_key, stream }] of sources.entries())
    for (const name of [connector_key, stream.name]) {
      if (!/^[a-z]{3,}(?:-[a-z]{3,})*$/.test(name)) continue
      const kind = kinds.get(name) ?? { sources: new Set(), isProper: false }
      kind.sources.add(index)
      kind.isProper ||= stream.name.startsWith(`${name.replaceAll('-', '_')}_`)
      kinds.set(name, kind)
    }
  return kinds
}

/**
 * Counts the name of a kind of source once in each record of that kind, however often its text contains the name: whoever
 * asks for a message in Slack means any message there. In other records the name counts as usual.
 */
export function withNamedSources(
  scope: SearchScope,
  clues: readonly Clue[],
  candidates: readonly Candidate[],
  named: readonly NamedSources[],
): readonly Candidate[] {
  if (named.length === 0) return candidates
  return candidates.map(candidate => {
    const index = scope.sourceOf(candidate.row)?.index
    const own = named.filter(({ sources }) => index !== undefined && sources.has(index))
    const counted =
      own.length === 0
        ? candidate.counts
        : candidate.counts.map((count, i) => {
            const clue = clues[i]
            if (clue?.kind !== 'word') return count
            if (isFurther(clue)) return own.some(({ further }) => further.includes(clue.key)) ? 0 : count
            return own.some(({ keys }) => keys.includes(clue.key)) ? 1 : count
          })
    return { ...candidate, counts: counted }
  })
}
