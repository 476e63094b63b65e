import type { Warning } from '../../api/parameter.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { search } from '../../api/search.ts'
import { visibleFields } from '../../model/access/enforce.ts'
import { fieldWithRole } from '../../model/declaration/declaration.ts'
import type { SelectedSource } from '../../model/reading/filter.ts'
import { authorOf, type Projection, project, shortText } from '../../model/reading/record.ts'
import { VARIED_AT_ONCE } from '../../model/search/tuning.ts'
import { type TimePosition, timePositionOf } from '../../store/records/by-time.ts'
import type { PageRow, Selection } from '../../store/records/scan.ts'
import { beginningOf, headOf } from '../../store/search/hits.ts'
import type { RequestContext } from '../request/context.ts'
import type { Reply } from '../request/responses.ts'
import { noteTimes, timed, timePage } from './list-records.ts'
import { describeHit, NOT_COUNTED, searchedTime, shownByHit, totals } from './search-reply.ts'
import type { SearchNarrowing } from './selection.ts'

type SearchContext = RequestContext<typeof search>

/**
 * A query without words asks for everything that its operators match, newest first unless another order is requested.
 */
export async function byOperators(
  context: SearchContext,
  selection: Selection,
  narrowing: SearchNarrowing,
): Promise<Reply<ReplyOf<typeof search>>> {
  const { owner_id, store, parameters } = context
  const order = parameters.sort === 'oldest' ? 'asc' : 'desc'
  const pageOf = parameters.varied === 'true' ? variedPage : timePage
  const { rows, end } = await pageOf(context, timed(context, selection), order)
  const isWhole = parameters.cursor === undefined && end.next_cursor === undefined
  const counted = isWhole ? ({ count: rows.length, count_accuracy: 'exact' } as const) : NOT_COUNTED
  const hits = await Promise.all(
    rows.map(async each => {
      const { source, conditions } = each.part
      const projection = projectionOf(each)
      const { database } = store
      const head = await headOf(database, owner_id, projection, conditions)
      const beginning = await beginningOf(database, owner_id, projection, parameters.window_chars)
      return { source, head, proof: { windows: [], matched_fields: [], beginning } }
    }),
  )
  context.disclose(hits.map(({ source, head, proof }) => shownByHit(source, head, proof)))
  return context.list(
    hits.map(({ source, head, proof }) => describeHit(context, source, head, proof)),
    end,
    { ...totals(counted, false), ...searchedTime(narrowing) },
  )
}

interface TimedRow {
  part: SelectedSource
  row: PageRow
}

function projectionOf({ part: { source }, row: { record } }: TimedRow): Projection {
  const visible = visibleFields(source, record)
  return project(source, record, visible === undefined ? new Set() : visible)
}

/** The position before some records, and how many of those that follow have been shown. */
type VariedPosition = [after: TimePosition | null, shown: number]

const REPEATS_LAST: Warning = {
  code: 'repeats_last',
  message: `What repeats a text of the same author comes after the others, among each ${VARIED_AT_ONCE} of the list.`,
}

/** A page by time in which what repeats a text of its author comes last among the records that are ordered together. */
async function variedPage(
  context: SearchContext,
  selection: Selection,
  order: 'asc' | 'desc',
): Promise<{ rows: TimedRow[]; end: { next_cursor?: string } }> {
  const { page, warnings } = context
  noteTimes(context, selection)
  for (const { source } of selection.parts) {
    const fields = (['primary-text', 'actor'] as const).flatMap(
      role => fieldWithRole(source.stream, role) ?? [],
    )
    context.decideBy(source, fields)
  }
  const [after, shown] = (await page.open<VariedPosition>()) ?? [null, 0]
  const end = shown + page.limit
  const together = Math.ceil(end / VARIED_AT_ONCE) * VARIED_AT_ONCE
  const found = await context.scan('readByTime', { selection, order, after, limit: together })
  const byTime = found.flatMap(row => {
    const part = selection.parts[row.part]
    return part ? [{ part, row }] : []
  })
  const ordered: TimedRow[] = []
  for (let first = 0; first < together; first += VARIED_AT_ONCE)
    ordered.push(...repeatsLast(byTime.slice(first, Math.min(together, first + VARIED_AT_ONCE))))
  const rows = ordered.slice(shown, end)
  if (rows.some((each, i) => each !== byTime[shown + i])) warnings.push(REPEATS_LAST)
  if (byTime.length <= end) return { rows, end: {} }
  const passed = Math.floor(end / VARIED_AT_ONCE) * VARIED_AT_ONCE
  const last = byTime[passed - 1]
  const position: VariedPosition = [last ? timePositionOf(last.part, last.row) : after, end - passed]
  return { rows, end: { next_cursor: page.seal(position) } }
}

function repeatsLast(rows: readonly TimedRow[]): TimedRow[] {
  const said = new Set<string>()
  const [first, repeated]: [TimedRow[], TimedRow[]] = [[], []]
  for (const row of rows) {
    const words = saidBy(row)
    if (words !== null && said.has(words)) repeated.push(row)
    else first.push(row)
    if (words !== null) said.add(words)
  }
  return [...first, ...repeated]
}

/** The author and the text of a record, as far as they may be seen; null if it lacks one of them. */
function saidBy(row: TimedRow): string | null {
  const { stream } = row.part.source
  const { data } = projectionOf(row)
  const text = shortText(data, fieldWithRole(stream, 'primary-text'))
  const author = authorOf(stream, data)
  return text === '' || author === null ? null : JSON.stringify([stream.name, author.name, text])
}
