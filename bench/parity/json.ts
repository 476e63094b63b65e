import { type PlainMessage, plainTime } from './texts.ts'

type Value = string | number | boolean | null | Value[] | { [key: string]: Value }

/** Where exports keep what was said, who said it, under which title and when. */
const TEXT = ['text', 'full_text', 'content', 'context', 'body', 'question']
const FROM = ['from', 'sender', 'sender_name', 'user', 'author', 'role', 'actor']
const TITLE = ['title', 'name', 'subject']
const TIME = ['date', 'created_at', 'create_time', 'ts', 'timestamp_ms', 'timestamp']

/** Every object with a text of its own; null when there are none, or the file is not JSON. */
export function jsonMessages(name: string, text: string): PlainMessage[] | null {
  const messages: PlainMessage[] = []
  try {
    const values = name.endsWith('l') ? text.split('\n').filter(Boolean) : [text]
    for (const value of values) visit(JSON.parse(value), name, messages)
  } catch {
    return null
  }
  return messages.length > 0 ? messages : null
}

function visit(value: Value, title: string, messages: PlainMessage[]): void {
  if (Array.isArray(value)) for (const item of value) visit(item, title, messages)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const subject = TITLE.map(key => value[key]).find(each => typeof each === 'string') ?? title
  const body = TEXT.map(key => saidIn(value[key])).find(each => each.trim() !== '')
  if (body !== undefined) {
    const from = FROM.map(key => saidIn(value[key])).find(each => each !== '') ?? ''
    const time = TIME.map(key => value[key]).find(each => each !== undefined && each !== null)
    messages.push({
      subject: String(subject).toWellFormed(),
      from: from.toWellFormed(),
      body: body.toWellFormed().replaceAll('\0', ''),
      received_at: plainTime(momentOf(time)),
    })
  }
  // The parts of a text that was already used are not used again.
  const rest = Object.entries(value).filter(
    ([key]) => body === undefined || !TEXT.includes(key) || key === 'question',
  )
  for (const [, child] of rest) visit(child, String(subject), messages)
}

/** A text, or a list of texts and of objects that hold one. */
function saidIn(value: Value | undefined): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(saidIn).join('')
  if (typeof value !== 'object' || value === null) return ''
  return saidIn(value.text ?? value.parts ?? value.role ?? '')
}

function momentOf(value: Value | undefined): number {
  const number = Number(value)
  if (!Number.isFinite(number)) return Date.parse(String(value))
  return number > 1e11 ? number : number * 1_000
}
