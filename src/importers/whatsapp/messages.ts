import { linesOf } from '../reading/text-lines.ts'
import type { SourceFile } from '../source/source.ts'
import { timesOfWallClockIn } from '../times.ts'
import { type DayOrder, DayOrders, dayOf } from './day-order.ts'
import { halfIn, type Stamp, stampOf } from './stamp.ts'

const MOST_MESSAGE_CHARS = 4 * 1024 * 1024

export interface WrittenMessage {
  stamp: Stamp
  sent_at: string
  /** Without an offset, because the export does not contain its time zone. */
  sent_at_local: string
  sender: string | null
  /** Null if the message is too long. */
  text: string | null
  line: number
  end: number
}

/** Reads the whole file once to detect the order of its dates. */
export async function dayOrderOf(file: SourceFile): Promise<DayOrder> {
  const orders = new DayOrders()
  let hasHalves = false
  for await (const { text } of linesOf(file.open())) {
    const stamp = text === null ? null : stampOf(text)
    if (!stamp) continue
    orders.note(stamp)
    hasHalves ||= halfIn(stamp.written.replace(/\p{Nd}+|[:./-]/gu, ' ')) !== null
  }
  return orders.best(hasHalves)
}

/** The messages of a chat. Lines without a date belong to the message above them. */
export async function* messagesOf(
  file: SourceFile,
  order: DayOrder,
  timeZone: string,
): AsyncGenerator<WrittenMessage> {
  let open: (Omit<WrittenMessage, 'text'> & { parts: string[]; chars: number }) | null = null
  const closed = (): WrittenMessage | null => {
    if (!open) return null
    const { parts, chars, ...message } = open
    return { ...message, text: chars > MOST_MESSAGE_CHARS ? null : parts.join('\n').trimEnd() }
  }
  for await (const { number, text, end } of linesOf(file.open())) {
    const stamp = text === null ? null : stampOf(text)
    const times = stamp && timesOf(stamp, order, timeZone)
    if (stamp && times) {
      const done = closed()
      if (done) yield done
      const { sender, said } = spokenIn(stamp.rest)
      open = { stamp, ...times, sender, line: number, end, parts: [said], chars: said.length }
    } else if (open) {
      open.chars += (text?.length ?? MOST_MESSAGE_CHARS) + 1
      open.end = end
      if (open.chars <= MOST_MESSAGE_CHARS) open.parts.push(text ?? '')
      else open.parts = []
    }
  }
  const last = closed()
  if (last) yield last
}

function timesOf(
  stamp: Stamp,
  order: DayOrder,
  timeZone: string,
): { sent_at: string; sent_at_local: string } | null {
  const day = dayOf(stamp, order)
  const { hour, minute, second } = stamp
  const times = day && timesOfWallClockIn({ ...day, hour, minute, second }, timeZone)
  return times && { sent_at: times.utc, sent_at_local: times.local.replace(/[+-]\d{2}:\d{2}$/, '') }
}

/** `Ada: text`. A line without a sender was written by WhatsApp itself. */
function spokenIn(rest: string): { sender: string | null; said: string } {
  const match = /^([^:\n]{1,100}?)\s?:(?:\s|$)/.exec(rest)
  if (!match?.[1]) return { sender: null, said: rest }
  return {
    sender: match[1].replace(/[\u200e\u200f\u202a-\u202e]/g, '').trim() || null,
    said: rest.slice(match[0].length).replace(/^[\u200e\u200f]+/, ''),
  }
}
