import type { Warning } from '../../api/parameter.ts'
import type { ReplyOf } from '../../api/route.ts'
import * as api from '../../api/search.ts'
import { noSuchStream, type Source } from '../../model/access/enforce.ts'
import { conversationFields } from '../../model/declaration/conversation.ts'
import {
  type ConversationDeclaration,
  searchedFields,
  timeField,
} from '../../model/declaration/declaration.ts'
import { parseFieldPath } from '../../model/declaration/field-path.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'
import { referenceOf } from '../../model/ids/handle.ts'
import { decidingFields, type SelectedSource } from '../../model/reading/filter.ts'
import { project } from '../../model/reading/record.ts'
import { askedListing, timesIn, withKnownTimes } from '../../model/search/query-dates.ts'
import {
  isListing,
  parseSearchQuery,
  requiredClues,
  type SearchQuery,
} from '../../model/search/search-query.ts'
import { UNBOUNDED } from '../../model/time-bounds.ts'
import { SEARCH_ALLOWANCE } from '../../store/budget/budget.ts'
import type { TimePosition } from '../../store/records/by-time.ts'
import { TextReplaced } from '../../store/records/long-text.ts'
import { isTimed } from '../../store/records/records.ts'
import { sourcesNamed } from '../../store/search/finding/named-sources.ts'
import { headOf } from '../../store/search/hits.ts'
import type { MatchPosition } from '../../store/search/matches-in-record.ts'
import { type PackedSnapshot, packSnapshot, unpackSnapshot } from '../../store/search/snapshot.ts'
import { type RequestContext, serve } from '../request/context.ts'
import type { Reply } from '../request/responses.ts'
import { openConversation } from './declared-conversation.ts'
import { timed } from './list-records.ts'
import { byOperators } from './listed-search.ts'
import { readFrom } from './read-record.ts'
import { describeHit, meaningPart, NOT_COUNTED, searchedTime, shownByHit, totals } from './search-reply.ts'
import {
  calendarOf,
  listed,
  narrowingOf,
  noteCorrections,
  noteForeign,
  noteRebuilding,
  openTexts,
  select,
  spellingSources,
  timeWarnings,
} from './selection.ts'

const NO_WORDS: Warning = {
  code: 'no_words',
  message: 'The query contains no word to search for.',
  param: 'q',
}

const NOTHING_EXCLUDED: Warning = {
  code: 'exclusions_ignored',
  message: 'Words with a minus have no effect beside operators alone. Add a word to search for.',
  param: 'q',
}

const CHOSEN = 'Operators select records, so they have no effect inside one record.'
const OPERATORS_LEFT_OUT: Warning = { code: 'operators_ignored', message: CHOSEN, param: 'q' }

const NO_PHRASE = 'No record contains the quoted phrase. Its words were searched for instead.'
const NOT_TOGETHER =
  'No record contains the quoted phrase and all other words. The words of the phrase were searched for instead.'
const SENTENCE = 'The whole query is in quotation marks. Its words were searched for, not the exact sentence.'
const PHRASE_AS_WORDS = { code: 'phrase_as_words', param: 'q' }

type SearchContext = RequestContext<typeof api.search>
type Found = ReplyOf<typeof api.search>

/** Finds records by words and shows where each matched. */
export const search = serve(api.search, async context => {
  if (context.parameters.explain && !context.isOwner)
    throw new CodedError('owner_token_required', 'Only the owner can use explain.', { param: 'explain' })
  const query = parseSearchQuery(context.parameters.q, context.env.searchWithout)
  if (query.clues.length === 0 && !isListing(query)) context.warnings.push(NO_WORDS)
  if (query.quoted) context.warnings.push({ ...PHRASE_AS_WORDS, message: SENTENCE })
  noteForeign(context, query)
  const { record } = context.parameters
  return record === undefined ? searchAll(context, query) : searchOne(context, query, record)
})

/** The sources of a stream. For the owner, a stream that does not exist has none (PC-99); a client is refused. */
function namedSources(context: SearchContext, stream: string): Source[] {
  const { parameters } = context
  if (!context.isOwner) return context.sources(stream, parameters)
  const all = context.sources(undefined, {})
  const named = all.filter(source => source.stream.name === stream)
  if (named.length === 0)
    context.warnings.push({ code: 'stream_unknown', message: noSuchStream(stream, all), param: 'streams' })
  const within = new Set(context.sources(undefined, parameters))
  return named.filter(source => within.has(source))
}

/** How many hits came before the page or, by time, the last of them; and what the first page saw. */
type PageState = [before: number | TimePosition, ...PackedSnapshot]

/** What a query means beyond its words: the times and sources that it names, and whether it asks for a list. */
function meantBy({ parameters, now }: SearchContext, asked: SearchQuery, sources: Source[]) {
  const named = asked.without.includes('dates')
    ? []
    : timesIn(parameters.q, calendarOf(parameters.time_zone, now))
  const query = withKnownTimes(asked, named)
  const found = asked.without.includes('sources') ? [] : sourcesNamed(query.clues, sources)
  const kinds = found.length > 0 ? sources.filter((_, i) => found.some(kind => kind.sources.has(i))) : null
  const naming = new Set(found.flatMap(({ keys }) => keys))
  const listing = (kinds ?? sources).some(isTimed) ? askedListing(query, named, naming) : null
  return { query, named, kinds, listing }
}

/** The fields that decide a search: of conversations, texts and conditions, and the time if it counts. */
function noteDeciding(
  context: SearchContext,
  selected: readonly SelectedSource[],
  conversations: readonly (ConversationDeclaration | null)[],
  isByTime: boolean,
): void {
  for (const [index, { source, conditions }] of selected.entries()) {
    const conversation = conversations[index]
    if (conversation) context.decideBy(source, conversationFields(conversation))
    const time = isByTime ? timeField(source.stream) : undefined
    const filtered = decidingFields(conditions)
    context.decideBy(source, [...openTexts(source), ...filtered, ...(time === undefined ? [] : [time])])
  }
}

/** How much a hit of the compact view shows of a text in which the query was not found. */
const BEGINNING_CHARS = 120

async function searchAll(context: SearchContext, asked: SearchQuery): Promise<Reply<Found>> {
  const { page, parameters, owner_id } = context
  const { windows, places, window_chars, streams, where, sort } = parameters
  if (where.length > 0 && streams?.length !== 1)
    throw invalidRequest('where needs exactly one stream.', 'streams')
  const sources = streams
    ? streams.flatMap(stream => namedSources(context, stream))
    : context.sources(undefined, parameters)
  const { query, named, kinds, listing } = meantBy(context, asked, sources)
  const narrowing = narrowingOf(context, [...query.operators, ...(listing?.operators ?? [])])
  const { requests, bounds, since, until } = narrowing
  if (listing || isListing(query)) {
    if (listing) context.warnings.push(listed(listing, kinds))
    if (query.excluded.length > 0) context.warnings.push(NOTHING_EXCLUDED)
    const meant = listing && kinds ? kinds : sources
    return byOperators(context, select(context, meant, where, narrowing), narrowing)
  }
  const isSorted = sort !== 'relevance'
  const chosen = select(context, sources, where, { requests, bounds: UNBOUNDED })
  const { parts } = isSorted ? timed(context, chosen) : chosen
  const selected = parts.filter(({ source }) => searchedFields(source.stream).length > 0)
  const readable = spellingSources(context, sources, query)
  const times = isSorted ? [] : named
  const conversations = selected.map(({ source }) =>
    isSorted ? null : openConversation(context.catalog, source),
  )
  const isByTime = isSorted || times.length > 0 || since !== undefined || until !== undefined
  noteDeciding(context, selected, conversations, isByTime)
  await noteRebuilding(context, { owner_id, parts: selected })
  const state = await page.open<PageState>()
  const [before, ...packed] = state ?? [0]
  const seen = state && unpackSnapshot(packed as PackedSnapshot)
  const [skip, after] = typeof before === 'number' ? [before, null] : [0, before]
  const { limit } = page
  const isRanked = !isSorted && !query.without.includes('meaning') && seen?.vectors !== null
  const meaning = (isRanked && (await context.env.meaning?.ask(query.text))) || null
  const { hits, more, snapshot, truncated, counted, corrections, compared, last } = await context.scan(
    'searchRecords',
    {
      owner_id,
      selected,
      conversations,
      times,
      meaning: meaning && 'vector' in meaning ? meaning.vector : null,
      query,
      readable,
      bounds,
      snapshot: seen,
      by_time: isSorted ? { order: sort === 'oldest' ? 'asc' : 'desc', after } : null,
      skip,
      limit,
      varied: parameters.varied === 'true' && !isSorted,
      windows,
      places,
      window_chars,
      text_chars: parameters.view === 'compact' ? Math.min(window_chars, BEGINNING_CHARS) : 0,
    },
    context.env.searchAllowance ?? SEARCH_ALLOWANCE,
  )
  context.env.searched?.(truncated)
  const isTogether = isSorted && requiredClues(query.clues).some(({ kind }) => kind !== 'phrase')
  if (snapshot.as_words)
    context.warnings.push({ ...PHRASE_AS_WORDS, message: isTogether ? NOT_TOGETHER : NO_PHRASE })
  // Without a source nothing was searched that could tell which words exist.
  if (sources.length > 0) noteCorrections(context, corrections)
  if (skip === 0 && (since ?? until) === undefined) context.warnings.push(...timeWarnings(times, hits))
  const seal = (before: PageState[0]) => page.seal([before, ...packSnapshot(snapshot)] satisfies PageState)
  const afterEach = () => {
    const places = hits.map(({ before }, index) => (more || index + 1 < hits.length ? before + 1 : null))
    return { cursors: places.map(place => (place === null ? null : seal(skip + place))) }
  }
  const found = hits.map(hit => ({ ...hit, source: (selected[hit.source] as SelectedSource).source }))
  context.disclose(found.map(hit => shownByHit(hit.source, hit.head, hit)))
  return context.list(
    found.map(hit => describeHit(context, hit.source, hit.head, hit)),
    more ? { next_cursor: seal(isSorted && last ? last : skip + limit) } : {},
    {
      ...totals(counted, truncated),
      ...searchedTime(narrowing),
      ...meaningPart(meaning, compared),
      ...(parameters.cursors && !isSorted && afterEach()),
    },
  )
}

/** Every match inside one record, each as a hit with one window. */
async function searchOne(context: SearchContext, query: SearchQuery, id: string): Promise<Reply<Found>> {
  const { page, parameters, owner_id } = context
  const { window_chars } = parameters
  if ((parameters.connection_id?.length ?? 0) > 1)
    throw invalidRequest('record accepts one connection_id.', 'connection_id')
  if (query.operators.length > 0) context.warnings.push(OPERATORS_LEFT_OUT)
  const { connection_id, stream, record_id } = referenceOf(id, parameters.connection_id?.[0])
  const sources = context.sources(stream, connection_id ?? undefined)
  const readable = spellingSources(context, context.sources(undefined, parameters), query)
  const at = await page.open<[text: number, start_chars: number, as_words: 0 | 1, below: number]>()
  const after: MatchPosition | null = at && { text: at[0], start_chars: at[1] }
  const read = await readFrom(context, sources, record_id, async ({ source, record, visible }) => {
    context.decideBy(
      source,
      openTexts(source).filter(field => visible === null || visible.has(field)),
      [record.record_id],
    )
    const as_words = at?.[2] === 1
    const seen = at && { below: at[3] }
    const { limit } = page
    const place = { owner_id, source, record, visible }
    const args = { ...place, query, readable, after, as_words, seen, limit, window_chars }
    const found = await context.scan('matchesInRecord', args, context.env.searchAllowance ?? SEARCH_ALLOWANCE)
    if (!found) throw new TextReplaced()
    const projection = project(source, record, visible)
    return { ...found, source, head: await headOf(context.store.database, owner_id, projection) }
  })
  const { source, head, windows, next, truncated, as_words, seen, corrections } = read
  if (as_words) context.warnings.push({ ...PHRASE_AS_WORDS, message: NO_PHRASE })
  noteCorrections(context, corrections)
  const proofs = windows.map(window => ({
    windows: [window],
    matched_fields: [parseFieldPath(window.field_path).field],
  }))
  context.disclose(proofs.map(proof => shownByHit(source, head, proof)))
  return context.list(
    proofs.map(proof => describeHit(context, source, head, proof)),
    next ? { next_cursor: page.seal([next.text, next.start_chars, as_words ? 1 : 0, seen.below]) } : {},
    totals(NOT_COUNTED, truncated),
  )
}
