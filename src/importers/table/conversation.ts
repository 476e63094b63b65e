import type { Json, JsonObject } from '../../model/json.ts'
import type { Column } from './columns.ts'
import { CONVERSATION_NAMES, type ColumnRoles, named } from './roles.ts'

/** How the rows of a table form conversations. */
export interface TableConversation {
  /** The column that says which conversation a row belongs to; null if each file is one. */
  key: Column | null
  /** Whether the time is the order, or the first part of it. */
  byTime: boolean
  /** What orders rows of the same time: a column, the position of the row in its file, or nothing. */
  within: Column | 'position' | null
}

const ORDER_NAMES = [
  /^(turn|seq|sequence|position|utterance)([_ -]?(id|no|num|number|index|idx))?$/i,
  /^(message|msg|line)[_ -]?(no|num|number|index|idx|order)$|^(index|idx|order)$/i,
]
/** Names that only the columns of a transcript have. */
const SPEAKER = /^(speaker(_?name)?|role)$/i
const LEAST_ROWS = 4

/**
 * Rows with a text are messages if a column says which conversation each belongs to. Without such a column, a file is a
 * conversation if a few people take turns in it and nothing, such as a title or a third person as recipient, says that it
 * is something else.
 */
export function conversationOf(
  columns: readonly Column[],
  roles: ColumnRoles,
  rows: readonly JsonObject[],
): TableConversation | null {
  if (roles.text === null) return null
  const key = keyColumn(columns, roles, rows.length)
  if (key === null && !isDialogue(roles, rows)) return null
  const conversations = [
    ...Map.groupBy(rows, row => (key ? JSON.stringify(row[key.source] ?? null) : '')).values(),
  ]
  const isDifferent = (get: (row: JsonObject) => Json | undefined) =>
    conversations.every(
      each => new Set(each.map(row => JSON.stringify(get(row) ?? null))).size === each.length,
    )
  const { time } = roles
  if (time && isDifferent(row => time.timeOf?.(row[time.source] ?? null)?.utc))
    return { key, byTime: true, within: null }
  const numbers = columns.filter(
    ({ kind, filled, timeOf }) => kind === 'integer' && filled === 1 && timeOf === null,
  )
  const order = named(
    ORDER_NAMES,
    numbers.filter(({ source }) => isDifferent(row => row[source])),
  )
  return { key, byTime: time !== null, within: order ?? 'position' }
}

function keyColumn(columns: readonly Column[], roles: ColumnRoles, rows: number): Column | null {
  const able = columns.filter(
    column =>
      (column.kind === 'text' || column.kind === 'integer') &&
      column.timeOf === null &&
      column.distinct < rows * column.filled &&
      ![roles.key, roles.text, roles.title, roles.actor].includes(column),
  )
  const [certain, ...others] = CONVERSATION_NAMES
  const sure = named(certain ? [certain] : [], able)
  if (sure || roles.actor === null) return sure
  return named(
    others,
    able.filter(({ distinct, filled }) => filled === 1 && distinct <= rows / 2),
  )
}

function isDialogue(
  { actor, time, title, recipient, place }: ColumnRoles,
  rows: readonly JsonObject[],
): boolean {
  if (actor === null || actor.filled < 1 || title !== null || place !== null) return false
  if (rows.length < LEAST_ROWS || actor.distinct < 2 || actor.distinct > rows.length / 2) return false
  if (recipient !== null && !areTwo(actor, recipient, rows)) return false
  return SPEAKER.test(actor.name) || (time !== null && actor.distinct <= rows.length / 4)
}

/** Whether the same two people write to each other in all rows. */
function areTwo(actor: Column, recipient: Column, rows: readonly JsonObject[]): boolean {
  const [from, to] = [actor, recipient].map(({ source }) => new Set(rows.map(row => row[source] ?? null)))
  return from?.size === 2 && to?.size === 2 && from.isSupersetOf(to)
}
