import { sliceCodePoints } from '../../model/code-points.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { number, text, texts } from '../arguments.ts'
import { filterQuery } from '../filter.ts'
import { type Evidence, type Hit, readHit } from '../hit.ts'
import { ladderRecord, sizeGrade } from '../ladder.ts'
import { referenceOf } from '../reference.ts'
import { searchText } from '../rendering/search-text.ts'
import { capabilitiesOf, type Query, type ResourceServerClient } from '../resource-server-client.ts'
import { CONNECTION_ID, DATA, FILTER, LADDER, TEXT, TEXTS } from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const DEFAULT_LIMIT = 10
const WINDOW_CHARS = 160
/** What one hit may add to structured content, and what its previews may take of that. */
const MOST_HIT_BYTES = 1_900
const LEAST_PREVIEW_CHARS = 24

export const search: Tool = {
  name: 'search',
  title: 'Search records',
  description:
    'Find records by words, "phrases", prefix* and -word; a whole question works. Each hit has an id and, where proven, the matched field, exact character range and text around it. Read on with the call shown (read_record_field), or fetch the id. `within` lists every match inside one record.',
  input: {
    type: 'object',
    properties: {
      query: { type: 'string', maxLength: 1000 },
      q: { type: 'string', maxLength: 1000, description: 'same as query' },
      limit: { type: 'integer', minimum: 1, maximum: 25, default: DEFAULT_LIMIT },
      cursor: TEXT,
      streams: { ...TEXTS, maxItems: 100 },
      connection_id: CONNECTION_ID,
      since: { type: 'string', description: 'date or time' },
      until: TEXT,
      filter: FILTER,
      within: { type: 'string', description: 'a result id' },
    },
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      results: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: TEXT, title: TEXT, url: TEXT, snippet: TEXT, field_path: TEXT },
          required: ['id', 'title', 'url'],
        },
      },
      content_ladder: LADDER,
      data: DATA,
    },
    required: ['results', 'content_ladder', 'data'],
  },
  run: searchRecords,
}

async function searchRecords(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const query = queryOf(args)
  const within = text(args, 'within')
  const record = within === undefined ? null : referenceOf(within, text(args, 'connection_id'))
  const filter = filterQuery(args)
  const capabilities = await capabilitiesOf(client)
  const parameters: Query = {
    q: query,
    limit: number(args, 'limit') ?? DEFAULT_LIMIT,
    cursor: text(args, 'cursor'),
    streams: texts(args, 'streams'),
    connection_id: text(args, 'connection_id'),
    since: text(args, 'since'),
    until: text(args, 'until'),
    ...filter,
  }
  if (capabilities.has('search_windows')) parameters.window_chars = WINDOW_CHARS
  if (capabilities.has('search_windows') && !record) parameters.windows = 1
  if (record) {
    parameters.connection_id = record.connection_id ?? undefined
    if (capabilities.has('search_record')) parameters.record = within
    else parameters.streams = [record.stream]
  }
  const data = await client.get('/v1/search', parameters)
  const raw = Array.isArray(data.data) ? data.data : []
  const hits = raw
    .map((hit, index) => readHit(hit, index, query, client.provider.url))
    .filter(({ reference }) => !record || reference?.record_id === record.record_id)
  const shown = hits.map(presentHit)
  const { q: _, ...asked } = args
  return {
    text: searchText({
      args: { ...asked, query },
      hits,
      next_cursor: typeof data.next_cursor === 'string' ? data.next_cursor : null,
      warnings: warningsOf(data),
    }),
    structured: {
      results: shown.map(({ result }) => result),
      content_ladder: { records: shown.flatMap(({ rung }) => (rung ? [rung] : [])) },
      data,
    },
  }
}

function queryOf(args: JsonObject): string {
  const { query, q } = args
  if (typeof query === 'string' && typeof q === 'string' && query !== q) {
    throw new CodedError('invalid_request', 'query and q are two names of one argument. Give one.', {
      param: 'q',
    })
  }
  const words = text(args, 'query') ?? text(args, 'q')
  if (words !== undefined && words !== '') return words
  throw new CodedError('invalid_request', 'search needs the argument query.', { param: 'query' })
}

/** A hit as a flat result and as a rung of the ladder; both previews are of the same window (EV-3). */
function presentHit(hit: Hit): { result: JsonObject; rung: JsonObject | null } {
  const raw = JSON.stringify(hit.raw)
  for (let chars = WINDOW_CHARS; ; chars = Math.floor(chars / 2)) {
    const result = resultOf(hit, chars)
    const rung = hit.reference && hit.evidence ? rungOf(hit, hit.evidence, Math.floor(chars / 2)) : null
    const bytes = Buffer.byteLength(JSON.stringify(result) + JSON.stringify(rung) + raw)
    if (bytes <= MOST_HIT_BYTES || chars <= LEAST_PREVIEW_CHARS) return { result, rung }
  }
}

function resultOf(hit: Hit, chars: number): JsonObject {
  const { handle, reference, title, url, evidence, snippet, connector_key, display_name, occurred_at } = hit
  const preview = evidence ? around(evidence, chars) : snippet?.slice(0, chars)
  return {
    id: handle.id,
    title,
    url,
    ...(preview === undefined ? {} : { snippet: preview }),
    ...(evidence ? { field_path: evidence.field_path } : {}),
    ...(evidence?.range ? { start_chars: evidence.range.start, end_chars: evidence.range.end } : {}),
    ...(evidence ? { status: statusOf(evidence) } : {}),
    next: hit.next,
    connection_id: reference?.connection_id ?? handle.connection_id ?? '',
    stream: reference?.stream ?? '',
    record_id: reference?.record_id ?? '',
    ...(connector_key === null ? {} : { connector_key }),
    ...(display_name === null ? {} : { display_name }),
    ...(occurred_at === null ? {} : { occurred_at }),
  }
}

function rungOf(hit: Hit, evidence: Evidence, chars: number): JsonObject {
  const { field_path, range, size_chars, digest } = evidence
  const field: JsonObject = {
    path: field_path,
    type: 'string',
    ...(size_chars === null ? {} : { size_chars }),
    size_grade: sizeGrade(size_chars ?? undefined),
    text_like: true,
    status: statusOf(evidence),
    ...(range ? { start_chars: range.start, end_chars: range.end } : {}),
    preview: around(evidence, chars),
    ...(digest === null ? {} : { digest }),
    read: hit.next,
  }
  return ladderRecord(hit.reference ?? { connection_id: null, stream: '', record_id: '' }, [field])
}

function statusOf({ range, size_chars }: Evidence): string {
  return range?.text_start === 0 && range.text_end === size_chars ? 'complete' : 'snippet-only'
}

/** At most so many characters of the window, with the match or at least its beginning in them. */
function around({ text: shown, match }: Evidence, chars: number): string {
  const start = Math.max(0, (match?.start ?? 0) - Math.floor(Math.max(0, chars - matchChars(match)) / 3))
  return sliceCodePoints(shown, start, start + chars)
}

function matchChars(match: Evidence['match']): number {
  return match ? match.end - match.start : 0
}

function warningsOf(data: JsonObject): string[] {
  const warnings = isObject(data.meta) && Array.isArray(data.meta.warnings) ? data.meta.warnings : []
  return warnings
    .slice(0, 3)
    .flatMap(warning =>
      isObject(warning) && typeof warning.message === 'string' ? [warning.message.slice(0, 120)] : [],
    )
}
