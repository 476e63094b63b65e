import type { List } from '../../api/list.ts'
import type { RecordBody, Tombstone } from '../../api/records.ts'
import * as api from '../../api/records.ts'
import type { Source } from '../../model/access/enforce.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { foreign } from '../../model/reading/cursor.ts'
import { decidingFields, type SelectedSource } from '../../model/reading/filter.ts'
import { leftOutOf } from '../../model/reading/role-condition.ts'
import { lastNumber } from '../../store/engine/owner-row.ts'
import { type TimePosition, timePositionOf } from '../../store/records/by-time.ts'
import type { ChangePosition } from '../../store/records/changed-records.ts'
import { isOrdered, isTimed, type Position, positionOf } from '../../store/records/records.ts'
import { type PageArgs, type PageRow, readPage, type Selection } from '../../store/records/scan.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { bindingOf, Page, type Reply } from '../request/responses.ts'
import { type Found, RecordPage } from './record-page.ts'
import { narrowingOf, noteLeftOut, select } from './selection.ts'

type ListContext = RequestContext<typeof api.listRecords>

export const listRecords = serve(api.listRecords, async context => {
  const { changes_since, count } = context.parameters
  const page = new Page(context, 'changes')
  const isChanges = changes_since !== undefined || (count === undefined && page.isContinued)
  return isChanges ? listChanges(context, page) : listPage(context)
})

async function listPage(context: ListContext): Promise<Reply<List<RecordBody>>> {
  const { page, parameters } = context
  const { order, where, filter, count } = parameters
  const sources = context.sources(context.path.stream, parameters)
  const narrowing = narrowingOf(context)
  const selection = select(context, sources, [...where, ...filter], narrowing)
  for (const { source, conditions } of selection.parts)
    context.decideBy(source, [...orderFields(source), ...decidingFields(conditions)])
  const state = (await page.open<PageState>()) ?? { horizon: await horizonOf(context), after: null }
  const read = await pageRows(context, { selection, order, after: state.after, limit: page.limit })
  const found = read.map(row => ({ source: selection.parts[row.part]?.source as Source, record: row.record }))
  const after = ({ source, record }: Found): PageState => ({ ...state, after: positionOf(source, record) })
  const { rows, ...cut } = page.cut(found, after)
  const shown = new RecordPage(context, sources)
  const { data, end } = await shown.showAll(rows, cut, after)
  shown.disclose()
  const counted = count ? { count: await context.scan('countRecords', selection) } : {}
  const isNarrowed =
    selection.parts.some(({ conditions }) => conditions.length > 0) ||
    narrowing.requests.length > 0 ||
    (parameters.since ?? parameters.until) !== undefined
  const isLast = end.next_cursor === undefined && !isNarrowed
  return context.list(data, isLast ? { next_changes_since: markOf(context, state.horizon) } : end, counted)
}

interface PageState {
  /** The list includes at least all changes up to this one. */
  horizon: number
  after: Position | null
}

/** Read before the records: a change in the meantime is in the list, in the changes since, or in both. */
function horizonOf({ store, owner_id }: ListContext): Promise<number> {
  return lastNumber(store.database, owner_id, 'change_seq')
}

/** A mark is valid for the changes of the stream, whatever the order of the list. */
function markBinding(context: ListContext): string {
  const { route, path, accessName } = context
  const parameters = { ...context.parameters, order: 'desc' }
  return bindingOf({ route, path, parameters, accessName }, 'changes_since')
}

function markOf(context: ListContext, horizon: number): string {
  return context.env.cursors.sealPage(horizon, markBinding(context), context.now).cursor
}

/** The fields that a page of a source is ordered by. */
function orderFields(source: Source): string[] {
  const { cursor_field, primary_key } = source.stream
  return cursor_field !== undefined && isOrdered(source) ? [cursor_field] : primary_key
}

const MOST_IDS_AT_HAND = 200

/** A page that an index serves is read here; one that may have to examine many records is read in a worker. */
function pageRows(context: RequestContext, args: PageArgs) {
  const direct = args.selection.parts.every(
    ({ source, conditions }) =>
      conditions.length === 0 &&
      source.clauses.length === 1 &&
      (source.clauses[0]?.record_ids?.size ?? 0) <= MOST_IDS_AT_HAND,
  )
  return direct ? readPage(context.store.database, args) : context.scan('readPage', args)
}

interface ChangesState {
  since: number
  horizon: number
  after: ChangePosition | null
}

/** The first page begins at a mark. Later ones need only its cursor. */
async function listChanges(context: ListContext, page: Page): Promise<Reply<List<RecordBody | Tombstone>>> {
  const { limit } = page
  const sources = context.sources(context.path.stream, context.parameters)
  for (const source of sources) context.decideBy(source, source.stream.primary_key)
  const since = sinceOf(context)
  const state = (await page.open<ChangesState>()) ?? {
    since: since ?? 0,
    horizon: await horizonOf(context),
    after: null,
  }
  if (since !== null && since !== state.since) throw foreign({ param: 'cursor' })
  if (state.since > state.horizon)
    throw new CodedError('cursor_expired', 'The data was replaced. Start again from the beginning.')
  const seen = await context.scan('readChanges', { owner_id: context.owner_id, sources, ...state, limit })
  const data: (RecordBody | Tombstone)[] = []
  const shown = new RecordPage(context, sources)
  let { after } = state
  let more = false
  for (const [count, { source: index, record, change }] of seen.entries()) {
    more = count === limit || shown.isFull
    if (more) break
    const source = sources[index] as Source
    after = { record_key: recordKey(record.record_id), connection_id: record.connection_id }
    if (change.kind === 'tombstone') data.push(shown.showGone({ source, record }, change.seq))
    else data.push(...(await shown.show({ source, record })))
  }
  shown.disclose()
  if (more) return context.list(data, { next_cursor: page.seal({ ...state, after }) })
  return context.list(data, { next_changes_since: markOf(context, state.horizon) })
}

/** The change that the request's mark names; null without a mark. */
function sinceOf(context: ListContext): number | null {
  const { env, now, parameters } = context
  const { changes_since: mark } = parameters
  if (mark === undefined) return null
  if (mark === 'beginning') return 0
  return env.cursors.openMark(mark, markBinding(context), now, env.changesTtlSeconds) as number
}

/** The records of all readable streams by time. */
export const listByTime = serve(api.listByTime, async (context): Promise<Reply<List<RecordBody>>> => {
  const { parameters } = context
  const { streams, order, count } = parameters
  const named: readonly (string | undefined)[] = streams ?? [undefined]
  const sources = named.flatMap(stream => context.sources(stream, parameters))
  const selection = timed(context, select(context, sources, []))
  const { rows, end: cut } = await timePage(context, selection, order)
  const shown = new RecordPage(context, sources)
  const found = rows.map(({ part, row }) => ({ part, row, source: part.source, record: row.record }))
  const { data, end } = await shown.showAll(found, cut, ({ part, row }) => timePositionOf(part, row))
  shown.disclose()
  const counted = count ? { count: await context.scan('countRecords', selection) } : {}
  return context.list(data, end, counted)
})

/** Only sources with a time that may order them; adds a warning with how many streams have none. */
export function timed(context: RequestContext, { owner_id, parts }: Selection): Selection {
  const able = parts.filter(({ source }) => isTimed(source))
  for (const left of leftOutOf('order', parts, able)) noteLeftOut(context, left)
  return { owner_id, parts: able }
}

/** The fields that decide a page by time. */
export function noteTimes(context: RequestContext, { parts }: Selection): void {
  for (const { source, conditions } of parts) {
    const time = timeField(source.stream)
    context.decideBy(source, [...(time === undefined ? [] : [time]), ...decidingFields(conditions)])
  }
}

/** The requested page, with the part of each row. */
export async function timePage(
  context: RequestContext,
  selection: Selection,
  order: 'asc' | 'desc',
): Promise<{ rows: { part: SelectedSource; row: PageRow }[]; end: { next_cursor?: string } }> {
  const { page } = context
  noteTimes(context, selection)
  const after = await page.open<TimePosition>()
  const found = await context.scan('readByTime', { selection, order, after, limit: page.limit })
  const all = found.flatMap(row => {
    const part = selection.parts[row.part]
    return part ? [{ part, row }] : []
  })
  const { rows, ...end } = page.cut(all, last => timePositionOf(last.part, last.row))
  return { rows, end }
}
