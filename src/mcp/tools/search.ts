import { sliceCodePoints } from '../../model/code-points.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { RecordReference } from '../../model/result-id.ts'
import { number, text, texts } from '../arguments.ts'
import { filterQuery } from '../filter.ts'
import { type Evidence, type Hit, readHit } from '../hit.ts'
import { ladderRecord, sizeGrade } from '../ladder.ts'
import { fittingPage, MOST_STRUCTURED_BYTES } from '../page.ts'
import { previewOf } from '../preview.ts'
import { partsOf, referenceOf } from '../reference.ts'
import { bytesOf, head } from '../rendering/quote.ts'
import { searchText } from '../rendering/search-text.ts'
import { capabilitiesOf, type Query, type ResourceServerClient } from '../resource-server-client.ts'
import { CONNECTION_ID, DATA, FILTER, LADDER, TEXT, TEXTS } from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const DEFAULT_LIMIT = 10
const WINDOW_CHARS = 160
/** What one hit may add to structured content, and what its previews may take of that. */
const MOST_HIT_BYTES = 1_900
const MOST_BYTES = 20_000
/** Asked for when a page is too large with windows of the usual size. */
const NARROW_WINDOW_CHARS = 40
/** What a hit shows beside what `data` has; the first that fits is used. */
const LAYOUTS = [
  { preview: WINDOW_CHARS, title: 120, labels: true, next: true },
  { preview: WINDOW_CHARS, title: 80, labels: true, next: false },
  { preview: 120, title: 80, labels: false, next: false },
  { preview: 90, title: 60, labels: false, next: false },
  { preview: 60, title: 60, labels: false, next: false },
  { preview: 40, title: 40, labels: false, next: false },
  { preview: 24, title: 20, labels: false, next: false },
] as const
type Layout = (typeof LAYOUTS)[number]
/** Above this a hit is cut; record ids are never longer than these characters. */
const MOST_RAW_BYTES = 10_000
const MOST_RAW_CHARS = 1_100
/** A longer match shows its beginning. */
const MOST_MATCH_CHARS = 80

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
  const { q: _, ...asked } = args
  const present = (data: JsonObject) => answer({ ...asked, query }, data, record, client.provider.url)
  const limit = number(args, 'limit') ?? DEFAULT_LIMIT
  const most = (hits: number) => Math.max(MOST_BYTES, hits * MOST_HIT_BYTES)
  return fittingPage(limit, Math.max(MOST_STRUCTURED_BYTES, most(limit)), async limit => {
    const data = await client.get('/v1/search', { ...parameters, limit })
    const wide = present(data)
    const rows = Array.isArray(data.data) ? data.data.length : 0
    const bytes = bytesOf(JSON.stringify(wide.structured))
    const fits = bytes <= most(rows)
    if (parameters.window_chars === undefined || fits) return { answer: wide, rows, bytes }
    const narrow = { ...parameters, limit, window_chars: NARROW_WINDOW_CHARS }
    return { answer: present(await client.get('/v1/search', narrow)), rows }
  })
}

function answer(
  args: JsonObject,
  data: JsonObject,
  record: RecordReference | null,
  providerUrl: string,
): ToolAnswer {
  const raw = Array.isArray(data.data) ? data.data : []
  const hits = raw
    .map((hit, index) => readHit(hit, index, String(args.query), providerUrl))
    .filter(({ reference }) => !record || (reference && isSame(reference, record)))
  const shown = hits.map(presentHit)
  return {
    text: searchText({
      args,
      hits,
      next_cursor: typeof data.next_cursor === 'string' ? data.next_cursor : null,
      warnings: warningsOf(data),
    }),
    structured: {
      results: shown.map(({ result }) => result),
      content_ladder: { records: shown.flatMap(({ rung }) => (rung ? [rung] : [])) },
      data: carried(data, raw),
    },
  }
}

/** The server's envelope, whole; what no host could carry of it is cut, and it says so. */
function carried(data: JsonObject, hits: Json[]): JsonObject {
  if (hits.every(hit => bytesOf(JSON.stringify(hit)) <= MOST_RAW_BYTES)) return data
  const warning = { code: 'cut', message: 'Hits of this page are too large; their long texts are cut.' }
  const meta = { ...(isObject(data.meta) ? data.meta : {}), warnings: [warning] }
  const cut = hits.map(hit =>
    isObject(hit) ? previewOf(hit, undefined, MOST_RAW_CHARS, MOST_RAW_BYTES).data : null,
  )
  return { ...data, data: cut, meta }
}

function isSame(one: RecordReference, other: RecordReference): boolean {
  const somewhere = one.connection_id === null || other.connection_id === null
  return (
    one.record_id === other.record_id &&
    one.stream === other.stream &&
    (somewhere || one.connection_id === other.connection_id)
  )
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
function presentHit(hit: Hit, index: number): { result: JsonObject; rung: JsonObject | null } {
  const least = Math.min(matchChars(hit.evidence?.match ?? null), MOST_MATCH_CHARS)
  const raw = Buffer.byteLength(JSON.stringify(hit.raw))
  let made = layOut(hit, index, LAYOUTS[0], least)
  for (const layout of LAYOUTS.slice(1)) {
    if (raw + Buffer.byteLength(JSON.stringify(made)) <= MOST_HIT_BYTES) break
    made = layOut(hit, index, layout, least)
  }
  return made
}

function layOut(hit: Hit, index: number, layout: Layout, least: number) {
  const { evidence, handle, reference, title, url, snippet, connector_key, display_name, occurred_at } = hit
  const preview = evidence
    ? around(evidence, Math.max(layout.preview, least))
    : snippet === null
      ? undefined
      : head(snippet, layout.preview)
  const rung = evidence ? rungOf(hit, evidence, Math.max(Math.floor(layout.preview / 2), least)) : null
  const result: JsonObject = {
    id: handle.id,
    title: sliceCodePoints(title, 0, layout.title),
    url,
    ...(preview === undefined ? {} : { snippet: preview }),
    ...(evidence ? { field_path: evidence.field_path } : {}),
    ...(evidence?.range ? { start_chars: evidence.range.start, end_chars: evidence.range.end } : {}),
    ...(evidence ? { status: statusOf(evidence, preview ?? '') } : {}),
    // The ladder has the same call; the first hit keeps it for those who see only the beginning (BU-5).
    ...(layout.next || index === 0 || !rung ? { next: hit.next } : {}),
    ...(reference
      ? partsOf(reference)
      : { connection_id: handle.connection_id ?? '', stream: '', record_id: '' }),
    ...(layout.labels ? labelsOf({ connector_key, display_name, occurred_at }) : {}),
  }
  return { result, rung }
}

function labelsOf(labels: Record<string, string | null>): JsonObject {
  return Object.fromEntries(Object.entries(labels).filter(([, label]) => label !== null))
}

function rungOf(hit: Hit, evidence: Evidence, chars: number): JsonObject | null {
  if (!hit.reference) return null
  const { field_path, range, size_chars, digest } = evidence
  const preview = around(evidence, chars)
  const field: JsonObject = {
    path: field_path,
    type: 'string',
    ...(size_chars === null ? {} : { size_chars }),
    size_grade: sizeGrade(size_chars ?? undefined),
    text_like: true,
    status: statusOf(evidence, preview),
    ...(range ? { start_chars: range.start, end_chars: range.end } : {}),
    preview,
    ...(digest === null ? {} : { digest }),
    read: hit.next,
  }
  return ladderRecord(hit.reference, [field])
}

/** Complete is what shows the whole field, not what shows less of a window that did. */
function statusOf({ range, size_chars, text: all }: Evidence, preview: string): string {
  const whole = range?.text_start === 0 && range.text_end === size_chars
  return whole && preview === all ? 'complete' : 'snippet-only'
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
    .flatMap(warning => (isObject(warning) && typeof warning.message === 'string' ? [warning.message] : []))
}
