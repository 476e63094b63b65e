import type { List } from '../../api/list.ts'
import type { RecordBody, Tombstone } from '../../api/records.ts'
import * as api from '../../api/records.ts'
import { type Source, visibleFields } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { changeSeen } from '../../model/reading/changes.ts'
import { type Condition, selectSources } from '../../model/reading/filter.ts'
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
import { bindingOf } from '../request/page.ts'
import type { Reply } from '../request/responses.ts'
import { serve } from '../request/serve.ts'
import { presentCut } from './present.ts'
import { askedFields } from './read-record.ts'

type ListContext = RequestContext<typeof api.listRecords>

export const listRecords = serve(api.listRecords, async context => {
  const { changes_since } = context.parameters
  return changes_since === undefined ? listPage(context) : listChanges(context, changes_since)
})

async function listPage(context: ListContext): Promise<Reply<List<RecordBody>>> {
  const { page, parameters } = context
  const { order, filter, count } = parameters
  const sources = context.sources(context.path.stream, parameters.connection_id)
  const selection = select(context, sources, filter)
  const read = await pageRows(context, { selection, order, after: page.open<Position>(), limit: page.limit })
  const found = read.map(row => ({ source: selection.parts[row.part]?.source as Source, record: row.record }))
  const { rows, ...end } = page.cut(found, last => positionOf(last.source, last.record))
  const data = await showRecords(context, sources, rows)
  const counted = count ? { count: await context.store.scanner.call('countRecords', selection) } : {}
  return context.list(data, end, counted)
}

export function select(
  { isOwner, owner_id }: RequestContext,
  sources: Source[],
  conditions: readonly Condition[],
): Selection {
  return { owner_id, parts: selectSources(sources, conditions, isOwner) }
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

async function showRecords(context: ListContext, sources: Source[], found: Found[]): Promise<RecordBody[]> {
  const { fields, max_field_chars = LONG_TEXT_CHARS } = context.parameters
  const asked = askedFields(context, sources, fields)
  const shown: Shown[] = []
  const data: RecordBody[] = []
  for (const { source, record } of found) {
    const visible = visibleFields(source, record)
    if (visible === undefined) continue
    try {
      const projection = project(source, record, visible, asked)
      const presented = await presentCut(context, projection, record, max_field_chars)
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

interface Found {
  source: Source
  record: StoredRecord
}

interface ChangesState {
  since: number
  horizon: number
  after: ChangePosition | null
}

async function listChanges(context: ListContext, mark: string): Promise<Reply<List<RecordBody | Tombstone>>> {
  const { page, store } = context
  const { limit } = page
  const sources = context.sources(context.path.stream, context.parameters.connection_id)
  const state = page.open<ChangesState>() ?? (await firstChanges(context, mark))
  const found: Found[] = []
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
  const byKey = new Map(live.map(body => [keyOf(body), body]))
  const data = found.flatMap(({ source, record }): (RecordBody | Tombstone)[] => {
    const identity = { id: record.record_id, stream: source.stream.name, connection_id: source.connection_id }
    if (tombstones.has(record)) return [{ object: 'record', ...identity, deleted: true }]
    const body = byKey.get(keyOf(identity))
    return body ? [body] : []
  })
  if (more) return context.list(data, { next_cursor: page.seal({ ...state, after }) })
  const { cursors } = context.env
  const next = cursors.sealPage(state.horizon, bindingOf(context, 'changes_since'), context.now)
  return context.list(data, { next_changes_since: next })
}

function keyOf({ connection_id, id }: { connection_id: string; id: string }): string {
  return `${connection_id}/${id}`
}

async function firstChanges(context: ListContext, mark: string): Promise<ChangesState> {
  const { env, now, store, owner_id } = context
  const binding = bindingOf(context, 'changes_since')
  const since =
    mark === 'beginning' ? 0 : (env.cursors.openMark(mark, binding, now, env.changesTtlSeconds) as number)
  const horizon = await changeSeq(store.database, owner_id)
  if (since > horizon)
    throw new CodedError('cursor_expired', 'The data was replaced. Start again from the beginning.')
  return { since, horizon, after: null }
}
