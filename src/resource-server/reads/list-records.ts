import { type Source, visibleFields } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { changeSeen } from '../../model/reading/changes.ts'
import { selectSources } from '../../model/reading/filter.ts'
import { project, type StoredRecord } from '../../model/reading/record.ts'
import { LONG_TEXT_CHARS } from '../../model/text/pieces.ts'
import { TextReplaced } from '../../store/records/long-text.ts'
import { changeSeq } from '../../store/records/owners.ts'
import {
  type ChangePosition,
  changedRecords,
  type Position,
  positionOf,
} from '../../store/records/records.ts'
import { type PageArgs, readPage, type Selection } from '../../store/records/scan.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { list, type Reply } from '../request/responses.ts'
import { presentCut } from './present.ts'
import { askedFields, maxFieldChars } from './read-record.ts'

const DEFAULT_LIMIT = 25
const MAX_LIMIT = 100

export async function listRecords(context: RequestContext): Promise<Reply> {
  const since = context.parameters.text('changes_since')
  return since === undefined ? listPage(context) : listChanges(context, since)
}

async function listPage(context: RequestContext): Promise<Reply> {
  const { parameters } = context
  const sources = context.sources()
  const selection = select(context, sources)
  const { limit, warnings } = parameters.limit(DEFAULT_LIMIT, MAX_LIMIT)
  const order = parameters.oneOf('order', ['asc', 'desc']) ?? 'desc'
  const binding = bindingOf(context, 'page', order)
  const cursor = parameters.text('cursor')
  const after =
    cursor === undefined
      ? null
      : (context.env.cursors.openPage(cursor, binding, context.now) as unknown as Position)
  const rows = await pageRows(context, { selection, order, after, limit })
  const visible = rows
    .slice(0, limit)
    .map(row => ({ source: selection.parts[row.part]?.source as Source, record: row.record }))
  const data = await showRecords(context, sources, visible)
  const last = visible.at(-1)
  const more = rows.length > limit && last
  const next_cursor = more
    ? context.env.cursors.sealPage(
        positionOf(last.source, last.record) as unknown as Json,
        binding,
        context.now,
      )
    : undefined
  const counted = parameters.oneOf('count', ['exact'])
    ? { count: await context.store.scanner.call('countRecords', selection) }
    : {}
  return list(data, next_cursor === undefined ? {} : { next_cursor }, counted, warnings)
}

export function select(context: RequestContext, sources: Source[]): Selection {
  const parts = selectSources(sources, context.parameters.conditions, context.isOwner)
  return { owner_id: context.owner_id, parts }
}

const MOST_IDS_AT_HAND = 200

/** A page that the index serves is read here; one that may have to look at many records is read in a worker. */
function pageRows(context: RequestContext, args: PageArgs) {
  const direct = args.selection.parts.every(
    ({ source, conditions }) =>
      conditions.length === 0 &&
      source.clauses.length === 1 &&
      (source.clauses[0]?.record_ids?.size ?? 0) <= MOST_IDS_AT_HAND,
  )
  return direct ? readPage(context.store.database, args) : context.store.scanner.call('readPage', args)
}

async function showRecords(
  context: RequestContext,
  sources: Source[],
  found: { source: Source; record: StoredRecord }[],
): Promise<Json[]> {
  const asked = askedFields(context, sources)
  const maxChars = maxFieldChars(context, LONG_TEXT_CHARS) ?? LONG_TEXT_CHARS
  const shown: Shown[] = []
  const data: Json[] = []
  for (const { source, record } of found) {
    const visible = visibleFields(source, record)
    if (visible === undefined) continue
    try {
      const presented = await presentCut(context, project(source, record, visible, asked), record, maxChars)
      data.push(presented.body)
      shown.push(presented.shown)
    } catch (error) {
      // The record was replaced between the page and its text; it is on a later page or in the next read.
      if (!(error instanceof TextReplaced)) throw error
    }
  }
  context.disclose(grouped(shown))
  return data
}

/** Records that showed the same fields in full are noted together. */
function grouped(shown: Shown[]): Shown[] {
  const groups = new Map<string, Shown>()
  for (const entry of shown) {
    const ranges = entry.ranges ? JSON.stringify(entry.ranges) : ''
    const key = `${entry.connection_id}\n${entry.stream}\n${entry.fields.join('\n')}\n${ranges}`
    const group = groups.get(key)
    if (group) group.record_ids.push(...entry.record_ids)
    else groups.set(key, entry)
  }
  return [...groups.values()]
}

interface ChangesState {
  since: number
  horizon: number
  after: ChangePosition | null
}

async function listChanges(context: RequestContext, mark: string): Promise<Reply> {
  const { parameters, now, store } = context
  for (const name of ['order', 'count']) {
    if (parameters.text(name) !== undefined) throw invalid(`${name} does not go with changes_since.`, name)
  }
  if (parameters.conditions.length > 0) throw invalid('Filters do not go with changes_since.', 'filter')
  const sources = context.sources()
  const { limit, warnings } = parameters.limit(DEFAULT_LIMIT, MAX_LIMIT)
  const binding = bindingOf(context, 'changes', '')
  const state = await changesState(context, mark, binding)
  const found: { source: Source; record: StoredRecord }[] = []
  const tombstones = new Set<StoredRecord>()
  let { after } = state
  let position = after
  let more = false
  for (let exhausted = false; !more && !exhausted; ) {
    const records = await changedRecords(store.database, {
      owner_id: context.owner_id,
      sources,
      since: state.since,
      after: position,
      limit: limit + 1,
    })
    exhausted = records.length <= limit
    for (const record of records) {
      position = { record_key: recordKey(record.record_id), connection_id: record.connection_id }
      const source = sources.find(candidate => candidate.connection_id === record.connection_id)
      const change = source && changeSeen(source, record, state.since)
      if (!source || !change || change.seq > state.horizon) continue
      more = found.length === limit
      if (more) break
      after = position
      found.push({ source, record })
      if (change.kind === 'tombstone') tombstones.add(record)
    }
  }
  const live = await showRecords(
    context,
    sources,
    found.filter(({ record }) => !tombstones.has(record)),
  )
  const byKey = new Map(live.map(body => [keyOf(body as Record<string, Json>), body]))
  const data = found.flatMap(({ source, record }) => {
    const identity = { id: record.record_id, stream: source.stream.name, connection_id: source.connection_id }
    if (tombstones.has(record)) return [{ object: 'record', ...identity, deleted: true }]
    const body = byKey.get(keyOf(identity))
    return body ? [body] : []
  })
  const page = !more
    ? { next_changes_since: context.env.cursors.sealPage(state.horizon, `${binding} mark`, now) }
    : { next_cursor: context.env.cursors.sealPage({ ...state, after } as unknown as Json, binding, now) }
  return list(data, page, {}, warnings)
}

function keyOf(body: Record<string, Json>): string {
  return `${body.connection_id as string}/${body.id as string}`
}

async function changesState(context: RequestContext, mark: string, binding: string): Promise<ChangesState> {
  const { env, now, store, parameters } = context
  const cursor = parameters.text('cursor')
  if (cursor !== undefined) return env.cursors.openPage(cursor, binding, now) as unknown as ChangesState
  const since =
    mark === 'beginning'
      ? 0
      : (env.cursors.openMark(mark, `${binding} mark`, now, env.changesTtlSeconds) as number)
  const horizon = await changeSeq(store.database, context.owner_id)
  if (since > horizon)
    throw new CodedError('cursor_expired', 'The data was replaced. Start again from the beginning.')
  return { since, horizon, after: null }
}

/** What a page cursor is bound to: route, scope, filter and order. */
function bindingOf(context: RequestContext, kind: string, order: string): string {
  return JSON.stringify([
    context.route,
    kind,
    context.accessName,
    context.path.stream,
    context.parameters.text('connection_id') ?? null,
    order,
    context.parameters.conditions,
  ])
}
