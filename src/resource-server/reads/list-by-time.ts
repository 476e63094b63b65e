import type { List } from '../../api/list.ts'
import type { RecordBody } from '../../api/records.ts'
import * as api from '../../api/records.ts'
import { timeField } from '../../model/declaration/declaration.ts'
import { decidingFields, type SelectedSource } from '../../model/reading/filter.ts'
import { leftOutOf } from '../../model/reading/role-condition.ts'
import { type TimePosition, timePositionOf } from '../../store/records/by-time.ts'
import { isTimed } from '../../store/records/records.ts'
import type { PageRow, Selection } from '../../store/records/scan.ts'
import { type RequestContext, serve } from '../request/context.ts'
import type { Reply } from '../request/responses.ts'
import { RecordPage } from './record-page.ts'
import { noteLeftOut, select } from './selection.ts'

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

/** The requested page, with the part of each row. */
export async function timePage(
  context: RequestContext,
  selection: Selection,
  order: 'asc' | 'desc',
): Promise<{ rows: { part: SelectedSource; row: PageRow }[]; end: { next_cursor?: string } }> {
  const { page } = context
  for (const { source, conditions } of selection.parts) {
    const time = timeField(source.stream)
    context.decideBy(source, [...(time === undefined ? [] : [time]), ...decidingFields(conditions)])
  }
  const after = await page.open<TimePosition>()
  const found = await context.scan('readByTime', { selection, order, after, limit: page.limit })
  const all = found.flatMap(row => {
    const part = selection.parts[row.part]
    return part ? [{ part, row }] : []
  })
  const { rows, ...end } = page.cut(all, last => timePositionOf(last.part, last.row))
  return { rows, end }
}
