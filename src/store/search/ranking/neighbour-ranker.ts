import { fieldWithRole } from '../../../model/declaration/declaration.ts'
import { authorOf, project } from '../../../model/reading/record.ts'
import {
  CONVERSATION_SHARE,
  MOST_GIVERS,
  MOST_IN_CONVERSATIONS,
  NEIGHBOUR_SHARES,
  QUESTION_SHARE,
} from '../../../model/search/tuning.ts'
import { type StoredPlace, spanOf } from '../../records/conversation.ts'
import type { SearchSource } from '../open-fields.ts'
import { loadPlaces } from '../records-of-rows.ts'
import { placeKey, type RowPlace, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import { besideEach, type Speaker } from './beside.ts'
import { conversingSources } from './conversing-sources.ts'
import type { Ranked, Ranker } from './ranker.ts'

const IS_QUESTION = /[?？؟]["'”’)\]\s]*$/u

/**
 * An answer rarely repeats the words of its question, but the messages around it do. A message that matches also gets a
 * share of the scores of its visible neighbours and of the best message of its conversation.
 */
export const neighbourRanker: Ranker = {
  name: 'neighbours',
  refinement: 'neighbours',
  depth: Number.POSITIVE_INFINITY,
  async score(ranked, { scope }) {
    if (!scope.hasConversations) return null
    const sources = ranked.map(({ candidate: { row } }) => scope.sourceOf(row))
    const declared = new Set(sources.flatMap(source => (source?.conversation ? [source] : [])))
    const conversing = await conversingSources(scope.database, scope.owner_id, declared)
    const talking = ranked.filter((_, i) => conversing.has(sources[i] as SearchSource))
    if (talking.length < 2) return null
    const near = talking.slice(0, MOST_IN_CONVERSATIONS)
    const places = await loadPlaces(
      scope.database,
      scope.owner_id,
      near.map(({ candidate }) => candidate.row),
    )
    const given: { place: string; points: number }[] = []
    const give = (place: string, points: number) => given.push({ place, points })
    shareBest(near, places, give)
    await shareWithNeighbours(scope, near.slice(0, MOST_GIVERS), places, give)
    if (given.length === 0) return null
    const scores = ranked.map(({ score }) => score)
    const index = new Map(ranked.map(({ candidate }, i) => [recordPlace(candidate.row), i]))
    for (const { place, points } of given) {
      const i = index.get(place)
      if (i !== undefined) scores[i] = (scores[i] ?? 0) + points
    }
    return scores
  },
}

type Places = ReadonlyMap<string, StoredPlace>
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
    else give(place, CONVERSATION_SHARE * known)
  }
}

async function shareWithNeighbours(
  scope: SearchScope,
  givers: readonly Ranked[],
  places: Places,
  give: Give,
): Promise<void> {
  const asked = givers.flatMap(({ candidate: { row }, score }) => {
    const entry = scope.sourceOf(row)
    const place = places.get(recordPlace(row))
    const span = entry?.conversation && place && spanOf(place, entry.conversation)
    if (!entry || !span) return []
    const key = { owner_id: scope.owner_id, source: entry.source, ...span }
    const at = { order_key: place.order_key ?? '', record_key: row.record_key }
    return [{ row, score, key, at }]
  })
  const beside = await besideEach(scope, asked, NEIGHBOUR_SHARES.length)
  const speakers = await speakersOf(
    scope,
    asked.flatMap(({ row }, i) => [row, ...(beside[i]?.after.slice(0, 1) ?? [])]),
  )
  for (const [i, { row, score }] of asked.entries()) {
    const { before = [], after = [] } = beside[i] ?? {}
    for (const side of [before, after])
      for (const [distance, each] of side.entries())
        give(recordPlace(each), (NEIGHBOUR_SHARES[distance] ?? 0) * score)
    const [next] = after
    const asks = speakers.get(recordPlace(row))
    const answers = next && speakers.get(recordPlace(next))
    if (next && asks?.isQuestion && answers && asks.name !== answers.name)
      give(recordPlace(next), QUESTION_SHARE * score)
  }
}

/** The authors of the records, as far as they may be seen, and whether their texts end with a question. */
async function speakersOf(scope: SearchScope, rows: readonly RowPlace[]): Promise<Map<string, Speaker>> {
  const records = await scope.records.of(scope.database, scope.owner_id, rows)
  const speakers = new Map<string, Speaker>()
  for (const row of rows) {
    const place = recordPlace(row)
    const [entry, record, visible] = [scope.sourceOf(row), records.get(place), scope.visibleFields(row)]
    if (!entry || !record || visible === undefined) continue
    const { stream } = entry.source
    const { data } = project(entry.source, record, visible)
    const field = fieldWithRole(stream, 'primary-text')
    const text = field === undefined ? undefined : data[field]
    speakers.set(place, {
      name: authorOf(stream, data)?.name ?? null,
      isQuestion: typeof text === 'string' && IS_QUESTION.test(text.slice(-200)),
    })
  }
  return speakers
}
