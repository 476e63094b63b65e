import { fieldWithRole, propertyOf, type Role, rolesOf } from '../../model/declaration/declaration.ts'
import { sectionsWith } from '../../model/search/packed-counts.ts'
import * as tuning from '../../model/search/tuning.ts'
import type { RankedRecord } from './ranking/ranker.ts'
import { loadPlaces } from './records-of-rows.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import type { SearchScope } from './search-scope.ts'

/** A record in its place, and the conversation that it shares with others; null if that is unknown. */
export interface VariedRecord {
  record: RankedRecord
  talk: object | null
}

/** The places whose records decide the order of a page. The last one only shows whether there are more. */
export function decidingPlaces(skip: number, limit: number): [from: number, to: number] {
  const [first, last] = [
    Math.floor(skip / tuning.VARIED_AT_ONCE),
    Math.ceil((skip + limit) / tuning.VARIED_AT_ONCE),
  ]
  return [first * tuning.VARIED_AT_ONCE, last * tuning.VARIED_AT_ONCE + 1]
}

/**
 * Puts hits of a conversation after the first ones, and messages with the words of a better one, behind others that match
 * about as well, so that neither fills a page. No record is left out.
 */
export async function varied(scope: SearchScope, ranked: readonly RankedRecord[]): Promise<VariedRecord[]> {
  const moments = await momentsOf(scope, ranked)
  const ordered: VariedRecord[] = []
  for (let i = 0; i < ranked.length; i += tuning.VARIED_AT_ONCE) {
    const talks = new Talks()
    const said = new Set<string>()
    let least = Number.POSITIVE_INFINITY
    const some = ranked.slice(i, i + tuning.VARIED_AT_ONCE).map(record => {
      const talk = talks.join(moments.get(record) ?? null)
      // A ranker that scored only the best can leave better scores behind worse ones.
      least = Math.min(least, scoreOf(record))
      const words = wordsSaid(scope, record)
      const isFurther = (talk && talk.hits > tuning.FULL_HITS_OF_TALK) || (words !== null && said.has(words))
      if (words !== null) said.add(words)
      const share = isFurther ? tuning.FURTHER_HITS_SHARE : 1
      return { record, talk, score: least * share }
    })
    ordered.push(...some.sort((a, b) => b.score - a.score))
  }
  return ordered
}

/** How many more hits of its conversation follow a page, for the first one of each on it. */
export function furtherInTalk(page: readonly VariedRecord[], rest: readonly VariedRecord[]): number[] {
  const following = Map.groupBy(rest, ({ talk }) => talk)
  const told = new Set<object>()
  return page.map(({ talk }) => {
    if (!talk || told.has(talk)) return 0
    told.add(talk)
    return following.get(talk)?.length ?? 0
  })
}

function scoreOf({ reasons }: RankedRecord): number {
  return reasons.reduce((sum, { points }) => sum + points, 0)
}

/** The words of a message's text, as far as it may be seen; rows of a table with the same words are not one. */
function wordsSaid(scope: SearchScope, { candidate: { row } }: RankedRecord): string | null {
  const entry = scope.sourceOf(row)
  const stream = entry?.source.stream
  if (!stream || !fieldWithRole(stream, 'actor')) return null
  const code = entry.codes.get(fieldWithRole(stream, 'primary-text') ?? '')
  if (code === undefined || !scope.open(row)?.codes.includes(code)) return null
  const words = sectionsWith(row.sections, [code])
  return words === '' ? null : `${row.stream} ${words}`
}

/** A thread, and when a record was written in it. */
interface Moment {
  thread: string
  at: number
}

interface Talk extends Moment {
  hits: number
}

/** The conversations among some records. Each is around the best record of it. */
class Talks {
  readonly #talks: Talk[] = []

  join(moment: Moment | null): Talk | null {
    if (!moment) return null
    const { thread, at } = moment
    let talk = this.#talks.find(
      each => each.thread === thread && Math.abs(each.at - at) <= tuning.SAME_TALK_MS,
    )
    if (!talk) {
      talk = { ...moment, hits: 0 }
      this.#talks.push(talk)
    }
    talk.hits++
    return talk
  }
}

/** Where and when each record was written, as far as that may be seen. */
async function momentsOf(
  scope: SearchScope,
  ranked: readonly RankedRecord[],
): Promise<Map<RankedRecord, Moment>> {
  const talking = ranked.filter(({ candidate }) => isLikeMail(scope, candidate.row))
  const rows = talking.map(({ candidate }) => candidate.row)
  const places = await loadPlaces(scope.database, scope.owner_id, rows)
  const moments = new Map<RankedRecord, Moment>()
  for (const record of talking) {
    const { row } = record.candidate
    const key = places.get(recordPlace(row))?.thread_key
    const at = Date.parse(`${(scope.visibleTime(row) ?? '').slice(1, 24)}Z`)
    // The same thread in two mailboxes has the same key.
    if (key && !Number.isNaN(at)) moments.set(record, { thread: JSON.stringify([row.stream, key]), at })
  }
  return moments
}

/**
 * Whether messages have a title and repeat each other, as mails and long answers do. Each message of a chat says
 * something else, and notes of a folder are only kept together.
 */
function isLikeMail(scope: SearchScope, row: RowPlace): boolean {
  const entry = scope.sourceOf(row)
  if (!entry?.conversation) return false
  const { stream } = entry.source
  const isPlace = rolesOf(propertyOf(stream, entry.conversation.key)).includes('place')
  const roles: Role[] = ['actor', 'primary-title']
  return !isPlace && roles.every(role => fieldWithRole(stream, role) !== undefined)
}
