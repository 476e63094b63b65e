import { hash } from 'node:crypto'
import type { JsonObject } from '../../model/json.ts'
import { idOfHash, recordIdOf } from '../record-id.ts'
import type { Times } from '../times.ts'
import { addressText, parseAddresses } from './addresses.ts'
import { parseMailDate } from './dates.ts'
import { decodeWords, type Headers } from './headers.ts'
import type { ParsedMessage } from './part-tree.ts'

/** Where a message was found. */
interface MailPlace {
  /** The separator of an mbox. */
  fromLine: string | null
  mailbox: string | null
}

/** The headers that a record is made from. */
const IDENTIFYING =
  `message-id date from sender reply-to to cc bcc subject references in-reply-to list-id content-type
  content-transfer-encoding content-disposition`.split(/\s+/)
/** Headers that Gmail may change later; they are part of the identity only if Gmail's own id is missing. */
const CHANGING = ['x-gmail-labels', 'x-gm-thrid', 'keywords', 'x-keywords']
const IDENTIFYING_AND_CHANGING = [...IDENTIFYING, ...CHANGING]
const MOST_REFERENCES = 200

/**
 * A message as a record. Its id is a hash of everything that the record is made from, so two messages with the same
 * Message-ID stay two records. If there is a Gmail id, headers that Gmail changes later are not hashed.
 */
export function mailRecord(message: ParsedMessage, place: MailPlace): { id: string; data: JsonObject } {
  const { headers } = message
  const gmailId = /^From (\d{12,20})@/.exec(place.fromLine ?? '')?.[1] ?? null
  const mailbox = gmailId === null ? place.mailbox : null
  const time = timeOf(headers, place.fromLine)
  const id = identity(message, gmailId, mailbox, time.fallback)
  const [from] = addressesOf(headers, 'from')
  const sender = from ?? addressesOf(headers, 'sender')[0]
  const references = idsIn(headers, 'references').slice(-MOST_REFERENCES)
  const [message_id] = idsIn(headers, 'message-id')
  const [in_reply_to] = idsIn(headers, 'in-reply-to')
  const names = message.attachments.flatMap(({ name }) => name ?? [])
  const data: JsonObject = {
    id,
    subject: textOf(headers, 'subject'),
    from: sender ? addressText(sender) : null,
    from_address: sender && sender.address !== '' ? sender.address : null,
    sent_at: time.times?.utc ?? null,
    sent_at_local: time.times?.local ?? null,
    body: message.body,
    thread_id: threadOf(headers, [...references, in_reply_to, message_id]),
    message_id: message_id ?? null,
  }
  for (const name of ['to', 'cc', 'bcc', 'reply-to']) {
    const people = addressesOf(headers, name).map(addressText)
    if (people.length > 0) data[name.replace('-', '_')] = people
  }
  if (in_reply_to) data.in_reply_to = in_reply_to
  if (references.length > 0) data.references = references
  const labels = labelsOf(headers)
  if (labels.length > 0) data.labels = labels
  if (mailbox) data.mailbox = mailbox
  const list = textOf(headers, 'list-id')
  if (list) data.list_id = list
  if (time.unreadable) data.date_header = time.unreadable
  if (message.attachments.length > 0)
    data.attachments = message.attachments.map(attachment => ({ ...attachment }))
  if (names.length > 0) data.attachment_names = names
  if (message.attachmentTexts.some(text => text !== null)) data.attachment_text = message.attachmentTexts
  return { id, data }
}

function identity(
  message: ParsedMessage,
  gmailId: string | null,
  mailbox: string | null,
  fallbackTime: string | null,
): string {
  let written = `mail\n${gmailId ?? ''}\n${mailbox ?? ''}\n${fallbackTime ?? ''}\n`
  for (const name of gmailId === null ? IDENTIFYING_AND_CHANGING : IDENTIFYING) {
    for (const raw of message.headers.allRaw(name))
      written += `${name}:${raw.toString('latin1').replace(/\s+/g, ' ').trim()}\n`
  }
  return idOfHash(hash('sha256', Buffer.concat([Buffer.from(written), message.bodyDigest]), 'buffer'))
}

interface MailTime {
  times: Times | null
  /** The text that the time was taken from, if it is not the Date header. */
  fallback: string | null
  /** A Date header that cannot be parsed. */
  unreadable: string | null
}

/**
 * When the message was sent: from its Date header, or else from Delivery-Date, the earliest Received header or the
 * mbox separator.
 */
function timeOf(headers: Headers, fromLine: string | null): MailTime {
  const date = headers.plain('date')
  const times = date === undefined ? null : parseMailDate(date)
  if (times) return { times, fallback: null, unreadable: null }
  const unreadable = date ? date.slice(0, 200) : null
  const received = headers.allRaw('received').map(raw => raw.toString('latin1'))
  const arrival = received.at(-1)?.split(';').at(-1)
  for (const fallback of [headers.plain('delivery-date'), arrival, fromLine]) {
    const found = fallback ? parseMailDate(fallback) : null
    if (fallback && found) return { times: found, fallback, unreadable }
  }
  return { times: null, fallback: null, unreadable }
}

function textOf(headers: Headers, name: string): string | null {
  const plain = headers.plain(name)
  return plain === undefined ? null : decodeWords(plain).replace(/\s+/g, ' ').trim()
}

/** Of all headers with this name: programs for many recipients write a line for each. */
function addressesOf(headers: Headers, name: string) {
  return parseAddresses(headers.allPlain(name))
}

/** Message ids without their brackets, each once. */
function idsIn(headers: Headers, name: string): string[] {
  const text = headers.plain(name)
  if (text === undefined) return []
  const bracketed = [...text.matchAll(/<([^<>]{1,998})>/g)].map(match => (match[1] ?? '').replace(/\s+/g, ''))
  const found =
    bracketed.length > 0 ? bracketed : name === 'message-id' ? [text.replace(/[<>]/g, '').trim()] : []
  return [...new Set(found.filter(id => id !== ''))]
}

/** The same for all messages of a conversation: Gmail's id, or a hash of the first Message-ID. */
function threadOf(headers: Headers, ids: readonly (string | undefined)[]): string | null {
  const gmail = headers.plain('x-gm-thrid')
  if (gmail && /^\d{1,20}$/.test(gmail)) return gmail
  const first = ids.find(id => id !== undefined)
  return first === undefined ? null : recordIdOf('thread', first)
}

function labelsOf(headers: Headers): string[] {
  const labels: string[] = []
  for (const name of ['x-gmail-labels', 'keywords', 'x-keywords']) {
    for (const part of (textOf(headers, name) ?? '').matchAll(/"([^"]*)"|([^,]+)/g)) {
      const label = (part[1] ?? part[2] ?? '').trim()
      if (label !== '') labels.push(label)
    }
  }
  return [...new Set(labels)]
}
