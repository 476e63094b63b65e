import type { RecordReference } from '../../model/ids/handle.ts'
import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { parseSearchQuery } from '../../model/search/search-query.ts'
import type { TimeZone } from '../../model/time.ts'
import { type Bounds, boundsNotes } from '../../model/time-bounds.ts'
import { readHit } from '../reading/hit.ts'
import { type Narrowing, understoodOf } from '../reading/narrowing.ts'
import { previewOf } from '../reading/preview.ts'
import { bytesOf, callText, DATA_NOTE } from '../text/quote.ts'
import { withWrittenLists } from './fitting-page.ts'
import { MOST_HIT_BYTES, presentHit } from './present-hit.ts'
import type { Listing, MatchTotal, SearchPage } from './search-text.ts'
import { concerns } from './warnings.ts'

/** The limit for the structured content of a default search. */
export const MOST_SEARCH_BYTES = 15_900
/** The part of it that is used around the hits. */
const ENVELOPE_BYTES = 300
/** A hit larger than this is cut; record ids are never longer than this many characters. */
const MOST_RAW_BYTES = 10_000
const MOST_RAW_CHARS = 1_100

/** What was searched for. */
export interface Searched {
  args: JsonObject
  /** The only record that is searched; null otherwise. */
  record: RecordReference | null
  providerUrl: string
  narrowing: Narrowing
  zone: TimeZone
  /** Whether the client gave other arguments, which were read as these. */
  isReread: boolean
  /** How the query was understood, if it says something else. */
  instead: readonly string[]
  notes: readonly string[]
}

export interface PresentedSearch {
  page: SearchPage
  structured: JsonObject
  /** For each hit of the page, the cursor that continues after it, if the server provides it. */
  cursors: readonly Json[]
}

/** A page of hits for the text, and the same as structured content. */
export function presentSearch(
  data: JsonObject,
  searched: Searched,
  /** Sums and ready calls that answer better than hits. */
  advice: readonly string[],
): PresentedSearch {
  const { args, record, providerUrl, zone } = searched
  const raw = Array.isArray(data.data) ? data.data : []
  const texts = raw.map(hit => JSON.stringify(hit))
  const sizes = new Map(raw.map((hit, index) => [hit, bytesOf(texts[index] ?? '')]))
  const hits = raw
    .map((hit, index) => readHit(hit, index, String(args.query), providerUrl, zone))
    .filter(({ reference }) => !record || (reference && isSame(reference, record)))
    .map((hit, index) => ({ ...hit, isFurther: record !== null && index > 0 && hit.evidence !== null }))
  const mostBytes = Math.max(
    MOST_HIT_BYTES,
    Math.floor((MOST_SEARCH_BYTES - ENVELOPE_BYTES) / Math.max(1, hits.length)),
  )
  let variant = 0
  const shown = hits.map((hit, index) => {
    const presented = presentHit(hit, index, { rawBytes: sizes.get(hit.raw) ?? 0, mostBytes }, variant)
    variant = presented.variant
    return presented
  })
  const { cursors, ...meta } = isObject(data.meta) ? data.meta : {}
  const bounds = boundsOf(meta) ?? searched.narrowing
  const answered = { args, isEmpty: raw.length === 0 }
  const notes = [...searched.notes, ...boundsNotes(bounds, zone), ...meaningNotes(meta)]
  const listed = listingOf(meta)
  const isMore = typeof data.next_cursor === 'string' && args.cursor === undefined
  const isWhole = listed && !listed.streams && parseSearchQuery(String(args.query)).operators.length === 0
  const ready = [...advice, ...(isWhole && isMore ? countsOf(bounds) : [])]
  // Hosts cut the middle of a long answer, so what answers the question comes before the hits.
  const remarks = [...ready, ...searched.instead, ...notes]
  const results = shown.map(({ result }) => result)
  const climbed = shown.filter(({ rung }) => rung !== null)
  const records = climbed.flatMap(({ rung }) => rung ?? [])
  const structured: JsonObject = {
    ...(remarks.length > 0 ? { remarks } : {}),
    results,
    note: DATA_NOTE,
    ...understoodOf(bounds, zone),
    content_ladder: { records },
    data: carried(isObject(data.meta) ? { ...data, meta } : data, meta, raw, sizes),
  }
  const lists = new Map<Json, string[]>([
    [results, shown.map(({ texts }) => texts.result)],
    [records, climbed.map(({ texts }) => texts.rung)],
    [raw, texts],
  ])
  return {
    page: {
      args,
      isReread: searched.isReread,
      hits,
      next_cursor: typeof data.next_cursor === 'string' ? data.next_cursor : null,
      total: totalOf(meta),
      instead: [...searched.instead, ...warningsOf(withOneCorrection(meta), isInstead)],
      listed,
      advice: ready,
      warnings: [
        ...notes,
        ...warningsOf(meta, warning => !isInstead(warning) && concerns(warning, answered)),
      ],
    },
    structured: withWrittenLists(structured, lists),
    cursors: Array.isArray(cursors) && hits.length === raw.length ? cursors : [],
  }
}

/** The listing that answers a question for a time, and the streams that the question names. */
function listingOf({ warnings }: JsonObject): Listing | null {
  const listing = objectsIn(warnings).find(({ code }) => code === 'time_listed')
  if (!listing) return null
  const { streams } = isObject(listing.detail) ? listing.detail : {}
  return Array.isArray(streams) ? { streams: streams.map(String) } : {}
}

/** The call that says how many records of each stream a list of a time has: many of one kind hide a few of another. */
function countsOf({ since, until }: Bounds): string[] {
  const args = { ...(since && { since }), ...(until && { until }), group_by: 'stream' }
  return since || until ? [`How many of each stream: ${callText({ tool: 'aggregate', args })}`] : []
}

const NO_MEANING: Record<string, string> = {
  stopped: 'Meaning was not used for ranking: its model is not running.',
  slow: 'Meaning was not used for ranking: its model did not answer in time.',
  language: 'Meaning was not used for ranking: its model does not know the language of the query.',
}

/** Notes that hits are also ordered by meaning, if our own server does that. */
function meaningNotes({ meaning }: JsonObject): string[] {
  if (!isObject(meaning) || typeof meaning.share !== 'number') return []
  const { share, absent } = meaning
  if (typeof absent === 'string') return NO_MEANING[absent] === undefined ? [] : [NO_MEANING[absent]]
  return [`Ordered by words and by meaning (${Math.round(share * 100)} % of the ranked records).`]
}

/** The time range that was searched, including operators of the query, as our own server reports it. */
function boundsOf({ since, until }: JsonObject): Bounds | null {
  const bounds = {
    ...(typeof since === 'string' ? { since } : {}),
    ...(typeof until === 'string' ? { until } : {}),
  }
  return Object.keys(bounds).length > 0 ? bounds : null
}

function totalOf({ count, count_accuracy }: JsonObject): MatchTotal | null {
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) return null
  return { count, isExact: count_accuracy === 'exact' }
}

/** The server's response; what is too large for hosts is cut, and a warning says so. */
function carried(
  data: JsonObject,
  meta: JsonObject,
  hits: Json[],
  sizes: ReadonlyMap<Json, number>,
): JsonObject {
  if (hits.every(hit => (sizes.get(hit) ?? 0) <= MOST_RAW_BYTES)) return data
  const warning = { code: 'cut', message: 'The hits on this page are too large; their long texts are cut.' }
  const cut = hits.map(hit =>
    isObject(hit) ? previewOf(hit, undefined, MOST_RAW_CHARS, MOST_RAW_BYTES).data : null,
  )
  return { ...data, data: cut, meta: { ...meta, warnings: [warning] } }
}

function isSame(one: RecordReference, other: RecordReference): boolean {
  const somewhere = one.connection_id === null || other.connection_id === null
  return (
    one.record_id === other.record_id &&
    one.stream === other.stream &&
    (somewhere || one.connection_id === other.connection_id)
  )
}

const MOST_WARNINGS = 3
const INSTEAD = [
  'operator_unknown',
  'exclusions_ignored',
  'phrase_as_words',
  'word_corrected',
  'words_unknown',
  'time_listed',
  'time_not_found',
]

/** Whether a warning says that something else was found than the query asks for. */
function isInstead({ code }: JsonObject): boolean {
  return INSTEAD.includes(String(code))
}

/** Several misspelt words in one warning, so that room is left for hits. */
function withOneCorrection({ warnings }: JsonObject): JsonObject {
  const all = objectsIn(warnings)
  const corrections = all.filter(({ code }) => code === 'word_corrected')
  const [first, ...further] = corrections
  if (first === undefined || further.length === 0) return { warnings: all }
  const [none] = String(first.message).split(' “')
  const [written, taken] = (['written', 'taken'] as const).map(name =>
    corrections.map(({ detail }) => (isObject(detail) ? String(detail[name]) : '')).join(', '),
  )
  const message = `${none} ${written}. Searched for: ${taken}.`
  const others = all.filter(each => !corrections.includes(each))
  return { warnings: [{ code: 'word_corrected', message }, ...others] }
}

function warningsOf({ warnings }: JsonObject, isMeant: (warning: JsonObject) => boolean): string[] {
  return objectsIn(warnings)
    .filter(isMeant)
    .slice(0, MOST_WARNINGS)
    .flatMap(({ message }) => (typeof message === 'string' ? [message] : []))
}
