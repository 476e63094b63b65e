import type { QueryOf } from '../../api/route.ts'
import { search as route } from '../../api/search.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { referenceOf } from '../../model/ids/reference.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { MAX_SEARCH_CHARS } from '../../model/search/search-query.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { pageLimit, text, texts } from '../arguments.ts'
import { assertFilters, conditionsOf } from '../reading/filter.ts'
import { readHit } from '../reading/hit.ts'
import { narrowingOf } from '../reading/narrowing.ts'
import { previewOf } from '../reading/preview.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { fittingPage, MOST_STRUCTURED_BYTES } from '../rendering/fitting-page.ts'
import { MOST_HIT_BYTES, presentHit, WINDOW_CHARS } from '../rendering/present-hit.ts'
import { type SearchPage, searchText } from '../rendering/search-text.ts'
import { bytesOf } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'
import { CONNECTION_ID, DATA, FILTER, LADDER, NARROWING, TEXT, TEXTS } from './schemas.ts'

const DEFAULT_LIMIT = 10
const MOST_LIMIT = 25
const MOST_BYTES = 15_900
/** The narrowest windows that are asked for when a page is too large with windows of the usual size. */
const NARROW_WINDOW_CHARS = 40
/** Above this a hit is cut; record ids are never longer than these characters. */
const MOST_RAW_BYTES = 10_000
const MOST_RAW_CHARS = 1_100

export const search: Tool = {
  name: 'search',
  title: 'Search records',
  description:
    'Search the e-mails, chats, messages, notes and documents of the owner: who said what, when and where. Takes words, "phrases", prefix* and -word; a whole question works. Each hit has an id and, where proven, the matched field, exact character range and text around it. Read on with the call shown (read_record_field), or fetch the id. `within` lists every match inside one record.',
  hint: 'find mail, e-mail, chat, messages, notes, documents, conversation, person; when did, what did I say',
  input: {
    type: 'object',
    properties: {
      query: { type: 'string', maxLength: MAX_SEARCH_CHARS },
      limit: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT, description: `at most ${MOST_LIMIT}` },
      cursor: TEXT,
      streams: TEXTS,
      connection_id: CONNECTION_ID,
      ...NARROWING,
      filter: FILTER,
      within: { type: 'string', description: 'a result id' },
    },
    required: ['query'],
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
  aliases: { q: 'query' },
  run: searchRecords,
}

async function searchRecords(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const query = text(args, 'query') ?? ''
  const within = text(args, 'within')
  const record = within === undefined ? null : referenceOf(within, text(args, 'connection_id'))
  const where = conditionsOf(args)
  const capabilities = await capabilitiesOf(client)
  assertFilters(where, capabilities)
  const windows = capabilities.has('search_windows')
  const inRecord = record !== null && capabilities.has('search_record')
  const { narrowing, notes: told } = await narrowingOf(args, client, ['since', 'until'])
  const parameters: QueryOf<typeof route> = {
    q: query,
    cursor: text(args, 'cursor'),
    streams: record && !inRecord ? [record.stream] : texts(args, 'streams'),
    connection_id: record ? record.connection_id : text(args, 'connection_id'),
    ...narrowing,
    where,
    window_chars: windows ? WINDOW_CHARS : undefined,
    windows: windows && !record ? 1 : undefined,
    view: capabilities.has('search_view') ? 'compact' : undefined,
    record: inRecord ? within : undefined,
  }
  const most = (hits: number) => Math.max(MOST_BYTES, hits * MOST_HIT_BYTES)
  const { limit, notes: lowered } = pageLimit(args, DEFAULT_LIMIT, MOST_LIMIT)
  const notes = [...lowered, ...told]
  const present = (data: JsonObject) => presented(args, data, record, client.provider.url, notes)
  const page = await fittingPage(limit, Math.max(MOST_STRUCTURED_BYTES, most(limit)), async limit => {
    const data = await client.get(route, {}, { ...parameters, limit })
    const wide = present(data)
    const rows = Array.isArray(data.data) ? data.data.length : 0
    const bytes = bytesOf(JSON.stringify(wide.structured))
    const narrower = async (window_chars: number) =>
      present(await client.get(route, {}, { ...parameters, limit, window_chars }))
    if (parameters.window_chars === undefined || bytes <= most(rows)) return { answer: wide, rows, bytes }
    const narrow = await narrower(fittingChars(wide, bytes - most(rows)))
    if (bytesOf(JSON.stringify(narrow.structured)) <= most(rows)) return { answer: narrow, rows }
    return { answer: await narrower(NARROW_WINDOW_CHARS), rows }
  })
  return withText(page, async shown => {
    const part = await client.get(route, {}, { ...parameters, limit: shown })
    const whole = Array.isArray(part.data) && part.data.length === shown
    return whole && typeof part.next_cursor === 'string' ? part.next_cursor : null
  })
}

/** The windows with which a page that is too large would fit. */
function fittingChars({ page }: Presented, tooMany: number): number {
  const texts = page.hits.map(({ evidence }) => evidence?.text ?? '')
  const chars = texts.reduce((sum, each) => sum + countCodePoints(each), 0)
  const ratio = bytesOf(JSON.stringify(texts)) / Math.max(1, chars)
  const less = Math.ceil(tooMany / ratio / Math.max(1, texts.length)) + 2
  return Math.max(NARROW_WINDOW_CHARS, WINDOW_CHARS - less)
}

interface Presented {
  page: SearchPage
  structured: JsonObject
}

/** Adds the text. Where it shows fewer hits than there are, its cursor continues after the last one shown. */
async function withText(
  { page, structured }: Presented,
  cursorAfter: (shown: number) => Promise<string | null>,
): Promise<ToolAnswer> {
  const { text, shown } = searchText(page)
  if (shown === page.hits.length) return { text, structured }
  const next_cursor = await cursorAfter(shown)
  return { text: searchText({ ...page, next_cursor, most: shown }).text, structured }
}

function presented(
  args: JsonObject,
  data: JsonObject,
  record: RecordReference | null,
  providerUrl: string,
  notes: readonly string[],
): Presented {
  const raw = Array.isArray(data.data) ? data.data : []
  const hits = raw
    .map((hit, index) => readHit(hit, index, String(args.query), providerUrl))
    .filter(({ reference }) => !record || (reference && isSame(reference, record)))
  const room = Math.max(MOST_HIT_BYTES, Math.floor(MOST_BYTES / Math.max(1, hits.length)))
  const shown = hits.map((hit, index) => presentHit(hit, index, room))
  return {
    page: {
      args,
      hits,
      next_cursor: typeof data.next_cursor === 'string' ? data.next_cursor : null,
      warnings: [...notes, ...warningsOf(data)],
    },
    structured: {
      results: shown.map(({ result }) => result),
      content_ladder: { records: shown.flatMap(({ rung }) => (rung ? [rung] : [])) },
      data: carried(data, raw),
    },
  }
}

/** The server's answer; what is too large for hosts is cut, and a warning says so. */
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

function warningsOf(data: JsonObject): string[] {
  const warnings = isObject(data.meta) && Array.isArray(data.meta.warnings) ? data.meta.warnings : []
  return warnings
    .slice(0, 3)
    .flatMap(warning => (isObject(warning) && typeof warning.message === 'string' ? [warning.message] : []))
}
