import { placeKey } from '../../../model/access/enforce.ts'
import { compareKeys } from '../../../model/reading/filter.ts'
import { ADDRESSED_MINUTES, LONGEST_ADDRESSED } from '../../../model/search/tuning.ts'
import type { StoredPlace } from '../../records/conversation.ts'
import { type RowPlace, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import type { Ranked } from './ranker.ts'
import { isAddressedTo, type Speaker, speakersOf } from './speakers.ts'

/** A message that begins with someone's name, and the last one that this person had written. */
export interface Addressed {
  reply: RowPlace
  to: Ranked
}

/** How many letters of names are compared first. */
const INITIALS = 2

interface Said {
  message: Ranked
  speaker: Speaker
  order: string
  at: number
}

/**
 * In a group, an answer is rarely beside its question, but often begins with the name of who asked. Only messages that
 * were found are compared.
 */
export async function addressedAmong(
  scope: SearchScope,
  near: readonly Ranked[],
  places: ReadonlyMap<string, StoredPlace>,
): Promise<Addressed[]> {
  const short = near.filter(({ candidate }) => candidate.length <= LONGEST_ADDRESSED)
  const speakers = await speakersOf(
    scope,
    short.map(({ candidate }) => candidate.row),
  )
  const said = short.flatMap((message): (Said & { talk: string })[] => {
    const { row } = message.candidate
    const place = places.get(recordPlace(row))
    const speaker = speakers.get(recordPlace(row))
    const at = Date.parse(`${(scope.visibleTime(row) ?? '').slice(1, 24)}Z`)
    if (!place || !speaker || Number.isNaN(at)) return []
    const talk = `${placeKey(row.connection_id, row.stream)}:${place.thread_key ?? place.place_key}`
    return [{ message, speaker, order: `${place.order_key} ${row.record_key}`, at, talk }]
  })
  return [...Map.groupBy(said, ({ talk }) => talk).values()].flatMap(addressedIn)
}

function addressedIn(said: readonly Said[]): Addressed[] {
  const ordered = said.toSorted((a, b) => compareKeys(a.order, b.order))
  const byInitials = Map.groupBy(ordered, ({ speaker: { name } }) => (name ?? '').slice(0, INITIALS))
  return ordered.flatMap(({ message, speaker, order, at }) => {
    const isMeant = (other: Said) =>
      other.speaker.name !== null &&
      other.speaker.name !== speaker.name &&
      compareKeys(other.order, order) < 0 &&
      at - other.at <= ADDRESSED_MINUTES * 60_000 &&
      isAddressedTo(speaker, other.speaker.name)
    const to = byInitials.get(speaker.beginning.slice(0, INITIALS))?.findLast(isMeant)
    return to ? [{ reply: message.candidate.row, to: to.message }] : []
  })
}
