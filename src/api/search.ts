import type { MatchWindow, SearchHit } from '../model/search/search-hit.ts'
import { MAX_SEARCH_CHARS } from '../model/search/search-query.ts'
import { list, PAGE } from './list.ts'
import { conditions, integer, required, text, texts, time, unbound, withDefault } from './parameter.ts'
import { readRoute } from './route.ts'
import { COUNT, constant, listOf, named, object, orNull, type Schema, TEXT } from './schema.ts'

const MATCH_WINDOW: Schema<MatchWindow> = object({
  field_path: TEXT,
  start_chars: COUNT,
  end_chars: COUNT,
  text: TEXT,
  text_start_chars: COUNT,
  text_end_chars: COUNT,
  size_chars: COUNT,
  digest: TEXT,
})

const SEARCH_HIT: Schema<SearchHit> = named(
  'SearchHit',
  object({
    object: constant('search_hit'),
    stream: TEXT,
    record_id: TEXT,
    connection_id: TEXT,
    connector_key: TEXT,
    display_name: TEXT,
    title: orNull(TEXT),
    occurred_at: orNull(TEXT),
    url: TEXT,
    match_windows: listOf(MATCH_WINDOW),
  }),
)

export const search = readRoute('GET', '/v1/search', {
  summary: 'Records found by words, with proven match windows',
  parameters: {
    ...PAGE,
    q: required(text({ min: 1, max: MAX_SEARCH_CHARS })),
    windows: unbound(withDefault(integer({ max: 3 }), 3)),
    window_chars: unbound(withDefault(integer({ min: 40, max: 500 }), 200)),
    streams: texts(),
    connection_id: text(),
    since: time(),
    until: time(),
    filter: conditions(),
    record: text(),
  },
  excludes: { record: ['streams', 'since', 'until', 'windows', 'filter'] },
  reply: list(SEARCH_HIT),
})
