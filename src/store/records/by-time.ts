import { placeKey, type Source } from '../../model/access/enforce.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { compareKeys, type SelectedSource } from '../../model/reading/filter.ts'
import type { Queryable, Select } from '../engine/database.ts'
import { type FoundNames, findNames, walkNames } from '../names/named-records.ts'
import {
  columnsUnder,
  type Order,
  recordOf,
  SHOWN_COLUMNS,
  type ShownRow,
  scopeOf,
  timeColumn,
} from './records.ts'
import { isVisible, type PageRow, type Selection } from './scan.ts'

/** A place in the order of time across several streams. */
export interface TimePosition {
  time_key: string
  record_key: string
  connection_id: string
  stream: string
}

export interface TimePageArgs {
  selection: Selection
  order: Order
  after: TimePosition | null
  limit: number
}

const MOST_AT_ONCE = 1_000

/** The next visible records of all parts that pass, by time; one more than `limit` means that there are more. */
export async function readByTime(database: Queryable, args: TimePageArgs): Promise<PageRow[]> {
  const { parts } = args.selection
  const indexOf = new Map(
    parts.map(({ source }, index) => [placeKey(source.connection_id, source.stream.name), index]),
  )
  const names = await findNames(database, args.selection)
  const rows: PageRow[] = []
  let { after } = args
  for (let limit = args.limit + 1; ; limit = Math.min(MOST_AT_ONCE, limit * 2)) {
    const found = await nextByTime(database, { ...args, after, limit }, names)
    for (const row of found) {
      const index = indexOf.get(placeKey(row.connection_id, row.stream)) ?? -1
      const part = parts[index]
      const record = recordOf(row)
      if (part && isVisible(part.source, part.conditions, record)) rows.push({ part: index, record })
      if (rows.length > args.limit) return rows
    }
    const last = found.at(-1)
    if (!last || found.length < limit) return rows
    after = { ...last, time_key: last.time_key ?? '' }
  }
}

export function timePositionOf({ source }: SelectedSource, { record }: PageRow): TimePosition {
  return {
    time_key: record.time_key ?? '',
    record_key: recordKey(record.record_id),
    connection_id: record.connection_id,
    stream: source.stream.name,
  }
}

type TimedRow = ShownRow & { stream: string }

async function nextByTime(
  database: Queryable,
  args: TimePageArgs,
  names: ReadonlyMap<Source, FoundNames>,
): Promise<TimedRow[]> {
  const { selection, order, limit } = args
  const way = order === 'asc' ? 'ASC' : 'DESC'
  const arms = selection.parts.flatMap(part => {
    const found = names.get(part.source)
    if (found?.numbers.length === 0) return []
    return (found && namedArm(database, args, part, found)) ?? arm(database, args, part)
  })
  if (arms.length === 0) return []
  const all = arms.map(({ sql }, index) => `SELECT * FROM (${sql}) AS a${index}`).join(' UNION ALL ')
  const merged = `ORDER BY time_key ${way}, record_key ${way}, connection_id ${way}, stream ${way} LIMIT ?`
  return database.all<TimedRow>(`${all} ${merged}`, [...arms.flatMap(({ params }) => params), limit])
}

/** Whether a record of a source at exactly the place where a page ended is still to come. */
function isBehind({ order, after }: TimePageArgs, { connection_id, stream }: Source): boolean {
  if (!after) return true
  const tie = compareKeys(connection_id, after.connection_id) || compareKeys(stream.name, after.stream)
  return tie * (order === 'asc' ? 1 : -1) > 0
}

/** The next records of a part by time. */
function arm(database: Queryable, args: TimePageArgs, { source, conditions }: SelectedSource): Select {
  const { selection, order, after, limit } = args
  const [way, beyond] = order === 'asc' ? ['ASC', '>'] : ['DESC', '<']
  const column = timeColumn(source)
  const implied = after && column === 'sort_key' ? (order === 'asc' ? 'lower' : 'upper') : null
  const scope = scopeOf(
    { owner_id: selection.owner_id, conditions: new Map([[source, conditions]]) },
    source,
    implied,
  )
  scope.sql.push('time_key IS NOT NULL')
  if (after) {
    scope.sql.push(`(${column}, record_key) ${isBehind(args, source) ? `${beyond}=` : beyond} (?, ?)`)
    scope.params.push(after.time_key, after.record_key)
  }
  const columns = columnsUnder(database, conditions)
  const sql = `SELECT ${columns.sql}, stream FROM records WHERE ${scope.sql.join(' AND ')}
      ORDER BY ${column} ${way}, record_key ${way} LIMIT ?`
  return { sql, params: [...columns.params, ...scope.params, limit] }
}

/** The next records of a part that have one of the names, by time. */
function namedArm(
  database: Queryable,
  args: TimePageArgs,
  part: SelectedSource,
  names: FoundNames,
): Select | null {
  const { selection, order, after, limit } = args
  const { source } = part
  const from = after && { ...after, inclusive: isBehind(args, source) }
  const walk = walkNames(database, part, names, { order, from, limit })
  return (
    walk && {
      sql: `SELECT ${SHOWN_COLUMNS}, stream FROM (${walk.sql}) AS w CROSS JOIN records
        WHERE owner_id = ? AND connection_id = ? AND stream = ? AND record_key = named_key AND deleted = 0`,
      params: [...walk.params, selection.owner_id, source.connection_id, source.stream.name],
    }
  )
}
