import { assertConnection, readableSources, type Source, sourcesOf } from '../../model/access/enforce.ts'
import { timeKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { parseResultId } from '../../model/ids/handle.ts'
import { isRecordUri, parseRecordUri } from '../../model/ids/record-uri.ts'
import type { Json } from '../../model/json.ts'
import { type SelectedSource, selectSources } from '../../model/reading/filter.ts'
import { project } from '../../model/reading/record.ts'
import { describeHit, shownByHit } from '../../model/search/search-hit.ts'
import { parseSearchQuery, type SearchQuery } from '../../model/search/search-query.ts'
import { TextReplaced } from '../../store/records/long-text.ts'
import { headOf } from '../../store/search/hit-head.ts'
import type { MatchPosition } from '../../store/search/in-record.ts'
import { searchedFields } from '../../store/search/indexing.ts'
import type { Snapshot } from '../../store/search/snapshot.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid, type Warning } from '../request/parameters.ts'
import { list, type Reply, writtenList } from '../request/responses.ts'
import { findOne, retried } from './find-record.ts'

const NO_WORDS: Warning = { code: 'no_words', message: 'q holds no word to search for.', param: 'q' }

/** Finds records by words and shows where each was found. */
export async function search(context: RequestContext): Promise<Reply> {
  const query = parseSearchQuery(context.parameters.required('q'))
  const record = context.parameters.text('record')
  return record === undefined ? searchAll(context, query) : retried(() => searchOne(context, query, record))
}

interface PageState {
  snapshot: Snapshot
  skip: number
}

async function searchAll(context: RequestContext, query: SearchQuery): Promise<Reply> {
  const { parameters, env, now, owner_id } = context
  const { limit, warnings } = parameters.limit(25, 100)
  const windows = bounded(context, 'windows', 3, 0, 3)
  const window_chars = bounded(context, 'window_chars', 200, 40, 500)
  const selected = selectedSources(context)
  const since = time(context, 'since')
  const until = time(context, 'until')
  const binding = bindingOf(context)
  const cursor = parameters.text('cursor')
  const state =
    cursor === undefined ? null : (env.cursors.openPage(cursor, binding, now) as unknown as PageState)
  const skip = state?.skip ?? 0
  const { hits, shown, more, snapshot } = await context.store.scanner.call('searchRecords', {
    owner_id,
    selected,
    query,
    since,
    until,
    snapshot: state?.snapshot ?? null,
    skip,
    limit,
    windows,
    window_chars,
    publicUrl: env.publicUrl,
  })
  context.disclose(shown)
  const next = { snapshot, skip: skip + limit }
  const page = more ? { next_cursor: env.cursors.sealPage(next as unknown as Json, binding, now) } : {}
  return writtenList(hits, page, {}, query.clues.length === 0 ? [...warnings, NO_WORDS] : warnings)
}

/** Every match inside one record, each as a hit with one window. */
async function searchOne(context: RequestContext, query: SearchQuery, id: string): Promise<Reply> {
  const { parameters, env, now, owner_id } = context
  for (const name of ['streams', 'since', 'until', 'windows']) {
    if (parameters.text(name) ?? parameters.all(name)) throw invalid(`${name} does not go with record.`, name)
  }
  if (parameters.conditions.length > 0) throw invalid('Filters do not go with record.', 'filter')
  const { limit, warnings } = parameters.limit(25, 100)
  const window_chars = bounded(context, 'window_chars', 200, 40, 500)
  const reference = isRecordUri(id) ? parseRecordUri(id) : parseResultId(id)
  assertOneConnection(reference.connection_id, parameters.text('connection_id'))
  const connection_id = reference.connection_id ?? parameters.text('connection_id')
  const sources = sourcesOf(context.access, context.catalog, reference.stream, connection_id)
  const { source, record, visible } = await findOne(context, sources, reference.record_id)
  const binding = bindingOf(context)
  const cursor = parameters.text('cursor')
  const after =
    cursor === undefined ? null : (env.cursors.openPage(cursor, binding, now) as unknown as MatchPosition)
  const projection = project(source, record, visible)
  const found = await context.store.scanner.call('matchesInRecord', {
    owner_id,
    projection,
    query,
    after,
    limit,
    window_chars,
  })
  if (!found) throw new TextReplaced()
  const head = await headOf(context.store.database, owner_id, projection)
  const data = found.windows.map(window => describeHit(env.publicUrl, source, head, [window]))
  context.disclose(found.windows.map(window => shownByHit(source, head, [window])))
  const page = found.next
    ? { next_cursor: env.cursors.sealPage(found.next as unknown as Json, binding, now) }
    : {}
  return list(data, page, {}, query.clues.length === 0 ? [...warnings, NO_WORDS] : warnings)
}

function searchedSources(context: RequestContext): Source[] {
  const { parameters, access, catalog } = context
  const connection_id = parameters.text('connection_id')
  const streams = parameters.all('streams')
  if (streams)
    return [...new Set(streams)].flatMap(stream => sourcesOf(access, catalog, stream, connection_id))
  const sources = readableSources(access, catalog)
  if (connection_id === undefined) return sources
  assertConnection(access, catalog, sources, connection_id)
  return sources.filter(source => source.connection_id === connection_id)
}

function selectedSources(context: RequestContext): SelectedSource[] {
  const { conditions } = context.parameters
  const sources = searchedSources(context)
  if (conditions.length > 0 && context.parameters.all('streams')?.length !== 1)
    throw invalid('A filter needs exactly one stream.', 'streams')
  const selected = selectSources(sources, conditions, context.isOwner)
  return selected.filter(({ source }) => searchedFields(source.stream).length > 0)
}

function bounded(
  { parameters }: RequestContext,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = parameters.integer(name) ?? fallback
  if (value < min || value > max) throw invalid(`${name} is a whole number from ${min} to ${max}.`, name)
  return value
}

function time({ parameters }: RequestContext, name: string): string | null {
  const text = parameters.text(name)
  if (text === undefined) return null
  const key = timeKey(text)
  if (!key) throw invalid(`${name} is a date or a date-time with zone.`, name)
  return key
}

function bindingOf(context: RequestContext): string {
  const { parameters } = context
  const names = ['q', 'connection_id', 'since', 'until', 'record']
  const values = names.map(name => parameters.text(name) ?? null)
  return JSON.stringify([
    context.route,
    context.accessName,
    values,
    parameters.all('streams') ?? [],
    parameters.conditions,
  ])
}

/** An id that names a connection and a parameter that names another cannot both be meant (ID-6). */
function assertOneConnection(embedded: string | null, asked: string | undefined): void {
  if (embedded === null || asked === undefined || embedded === asked) return
  throw new CodedError(
    'conflicting_connection_id',
    `The id names connection ${embedded}, connection_id names ${asked}. Leave connection_id out.`,
    { param: 'connection_id' },
  )
}
