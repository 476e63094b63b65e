import type { QueryOf } from '../../api/route.ts'
import { search as route } from '../../api/search.ts'
import { CodedError } from '../../model/errors.ts'
import { referenceOf } from '../../model/ids/handle.ts'
import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import { requiredParts } from '../../model/search/required-parts.ts'
import { MAX_SEARCH_CHARS, parseSearchQuery } from '../../model/search/search-query.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import type { Bounds } from '../../model/time-bounds.ts'
import { pageLimit, text, texts } from '../arguments.ts'
import { amountBounds } from '../asked/amount-bounds.ts'
import { amountCalls } from '../asked/amounts.ts'
import { askedCounts } from '../asked/count-calls.ts'
import { personOverview } from '../asked/person-overview.ts'
import { inAskedOrder } from '../asked/reread.ts'
import { matchText } from '../nothing-found/counts.ts'
import { type Nothing, nothingContent, whyNothing } from '../nothing-found/nothing-found.ts'
import type { Sought } from '../nothing-found/sought.ts'
import { isRefusal } from '../reading/every-stream.ts'
import { MOST_PLACES } from '../reading/hit.ts'
import { assertFilters, boundsIn, conditionsOf, narrowingOf } from '../reading/narrowing.ts'
import { roleValues, togetherNote, withoutTimes } from '../reading/operators.ts'
import { ProviderError } from '../reading/provider-error.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { fittingPage, MOST_STRUCTURED_BYTES, writtenBytes } from '../rendering/fitting-page.ts'
import { MOST_HIT_BYTES, WINDOW_CHARS } from '../rendering/present-hit.ts'
import {
  MOST_SEARCH_BYTES,
  type PresentedSearch,
  presentSearch,
  type Searched,
} from '../rendering/present-search.ts'
import { searchText } from '../rendering/search-text.ts'
import { answer, each, exactly, FILTER, HITS, LADDER, NARROWING, REMARKS, TEXT, TEXTS } from '../schemas.ts'
import { bytesOf } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const DEFAULT_LIMIT = 10
const MOST_LIMIT = 25
/** The narrowest windows, which are requested if a page is too large with windows of the usual size. */
const NARROW_WINDOW_CHARS = 40

export const search: Tool = {
  name: 'search',
  title: 'Search records',
  description:
    'Search the e-mails, chats, messages, notes and documents of the owner: who said what, when and where. Accepts words, "phrases", prefix*, -word, a whole question, from:me (what the owner wrote), from: to: with: in: on: before: after: has:attachment type:pdf. Each hit has an id and the matched field, range and text. Continue with the call shown, or fetch the id. `within` lists every match in one record.',
  hint: 'find mail, conversation, person; when did, what did I say',
  isFirst: true,
  input: {
    type: 'object',
    properties: {
      query: { type: 'string', maxLength: MAX_SEARCH_CHARS },
      limit: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT, description: `at most ${MOST_LIMIT}` },
      cursor: TEXT,
      streams: TEXTS,
      sort: route.parameters.sort.schema,
      ...NARROWING,
      filter: FILTER,
      within: { type: 'string', description: 'a result id' },
    },
    required: ['query'],
    additionalProperties: false,
  },
  output: exactly(
    { results: HITS, ...REMARKS, content_ladder: LADDER, data: answer(each({}, 'data', 'next_cursor')) },
    ['results', 'content_ladder', 'data'],
  ),
  aliases: { q: 'query', stream: 'streams', order: 'sort' },
  run: searchRecords,
}

async function searchRecords(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const reread = await inAskedOrder(args, client)
  if (!reread) return searchAs(args, client)
  const again = () => searchAs(reread.args, client, [reread.told], args)
  // A cursor belongs to one of the two.
  if (args.cursor !== undefined)
    return searchAs(args, client).catch(error => {
      if (error instanceof ProviderError && error.code === 'invalid_cursor') return again()
      throw error
    })
  // Without hits, or without the fields for it, the query may have meant something else.
  const answer = await again().catch(error => {
    if (!isRefusal(error)) throw error
    return null
  })
  if (answer && hasHits(answer)) return answer
  return searchAs(args, client, [reread.missed, ...(answer ? nearestIn(answer) : [])])
}

/** When the records before and after a time without any are. */
function nearestIn({ structured: { nothing_found } }: ToolAnswer): string[] {
  const reasons = isObject(nothing_found) && Array.isArray(nothing_found.reasons) ? nothing_found.reasons : []
  return reasons.map(String).filter(reason => reason.startsWith('The nearest '))
}

function hasHits({ structured: { results } }: ToolAnswer): boolean {
  return Array.isArray(results) && results.length > 0
}

async function searchAs(
  args: JsonObject,
  client: ResourceServerClient,
  instead: readonly string[] = [],
  /** The arguments that the client gave, if they were read as these. */
  written?: JsonObject,
): Promise<ToolAnswer> {
  const query = text(args, 'query') ?? ''
  const within = text(args, 'within')
  const record = within === undefined ? null : referenceOf(within, onlyConnection(args))
  const where = conditionsOf(args)
  const capabilities = await capabilitiesOf(client)
  assertFilters(where, capabilities)
  if (where.length > 0 && texts(args, 'streams')?.length !== 1)
    throw new CodedError('invalid_request', 'filter needs exactly one stream: name it in streams.', {
      param: 'streams',
    })
  const sort = sortOf(args, capabilities)
  const windows = capabilities.has('search_windows')
  const inRecord = record !== null && capabilities.has('search_record')
  const { narrowing, zone } = await narrowingOf(args, client, ['since', 'until'])
  const parameters: QueryOf<typeof route> = {
    q: query,
    cursor: text(args, 'cursor'),
    streams: record && !inRecord ? [record.stream] : texts(args, 'streams'),
    sort,
    // Days in the query itself are in this zone.
    time_zone: capabilities.has('operators') ? zone.name : undefined,
    ...narrowing,
    ...(record ? { connection_id: record.connection_id } : {}),
    where,
    window_chars: windows ? WINDOW_CHARS : undefined,
    windows: windows && !record ? 1 : undefined,
    places: capabilities.has('search_places') && !record ? MOST_PLACES : undefined,
    view: capabilities.has('search_view') ? 'compact' : undefined,
    cursors: capabilities.has('search_cursors') && !record ? 'true' : undefined,
    varied: capabilities.has('search_varied') && !record ? 'true' : undefined,
    record: inRecord ? within : undefined,
  }
  const most = (hits: number) => Math.max(MOST_SEARCH_BYTES, hits * MOST_HIT_BYTES)
  const { limit, notes } = pageLimit(args, DEFAULT_LIMIT, MOST_LIMIT)
  const together = record === null && isByTime(sort) ? requiredParts(query) : []
  const searched: Searched = {
    args,
    record,
    providerUrl: client.provider.url,
    narrowing,
    zone,
    isReread: written !== undefined,
    instead,
    notes: together.length >= WORDS_OF_A_QUESTION ? [...notes, togetherNote('Listed', together)] : notes,
  }
  const isFirst = !record && parameters.cursor === undefined
  const adviceBeside = async ({ data }: JsonObject) => {
    if (!isFirst) return []
    const asking = { args, narrowing, zone }
    const hits = objectsIn(data)
    const streams = new Set(hits.map(({ stream }) => String(stream)))
    const count = await askedCounts(client, { ...asking, args: written ?? args })
    if (count && count.records > 0) return [count.line]
    const overview = await personOverview(client, asking, hits)
    const listed = await amountBounds(client, asking)
    const sums = listed.length > 0 ? [] : await amountCalls(client, asking, streams)
    const advice = [...listed, ...sums, ...overview]
    return advice.length === 0 && count ? [count.line] : advice
  }
  let advice: readonly string[] | undefined
  const page = await fittingPage(limit, Math.max(MOST_STRUCTURED_BYTES, most(limit)), async limit => {
    const data = await client.get(route, {}, { ...parameters, limit })
    advice ??= await adviceBeside(data)
    const wide = presentSearch(data, searched, advice)
    const rows = Array.isArray(data.data) ? data.data.length : 0
    const bytes = writtenBytes(wide.structured)
    const told = advice
    const narrower = async (window_chars: number) =>
      presentSearch(await client.get(route, {}, { ...parameters, limit, window_chars }), searched, told)
    if (parameters.window_chars === undefined || bytes <= most(rows)) return { answer: wide, rows, bytes }
    const narrow = await narrower(fittingChars(wide, bytes - most(rows)))
    if (writtenBytes(narrow.structured) <= most(rows)) return { answer: narrow, rows }
    return { answer: await narrower(NARROW_WINDOW_CHARS), rows }
  })
  if (page.page.hits.length === 0 && page.page.next_cursor === null && isFirst) {
    const nothing = await whyNothing(client, soughtOf(client, parameters, searched, page))
    if (nothing) return withNothing(page, nothing)
  }
  return withText(page, async shown => {
    const known = page.cursors[shown - 1]
    if (typeof known === 'string') return known
    const part = await client.get(route, {}, { ...parameters, limit: shown })
    const whole = Array.isArray(part.data) && part.data.length === shown
    return whole && typeof part.next_cursor === 'string' ? part.next_cursor : null
  })
}

/** A query with fewer words is hardly a question, of which some words only ask. */
const WORDS_OF_A_QUESTION = 3

function isByTime(sort: string | undefined): boolean {
  return sort !== undefined && sort !== 'relevance'
}

/** What the search asked for, part by part. */
function soughtOf(
  client: ResourceServerClient,
  parameters: QueryOf<typeof route>,
  { narrowing, zone, args }: Searched,
  { page: { listed }, structured }: PresentedSearch,
): Sought {
  const query = text(args, 'query') ?? ''
  const { operators, clues } = parseSearchQuery(query)
  const named = roleValues(operators)
  const understood = isObject(structured.understood) ? (structured.understood as Bounds) : narrowing
  return {
    narrowing: { ...narrowing, ...named, ...boundsIn(understood, zone, true) },
    streams: listed?.streams ?? texts(args, 'streams'),
    where: conditionsOf(args),
    words: clues.length > 0 && !listed,
    together: isByTime(text(args, 'sort')) ? requiredParts(query) : [],
    byTime: parameters.sort !== undefined || (understood.since ?? understood.until) !== undefined,
    zone,
    async anyTime() {
      const q = listed ? '' : withoutTimes(query)
      if (q === '') return null
      const unbound = { ...parameters, q, since: undefined, until: undefined, limit: 1 }
      const { data, meta } = await client.get(route, {}, unbound)
      if (!Array.isArray(data) || data.length === 0) return matchText(0)
      const count = isObject(meta) && typeof meta.count === 'number' ? meta.count : 0
      return count > 0 ? matchText(count) : 'records match'
    },
  }
}

function withNothing({ page, structured }: PresentedSearch, nothing: Nothing): ToolAnswer {
  const { text } = searchText({ ...page, nothing })
  return { text, structured: { ...structured, ...nothingContent(nothing) } }
}

/** The connection given with an id, which names one record. */
function onlyConnection(args: JsonObject): string | undefined {
  const [first, ...others] = texts(args, 'connection_id') ?? []
  if (others.length === 0) return first
  throw new CodedError('invalid_request', 'within accepts one connection_id.', { param: 'connection_id' })
}

function sortOf(args: JsonObject, capabilities: ReadonlySet<string>): string | undefined {
  const sort = text(args, 'sort')
  if (sort === undefined || capabilities.has('search_sort')) return sort
  const message = 'This resource server does not support sort here. Repeat the call without it.'
  throw new CodedError('invalid_request', message, { param: 'sort' })
}

/** The window size with which a page that is too large would fit. */
function fittingChars({ page }: PresentedSearch, tooMany: number): number {
  const texts = page.hits.map(({ evidence }) => evidence?.text ?? '')
  const chars = texts.reduce((sum, each) => sum + countCodePoints(each), 0)
  const ratio = bytesOf(JSON.stringify(texts)) / Math.max(1, chars)
  const less = Math.ceil(tooMany / ratio / Math.max(1, texts.length)) + 2
  return Math.max(NARROW_WINDOW_CHARS, WINDOW_CHARS - less)
}

/** Adds the text. If it shows fewer hits than there are, its cursor continues after the last one shown. */
async function withText(
  { page, structured }: PresentedSearch,
  cursorAfter: (shown: number) => Promise<string | null>,
): Promise<ToolAnswer> {
  const { text, shown } = searchText(page)
  if (shown === page.hits.length) return { text, structured }
  const next_cursor = await cursorAfter(shown)
  return { text: searchText({ ...page, next_cursor, most: shown }).text, structured }
}
