import { MEANING_ABSENCES, type MeaningPart } from '../model/search/meaning.ts'
import { HIT_VIEWS, type MatchWindow, type Reason, type SearchHit } from '../model/search/search-hit.ts'
import { MAX_SEARCH_CHARS } from '../model/search/search-query.ts'
import { ACCURACIES, RANKING_SCOPES, type SearchTotals } from '../model/search/search-totals.ts'
import { MOST_WINDOWS } from '../model/search/tuning.ts'
import { list, NARROWING, NARROWING_NAMES, PAGE, SOURCES } from './list.ts'
import * as p from './parameter.ts'
import { readRoute } from './route.ts'
import type { Schema } from './schema.ts'
import * as s from './schema.ts'

const MATCH_WINDOW: Schema<MatchWindow> = s.object(
  {
    ...s.each(s.TEXT, 'field_path', 'text', 'digest'),
    ...s.each(s.COUNT, 'start_chars', 'end_chars', 'text_start_chars', 'text_end_chars', 'size_chars'),
  },
  { mime_type: s.TEXT },
)
const REASON: Schema<Reason> = s.object({ by: s.TEXT, points: s.NUMBER })
const SEARCH_RESULT: Schema<SearchHit> = s.named(
  'SearchResult',
  {
    object: s.constant('search_result'),
    ...s.each(s.TEXT, 'stream', 'record_key'),
    matched_fields: s.listOf(s.TEXT),
    ...s.each(s.TEXT, 'connection_id', 'connector_key', 'display_name', 'url'),
    ...s.each(s.orNull(s.TEXT), 'title', 'author', 'occurred_at'),
    match_windows: s.listOf(MATCH_WINDOW),
  },
  {
    connector_id: s.TEXT,
    emitted_at: s.TIME,
    snippet: s.object(s.each(s.TEXT, 'field', 'text')),
    record_url: s.TEXT,
    values: s.listOf(s.object(s.each(s.TEXT, 'field', 'text'))),
    files: s.listOf(s.object(s.each(s.TEXT, 'field', 'text'))),
    explanation: s.listOf(REASON),
  },
)

const RECALL: Schema<SearchTotals['recall']> = s.named('Recall', {
  complete: s.FLAG,
  ranking_scope: s.choice(RANKING_SCOPES),
  truncated: s.FLAG,
})

const MEANING: Schema<MeaningPart> = s.object({ share: s.NUMBER }, { absent: s.choice(MEANING_ABSENCES) })

const TOTALS = {
  count: s.orNull(s.COUNT),
  count_accuracy: s.choice(ACCURACIES),
  recall: RECALL,
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
    window_chars: p.unbound(p.withDefault(p.integer({ min: 40, max: 500 }), 200)),
    view: p.unbound(p.withDefault(p.oneOf(HIT_VIEWS), 'full')),
    explain: p.unbound(p.oneOf(['true'])),
    cursors: p.unbound(p.oneOf(['true'])),
    streams: p.bracketed(p.texts()),
    ...SOURCES,
    ...NARROWING,
    time_zone: p.text(),
    where: p.where(),
    record: p.text(),
  },
  excludes: { record: ['sort', 'explain', 'streams', 'windows', 'where', 'connector', ...NARROWING_NAMES] },
  reply: list(SEARCH_RESULT, {}, TOTALS),
})
