import { type Begin, messagesIn, type WrittenMessage } from '../chat/written-chat.ts'
import { linesOf } from '../reading/text-lines.ts'
import type { SourceFile } from '../source/source.ts'
import { type DayOrder, DayOrders, dayOf } from './day-order.ts'
import { halfIn, stampOf } from './stamp.ts'

/** Reads the whole file once to detect the order of its dates. */
async function dayOrderOf(file: SourceFile): Promise<DayOrder> {
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
  timeZone: string | undefined,
): AsyncGenerator<WrittenMessage> {
  const order = await dayOrderOf(file)
  const begin: Begin = line => {
    const stamp = stampOf(line)
    const day = stamp && dayOf(stamp, order)
    if (!stamp || !day) return null
    const { written, hour, minute, second, rest } = stamp
    return { stamp: written, clock: { ...day, hour, minute, second }, ...spokenIn(rest) }
  }
  yield* messagesIn(file, begin, timeZone)
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
