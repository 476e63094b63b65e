import type { Column } from './columns.ts'

const OWN_ID = /^_?(id|uuid|guid|key|_id|tweet_?id|message_?id)$/i
const OTHER_ID = /(^|[_\s-])(id|uuid|guid|hash|reference|number)$|[a-z](Id|ID|UUID)$/
const ROWS_FOR_OTHER_ID = 10

const TIME_NAMES = [
  /^(timestamp|date[_ ]?time|time|date|when)$/i,
  /^(occurred|happened|sent|received|posted|published|created|start)([_ ]?(at|on|date|time|utc))?$/i,
  /^(transaction|booking|value|order|purchase)[_ ]?date$/i,
  /date|time|created|stamp/i,
]
/** Not of a duration. */
const CLOCK_NAME =
  /^(?:(?:transaction|booking|posting|order|start)_?)?time$|^(?:uhrzeit|heure|hora|ora|tijd|tid|godzina|время|時刻|时间)$/i
const ZONE_NAME =
  /^(?:(?:event|local|start|created|user|client)_?)?(?:time_?zone|tz)(?:_?(?:name|id|code|offset))?$|^(?:zeitzone|fuseau_horaire|zona_horaria|huso_horario|fuso_orario|fuso_horário|tijdzone|strefa_czasowa)$/i
const LATER_TIMES = /updat|modif|edit|end|expir|due|available|delet|last|final/i
const TITLE_NAMES = [
  /^(title|headline|subject)$/i,
  /^(name|full_?name|display_?name)$/i,
  /^(label|summary|payee|merchant|description|item|item_title|header)$/i,
]
const TEXT_NAMES = [
  /^(text|full_?text|body|content|textcontent|message|message_?text|msg|utterance|context)$/i,
  /^(notes?|comments?|memo|details|description|abstract|review|answer|summary)$/i,
]
const ACTOR_NAMES = [
  /^(from|sender|author|speaker|from_?user|nick|who)$|^(sender|author|from|speaker|nick)_?name$/i,
  /^(user|user_?name|actor|screen_?name|payee|merchant|counterparty|by|owner|role)$/i,
  /^(sender|author|speaker|from|user)_?id$/i,
]
const RECIPIENT_NAMES = [/^(to|recipients?|receiver|addressee|to_?name)$/i]
const PLACE_NAMES = [/^(channel|folder|mailbox|room|list|project|calendar|notebook|board)(_?name)?$/i]
const LABEL_NAMES = [/^(tags?|labels?|categor(y|ies)|keywords?)$/i]

const ID = '([_ -]?(id|key|uuid|guid|no|number|name))?$'
/** A column with one of the first names says that its rows are messages; the others may have other meanings. */
export const CONVERSATION_NAMES = [
  new RegExp(`^(conversation|conv|thread|dialog(ue)?|chat)${ID}`, 'i'),
  new RegExp(`^(session|meeting|discussion)${ID}`, 'i'),
  new RegExp(`^(channel|room)${ID}`, 'i'),
]

/** The columns of a table that have a role; null if there is none. */
export interface ColumnRoles {
  /** The row's own id. */
  key: Column | null
  time: Column | null
  /** The time of day, where the time is only a day. */
  clock: Column | null
  /** The time zone of a time that has none. */
  zone: Column | null
  title: Column | null
  text: Column | null
  actor: Column | null
  recipient: Column | null
  place: Column | null
  label: Column | null
}

export function rolesOf(columns: readonly Column[], rows: number): ColumnRoles {
  const plain = columns.filter(({ kind, timeOf, filled }) => kind === 'text' && timeOf === null && filled > 0)
  const zone = plain.find(({ name }) => ZONE_NAME.test(name)) ?? null
  const texts = plain.filter(column => column !== zone)
  const key =
    columns.find(column => OWN_ID.test(column.name) && isKey(column, rows)) ??
    (rows >= ROWS_FOR_OTHER_ID
      ? columns.find(column => OTHER_ID.test(column.name) && isKey(column, rows))
      : undefined) ??
    null
  const free = texts.filter(column => column !== key)
  const longest = free
    .filter(({ sentences }) => sentences > 0.5)
    .reduce<Column | null>((most, next) => (next.length > (most?.length ?? 30) ? next : most), null)
  const isOther = (column: Column) =>
    [TEXT_NAMES[0], ACTOR_NAMES[0], ...CONVERSATION_NAMES].some(pattern => pattern?.test(column.name))
  const title =
    named(TITLE_NAMES, free) ??
    speakingColumn(
      free.filter(column => column !== longest && !isOther(column)),
      rows,
    )
  const rest = free.filter(column => column !== title)
  const text = named(TEXT_NAMES, rest) ?? (longest !== title ? longest : null)
  const actor = named(
    ACTOR_NAMES,
    rest.filter(column => column !== text),
  )
  const others = columns.filter(
    column => (free.includes(column) || column.kind === 'texts') && ![title, text, actor].includes(column),
  )
  const times = columns.filter(({ timeOf, filled }) => timeOf !== null && filled >= 0.5)
  const first = times.filter(column => !LATER_TIMES.test(column.name))
  const time = named(TIME_NAMES, first) ?? first[0] ?? times[0] ?? null
  return {
    key,
    title,
    text,
    actor,
    recipient: named(RECIPIENT_NAMES, others),
    place: named(PLACE_NAMES, others),
    label: named(LABEL_NAMES, others),
    time,
    clock: columns.find(({ name, clocks }) => CLOCK_NAME.test(name) && clocks === 1) ?? null,
    zone,
  }
}

function isKey({ kind, filled, distinct }: Column, rows: number): boolean {
  return (kind === 'text' || kind === 'integer') && filled === 1 && distinct === rows && rows > 1
}

/** The first column with the first of the names that some column has. */
export function named(patterns: readonly RegExp[], columns: readonly Column[]): Column | null {
  return (
    patterns.map(pattern => columns.find(column => pattern.test(column.name))).find(column => column) ?? null
  )
}

/** A column of short, mostly different words can be the title. */
function speakingColumn(columns: readonly Column[], rows: number): Column | null {
  const able = columns.filter(
    ({ length, filled, words, distinct }) =>
      length >= 3 && length <= 80 && filled > 0.5 && words > 0.7 && distinct > rows / 5,
  )
  return able.toSorted((a, b) => b.distinct - a.distinct)[0] ?? null
}
