import type { Json } from '../../model/json.ts'
import type { Row } from '../reading/row.ts'

/** Whether a value is empty or only repeats the start of the line. */
export function isRepeated({ reference, occurred_at, author }: Row, value: Json): boolean {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return true
  if (typeof value === 'string' && author?.includes(`<${value}>`)) return true
  return [null, '', reference.record_id, occurred_at, author].includes(value as string | null)
}

/**
 * Whether a row says as much without this value: a flag that is not set, a count of nothing, the id of something that
 * the row names, the time of the row in another zone, in a message the ids by which programs find it and what it belongs
 * to.
 */
export function isUnsaid(row: Row, field: string, value: Json): boolean {
  if (value === false) return true
  if (value === 0) return /(?:^|_)count$/.test(field)
  if (row.author !== null && isLinkToOthers(field, value)) return true
  return (
    typeof value === 'string' &&
    (isIdOfNamed(row, field) || isLocalOfTime(row, field) || isSameTime(row, value))
  )
}

const LINK_FIELD =
  /(?:^|_)(?:source|message|thread|conversation|session|parent|reply_to|tool_use)_ids?$|^in_reply_to$|^references$/

/** `thread_id`, `in_reply_to`: what they link is read with read_conversation. */
function isLinkToOthers(field: string, value: Json): boolean {
  const ids = Array.isArray(value) ? value : [value]
  return LINK_FIELD.test(field) && ids.every(id => typeof id === 'string' && !/\s/.test(id))
}

/** `channel_id` beside `channel`, `conversation_id` beside `conversation_title`. */
function isIdOfNamed({ preview: { data } }: Row, field: string): boolean {
  const thing = /^(.+)_id$/.exec(field)?.[1]
  return (
    thing !== undefined &&
    [thing, `${thing}_name`, `${thing}_title`].some(
      name => typeof data[name] === 'string' && data[name] !== '',
    )
  )
}

/** `ends_at_local` beside `ends_at`, which is shown in the reader's zone. */
function isLocalOfTime({ preview: { data } }: Row, field: string): boolean {
  const time = /^(.+_at)_local$/.exec(field)?.[1]
  return time !== undefined && typeof data[time] === 'string'
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i
const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length

function isSameTime({ occurred_at, shown_at }: Row, value: string): boolean {
  const time = TIME.exec(value)
  if (!time || occurred_at === null) return false
  const seconds = (text: string) => Math.floor(Date.parse(text) / 1000)
  if (time[1] !== undefined) return seconds(value) === seconds(occurred_at)
  const digits = value.slice(0, SECONDS)
  return [occurred_at, shown_at].some(shown => shown?.slice(0, SECONDS) === digits)
}
