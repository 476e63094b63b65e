import { MEANING_ABSENCES } from '../model/search/meaning.ts'
import { MAX_SEARCH_CHARS } from '../model/search/search-query.ts'
import { MOST_PLACES, MOST_WINDOWS } from '../model/search/tuning.ts'
import { list, NARROWING, NARROWING_NAMES, PAGE, SOURCES } from './list.ts'
import * as p from './parameter.ts'
import { readRoute } from './route.ts'
import type { Typed } from './schema.ts'
import * as s from './schema.ts'

/** A match of the query, verified in the text of the field, with the text around it. */
const MATCH_WINDOW = s.object(
  {
    ...s.each(s.TEXT, 'field_path', 'text', 'digest'),
    ...s.each(s.COUNT, 'start_chars', 'end_chars', 'text_start_chars', 'text_end_chars', 'size_chars'),
  },
  // Only if the stream declares one.
  { mime_type: s.TEXT },
)
export type MatchWindow = Typed<typeof MATCH_WINDOW>

/** One reason for the rank of a hit: what a ranking step added to its score. */
const REASON = s.object({ by: s.TEXT, points: s.NUMBER })
export type Reason = Typed<typeof REASON>

const HIT_VIEWS = ['compact', 'full'] as const

const VALUES = s.listOf(s.object(s.each(s.TEXT, 'field', 'text')))
const SEARCH_RESULT = s.named(
  'SearchResult',
  {
    object: s.constant('search_result'),
    ...s.each(s.TEXT, 'stream', 'record_key'),
    /** The readable fields that contain a match. */
    matched_fields: s.listOf(s.TEXT),
    ...s.each(s.TEXT, 'connection_id', 'connector_key', 'display_name', 'url'),
    ...s.each(s.orNull(s.TEXT), 'title', 'author', 'occurred_at'),
    match_windows: s.listOf(MATCH_WINDOW),
  },
  {
    /** The id of the source, and when the visible part of the record last changed. Not in the compact view. */
    connector_id: s.TEXT,
    emitted_at: s.TIME,
    /**
     * Literal text from one of the matched fields. Not in the compact view, because a window has the same text. A hit
     * that was not found by any word has the start of the record's text instead, in every view, and in the compact view
     * also one whose windows are all in other fields.
     */
    snippet: s.object(s.each(s.TEXT, 'field', 'text')),
    /** Where the record can be read. Not in the compact view, and absent if no URL can name it. */
    record_url: s.TEXT,
    /** The first values of a record without a text. */
    values: VALUES,
    /** The names of the files that `has` or `type` found. */
    files: VALUES,
    /** With `places`: where the next best windows begin, in one field of a record with a long text. */
    also_at: s.object({ field_path: s.TEXT, offset_chars: s.listOf(s.COUNT) }),
    /** With `varied`: how many more hits of its conversation follow the page. */
    more_in_conversation: s.COUNT,
    /** Only if the owner asks for it. */
    explanation: s.listOf(REASON),
  },
)
export type SearchHit = Typed<typeof SEARCH_RESULT>

/** How much of what matches was ranked. */
const RECALL = s.named('Recall', {
  complete: s.FLAG,
  ranking_scope: s.choice(['all_matches', 'candidate_window']),
  truncated: s.FLAG,
})

/** The share of the ranked records that were compared by meaning, and why meaning was not used. */
const MEANING = s.object({ share: s.NUMBER }, { absent: s.choice(MEANING_ABSENCES) })

/** How many visible records contain all words of a search, not counting stop words; null if they are not counted. */
const MATCHES = {
  count: s.orNull(s.COUNT),
  count_accuracy: s.choice(['exact', 'lower_bound', 'not_counted']),
}
const MATCH_COUNT = s.object(MATCHES)
export type MatchCount = Typed<typeof MATCH_COUNT>

/** What a response says about everything that a search matches, beyond the page. */
const TOTALS = {
  ...MATCHES,
  recall: RECALL,
  /** The time that the search was narrowed to, including by its operators; `until` is excluded. */
  ...s.each(s.TIME, 'since', 'until'),
  meaning: MEANING,
  cursors: s.listOf(s.orNull(s.TEXT)),
}

export const search = readRoute('GET', '/v1/search', {
  summary: 'Records found by words, with proven match windows',
  parameters: {
    ...PAGE,
    q: p.required(p.text({ min: 1, max: MAX_SEARCH_CHARS })),
    sort: p.withDefault(p.oneOf(['relevance', 'newest', 'oldest']), 'relevance'),
    windows: p.unbound(p.withDefault(p.integer({ max: MOST_WINDOWS }), 3)),
    places: p.unbound(p.withDefault(p.integer({ max: MOST_PLACES }), 0)),
    window_chars: p.unbound(p.withDefault(p.integer({ min: 40, max: 500 }), 200)),
    view: p.unbound(p.withDefault(p.oneOf(HIT_VIEWS), 'full')),
    explain: p.unbound(p.oneOf(['true'])),
    cursors: p.unbound(p.oneOf(['true'])),
    varied: p.oneOf(['true']),
    streams: p.bracketed(p.texts()),
    ...SOURCES,
    ...NARROWING,
    time_zone: p.text(),
    where: p.where(),
    record: p.text(),
  },
  excludes: {
    record: [
      'sort',
      'explain',
      'varied',
      'streams',
      'windows',
      'places',
      'where',
      'connector',
      ...NARROWING_NAMES,
    ],
  },
  reply: list(SEARCH_RESULT, {}, TOTALS),
})
