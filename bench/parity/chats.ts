import { type PlainMessage, plainTime } from './texts.ts'

/** The start of a line of a chat: an optional date, a time and the speaker. */
const IRC = /^(?:\[(\d\d:\d\d)\] (?:<([^>]+)>|\* (\S+)) ?|=== )/
const DATED =
  /^\W{0,2}(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),? (\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: [ap]\.?m\.?)?)\]?(?: [-–])? (?:([^:\n]{1,40}): )?/i
const MOSTLY = 0.5

/** The messages of a log in which most lines start like one; any other line belongs to the one before. */
export function chatMessages(subject: string, text: string): PlainMessage[] | null {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const border = [IRC, DATED].find(
    each => lines.filter(line => each.test(line)).length > lines.length * MOSTLY,
  )
  if (!border) return null
  const messages: PlainMessage[] = []
  for (const line of lines) {
    const start = border.exec(line)
    const last = messages.at(-1)
    if (!start && last) last.body += `\n${line}`
    else {
      const day = /\d{4}-\d\d-\d\d/.exec(border === IRC ? subject : (start?.[1] ?? ''))?.[0] ?? ''
      const received_at = plainTime(Date.parse(day))
      const from = (border === IRC ? start?.[2] : start?.[3]) ?? ''
      messages.push({ subject, from, body: line.slice(start?.[0].length ?? 0).toWellFormed(), received_at })
    }
  }
  return messages
}
