import { placeKey } from '../../../model/access/enforce.ts'
import type { ConversationPlace } from '../../../model/declaration/conversation.ts'
import { fieldWithRole } from '../../../model/declaration/declaration.ts'
import { compareKeys } from '../../../model/reading/filter.ts'
import { authorOf, project } from '../../../model/reading/record.ts'
import { ADDRESSED_MINUTES, LONGEST_ADDRESSED } from '../../../model/search/tuning.ts'
import { fold } from '../../../model/text/fold.ts'
import { type RowPlace, recordPlace } from '../search-rows.ts'
import type { SearchScope } from '../search-scope.ts'
import type { Ranked } from './ranker.ts'

/** Who wrote a message and what its text shows about that, as far as both may be seen. */
interface Speaker {
  /** Folded; null if it may not be seen. */
  name: string | null
  /** The beginning of the text, folded, without an @ before it. */
  beginning: string
  isMarked: boolean
  isQuestion: boolean
}

const IS_QUESTION = /[?？؟](?=["'”’)\]\s]|$)/u
const ADDRESS_CHARS = 80

export async function speakersOf(
  scope: SearchScope,
  rows: readonly RowPlace[],
): Promise<Map<string, Speaker>> {
  const records = await scope.records.of(scope.database, scope.owner_id, rows)
  const speakers = new Map<string, Speaker>()
  for (const row of rows) {
    const place = recordPlace(row)
    const [entry, record, visible] = [scope.sourceOf(row), records.get(place), scope.visibleFields(row)]
    if (!entry || !record || visible === undefined || speakers.has(place)) continue
    const { stream } = entry.source
    const { data } = project(entry.source, record, visible)
    const field = fieldWithRole(stream, 'primary-text')
    const value = field === undefined ? undefined : data[field]
    const text = typeof value === 'string' ? value : ''
    const beginning = fold(text.slice(0, ADDRESS_CHARS)).trimStart()
    const isMarked = beginning.startsWith('@')
    const name = authorOf(stream, data)?.name
    speakers.set(place, {
      name: name === undefined ? null : fold(name),
      beginning: isMarked ? beginning.slice(1) : beginning,
      isMarked,
      isQuestion: IS_QUESTION.test(text.slice(-400)),
    })
  }
  return speakers
}

/** What follows a first name that a message begins with. */
const AFTER_FIRST_NAME = /[:,：，、]/u
const IN_NAME = /[\p{L}\p{N}]/u

/** Whether a message begins with the name of someone: "Ann: try this", "@Ann Lee it works", "ann_lee thanks". */
function isAddressedTo({ beginning, isMarked }: Speaker, name: string): boolean {
  const after = (part: string) =>
    part.length > 1 && beginning.startsWith(part) ? beginning.charAt(part.length) : null
  const [afterAll, afterFirst] = [after(name), after(name.split(' ')[0] ?? '')]
  if (afterAll !== null && !IN_NAME.test(afterAll)) return true
  return afterFirst !== null && (isMarked ? !IN_NAME.test(afterFirst) : AFTER_FIRST_NAME.test(afterFirst))
}

/** A message that begins with someone's name, and the last one that this person had written. */
interface Addressed {
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
  places: ReadonlyMap<string, ConversationPlace>,
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
