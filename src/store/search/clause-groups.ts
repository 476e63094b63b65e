import { type Clause, placeKey, type Source } from '../../model/access/enforce.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import type { TimeBounds } from '../../model/time-bounds.ts'
import { scopeWord } from './indexing.ts'
import { codesOf, type SearchSource } from './open-fields.ts'

/** Sort before and after all time keys. */
export const FIRST_TIME = 't'
export const AFTER_LAST_TIME = 'u'

/** Time keys from one up to another, which is not included. */
export interface Times {
  since: string
  until: string
}

/**
 * Clauses of any sources that grant the same searchable fields. The words of those fields are the same index entries,
 * so one lookup serves the whole group. It shows each record of these sources in which all of the fields are open,
 * whichever clauses open them: that may depend on a hidden time.
 */
export interface ClauseGroup {
  codes: readonly number[]
  /** Those of fields that are the title of some source. */
  titleCodes: readonly number[]
  /** The words that mark the rows of the sources. */
  scopeWords: readonly string[]
  /** The keys of the sources. */
  sources: ReadonlySet<string>
  /** Time bounds that all clauses share, which the index itself can apply. They may be too wide if rows are checked. */
  times: Times | null
  /** Whether each row must be read to decide whether it may be seen. */
  mustCheckRows: boolean
}

interface Asked {
  owner_id: string
  bounds: TimeBounds
}

interface Opened {
  source: Source
  clause: Clause
  codes: number[]
  /** Undefined if the title may not be seen. */
  titleCode: number | undefined
  /** Whether all clauses of the source that grant searchable fields grant the same. */
  isInOneGroup: boolean
}

/** The clauses of sources, grouped by the searchable fields that they grant. A clause that grants none is left out. */
export function clauseGroups(sources: readonly SearchSource[], asked: Asked): ClauseGroup[] {
  const opened = sources.flatMap(({ rowSource: source, codes, title }) => {
    const granting = source.clauses
      .map(clause => ({ clause, codes: codesOf(codes, clause.fields) }))
      .filter(entry => entry.codes.length > 0)
    const isInOneGroup = new Set(granting.map(entry => entry.codes.join(' '))).size === 1
    return granting.map(({ clause, codes: open }) => {
      const titleCode = title === null ? undefined : open.find(code => code === codes.get(title))
      return { source, clause, codes: open, titleCode, isInOneGroup }
    })
  })
  const groups = Map.groupBy(opened, entry => entry.codes.join(' '))
  return [...groups.values()].map(group => groupOf(group, asked))
}

function groupOf(group: Opened[], asked: Asked): ClauseGroup {
  const sources = [...new Set(group.map(({ source }) => source))]
  return {
    codes: group[0]?.codes ?? [],
    titleCodes: [...new Set(group.flatMap(({ titleCode }) => titleCode ?? []))],
    scopeWords: sources.map(source => scopeWord(asked.owner_id, source.connection_id, source.stream.name)),
    sources: new Set(sources.map(keyOf)),
    ...boundsOf(group, asked),
  }
}

function boundsOf(
  group: Opened[],
  { bounds: { since, until } }: Asked,
): Pick<ClauseGroup, 'times' | 'mustCheckRows'> {
  const asked = since !== null || until !== null
  const [first] = group
  const alike = group.every(({ source, clause, isInOneGroup }) => {
    const field = timeField(source.stream)
    const timeIsOpen = field !== undefined && (clause.fields === null || clause.fields.has(field))
    const same = clause.since === first?.clause.since && clause.until === first?.clause.until
    return same && isInOneGroup && clause.record_ids === null && (!asked || timeIsOpen)
  })
  if (!first || !alike) return { times: null, mustCheckRows: true }
  const times = {
    since: latest(since && (since.day ?? since.key), first.clause.since) ?? FIRST_TIME,
    until: earliest(until?.key ?? null, first.clause.until) ?? AFTER_LAST_TIME,
  }
  const bounded = asked || first.clause.since !== null || first.clause.until !== null
  const isExact = since?.day === undefined && until?.day === undefined
  return { times: bounded ? times : null, mustCheckRows: !isExact }
}

/** A key for the connection and stream of a source. */
export function keyOf(source: Source): string {
  return placeKey(source.connection_id, source.stream.name)
}

function latest(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a
}

function earliest(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a
}
