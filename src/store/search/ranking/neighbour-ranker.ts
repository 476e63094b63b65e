import { placeKey } from '../../../model/access/enforce.ts'
import type { ConversationPlace } from '../../../model/declaration/conversation.ts'
import { fieldWithRole, type Role } from '../../../model/declaration/declaration.ts'
import * as tuning from '../../../model/search/tuning.ts'
import { spanOf } from '../../records/conversation.ts'
import type { SearchSource } from '../open-fields.ts'
import { loadPlaces } from '../records-of-rows.ts'
import { type RowPlace, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { addressedAmong, speakersOf } from './addressed-messages.ts'
import { type AskedSide, besideEach, conversingSources } from './conversations.ts'
import type { Ranked, Ranker } from './ranker.ts'

/**
 * An answer rarely repeats the words of its question, but the messages around it do. A message that matches also gets a
 * share of the scores of its visible neighbours, of the message that it answers by name, and of the best message of its
 * conversation.
 */
export const neighbourRanker: Ranker = {
  name: 'neighbours',
  refinement: 'neighbours',
  depth: Number.POSITIVE_INFINITY,
  async score(ranked, { scope, query: { without } }) {
    if (!scope.hasConversations) return null
    const sources = ranked.map(({ candidate: { row } }) => scope.sourceOf(row))
    const areKept = without.includes('only_short')
    const declared = new Set(
      sources.flatMap(source => (source?.conversation && (areKept || isTalk(source)) ? [source] : [])),
    )
    const conversing = await conversingSources(scope.database, scope.owner_id, declared)
    const talking = ranked.filter((_, i) => conversing.has(sources[i] as SearchSource))
    const { near, places } = await bestInConversations(scope, talking)
    if (near.length < 2) return null
    const scores = new Map(ranked.map(({ candidate, score }) => [recordPlace(candidate.row), score]))
    const given = new Map<string, number>()
    const give = (place: string, points: number) => given.set(place, (given.get(place) ?? 0) + points)
    shareBest(near, places, give)
    await shareBetweenNeighbours(scope, await neighboursAmong(scope, near, places, scores), give)
    if (!without.includes('addressed'))
      for (const { reply, to } of await addressedAmong(scope, near, places))
        give(recordPlace(reply), tuning.ADDRESSED_SHARE * to.score)
    if (given.size === 0) return null
    return ranked.map(({ candidate, score }) => {
      const points = given.get(recordPlace(candidate.row)) ?? 0
      return score + (areKept ? 1 : shareOfLength(candidate.length)) * points
    })
  },
}

/** Notes of a folder and events of a calendar are beside each other, but do not answer each other. */
function isTalk({ source: { stream } }: SearchSource): boolean {
  const has = (role: Role) => fieldWithRole(stream, role) !== undefined
  return !has('end-time') && (has('actor') || !has('primary-title'))
}

/** A long message says itself what it is about, and a reply to a mail repeats the mail. */
function shareOfLength(words: number): number {
  return Math.min(1, tuning.WORDS_OF_SHORT_MESSAGE / Math.max(1, words))
}

/**
 * The best records that are in a conversation, and where. Others of their sources are passed over and not counted:
 * whether these are read at all may depend on hidden records.
 */
async function bestInConversations(
  scope: SearchScope,
  talking: readonly Ranked[],
): Promise<{ near: Ranked[]; places: Places }> {
  const near: Ranked[] = []
  const places = new Map<string, ConversationPlace>()
  let size = tuning.MOST_IN_CONVERSATIONS
  for (let i = 0; i < talking.length && near.length < tuning.MOST_IN_CONVERSATIONS; i += size, size *= 2) {
    const some = talking.slice(i, i + size)
    const rows = some.map(({ candidate }) => candidate.row)
    const found = await loadPlaces(scope.database, scope.owner_id, rows)
    for (const [place, stored] of found) places.set(place, stored)
    near.push(...some.filter(({ candidate }) => found.has(recordPlace(candidate.row))))
  }
  return { near: near.slice(0, tuning.MOST_IN_CONVERSATIONS), places }
}

type Places = ReadonlyMap<string, ConversationPlace>
type Give = (place: string, points: number) => unknown

/** Each gets a share of the best other message of its thread. `near` is ordered by score. */
function shareBest(near: readonly Ranked[], places: Places, give: Give): void {
  const best = new Map<string, number>()
  for (const { candidate, score } of near) {
    const place = recordPlace(candidate.row)
    const thread = places.get(place)?.thread_key
    if (!thread) continue
    const key = `${placeKey(candidate.row.connection_id, candidate.row.stream)}:${thread}`
    const known = best.get(key)
    if (known === undefined) best.set(key, score)
    else give(place, tuning.CONVERSATION_SHARE * known)
  }
}

/** Two records of a conversation with at most one visible message between them. */
interface Pair {
  earlier: Scored
  later: Scored
  /** 0 if no visible message is between them. */
  between: number
}

interface Scored {
  row: RowPlace
  score: number
}

/** The pairs of neighbours that both have a score. */
async function neighboursAmong(
  scope: SearchScope,
  near: readonly Ranked[],
  places: Places,
  scores: ReadonlyMap<string, number>,
): Promise<Pair[]> {
  const conversations = near.flatMap(({ candidate: { row }, score }, rank) => {
    const entry = scope.sourceOf(row)
    const place = places.get(recordPlace(row))
    const span = entry?.conversation && place && spanOf(place, entry.conversation)
    if (!entry || !span) return []
    const key = { owner_id: scope.owner_id, source: entry.source, ...span }
    const at = { order_key: place.order_key ?? '', record_key: row.record_key }
    return [{ row, score, rank, key, at, name: JSON.stringify([entry.key, span.column, span.key]) }]
  })
  const inEach = Map.groupBy(conversations, ({ name }) => name)
  const asked = conversations.flatMap(({ rank, name, ...each }): (AskedSide & Scored)[] => {
    const ahead = { ...each, side: 'after' as const }
    if (rank < tuning.MOST_LOOKED_BACK) return [ahead, { ...each, side: 'before' }]
    return rank < tuning.MOST_LOOKED_AHEAD && (inEach.get(name)?.length ?? 0) > 1 ? [ahead] : []
  })
  const beside = await besideEach(scope, asked, tuning.NEIGHBOUR_SHARES.length)
  const pairs = new Map<string, Pair>()
  for (const [i, { row, score, side }] of asked.entries()) {
    for (const [between, other] of (beside[i] ?? []).entries()) {
      const found = scores.get(recordPlace(other))
      if (found === undefined) continue
      const [own, its] = [
        { row, score },
        { row: other, score: found },
      ]
      const [earlier, later] = side === 'after' ? [own, its] : [its, own]
      pairs.set(JSON.stringify([recordPlace(earlier.row), recordPlace(later.row)]), {
        earlier,
        later,
        between,
      })
    }
  }
  return [...pairs.values()]
}

async function shareBetweenNeighbours(scope: SearchScope, pairs: readonly Pair[], give: Give): Promise<void> {
  const adjacent = pairs.filter(({ between }) => between === 0)
  const speakers = await speakersOf(
    scope,
    adjacent.flatMap(({ earlier, later }) => [earlier.row, later.row]),
  )
  for (const { earlier, later, between } of pairs) {
    const share = tuning.NEIGHBOUR_SHARES[between] ?? 0
    give(recordPlace(later.row), share * earlier.score)
    give(recordPlace(earlier.row), share * later.score)
  }
  for (const { earlier, later } of adjacent) {
    const asks = speakers.get(recordPlace(earlier.row))
    const answers = speakers.get(recordPlace(later.row))
    if (asks?.isQuestion && answers && asks.name !== answers.name)
      give(recordPlace(later.row), tuning.QUESTION_SHARE * earlier.score)
  }
}
