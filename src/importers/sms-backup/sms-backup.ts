import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import { SMS_BACKUP } from '../chat/messengers.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { storedBase64 } from '../reading/attached-files.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { epochIn } from '../reading/json-values.ts'
import { elementItems, type XmlElement } from '../reading/xml-elements.ts'
import { recordIdOf, repeatCounter, repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'

const MESSAGE_BYTES = 500
const ELEMENTS = new Set(['sms', 'mms'])

export const recognise: Recognise = async files =>
  findingOf(SMS_BACKUP, files, MESSAGE_BYTES, () => messageItems)

function messageItems(file: SourceFile): AsyncGenerator<FileItem> {
  const idOf = repeatedIds('sms message')
  const before = repeatCounter()
  const mended = { ...file, open: () => withWholeCharacters(file.open()) }
  return elementItems(mended, ELEMENTS, 'message', (element, place) => {
    const facts = messageFacts(element)
    const position = before(`${facts[0]} ${facts[1]}`) + 1
    return messageEvents(element, { id: idOf(...facts).id, position, place })
  })
}

const YOU = 'You'
const SENT_BOXES = ['2', '4', '5', '6']
const DRAFT = '3'
const FROM = '137'
const UNKNOWN_NAMES = ['(Unknown)', 'null', '']
const LAYOUT_PART = 'application/smil'

/** A value. The app writes `null` for missing values. */
function writtenIn(text: string | undefined): string | null {
  return text === undefined || text === 'null' || text === '' ? null : text
}

/** The addresses of a chat, sorted, without spaces and punctuation between digits. */
function addressesOf({ attributes }: XmlElement): string[] {
  const written = (attributes.address ?? '').split('~')
  return written.map(address => address.replace(/[\s()/-]/g, '')).sort()
}

function partsOf(message: XmlElement): XmlElement[] {
  const parts = message.children.filter(({ name }) => name === 'parts').flatMap(({ children }) => children)
  return parts.filter(({ attributes }) => attributes.ct !== LAYOUT_PART)
}

function textOf(message: XmlElement): string | null {
  if (message.name === 'sms') return writtenIn(message.attributes.body)
  const texts = partsOf(message).flatMap(({ attributes }) => writtenIn(attributes.text) ?? [])
  return texts.join('\n') || null
}

/** What identifies a message: its chat, time, direction and content. */
function messageFacts(message: XmlElement): string[] {
  const { date = '', type, msg_box, m_id } = message.attributes
  return [addressesOf(message).join('~'), date, type ?? msg_box ?? '', m_id ?? '', textOf(message) ?? '']
}

function* messageEvents(
  message: XmlElement,
  { id, position, place }: { id: string; position: number; place: string },
): Generator<ImportEvent> {
  const { attributes, children } = message
  const box = attributes.type ?? attributes.msg_box ?? ''
  const isOwn = SENT_BOXES.includes(box) || box === DRAFT
  const addresses = addressesOf(message)
  const known = UNKNOWN_NAMES.includes(attributes.contact_name ?? '')
    ? null
    : (attributes.contact_name ?? null)
  const from = children
    .filter(({ name }) => name === 'addrs')
    .flatMap(each => each.children)
    .find(each => each.attributes.type === FROM)?.attributes.address
  const other = addresses.length === 1 ? (known ?? addresses[0]) : (from ?? known)
  const attachments: JsonObject[] = []
  for (const part of partsOf(message)) {
    const data = writtenIn(part.attributes.data)
    if (data === null) continue
    const name = writtenIn(part.attributes.cl) ?? writtenIn(part.attributes.name)
    attachments.push(yield* storedBase64(data, part.attributes.ct ?? '', name))
  }
  yield chatRecord('sms_messages', place, {
    id,
    chat: known ?? addresses.join(', '),
    chat_id: recordIdOf('sms chat', addresses.join('~')),
    sender: isOwn ? YOU : (other ?? null),
    sender_id: isOwn ? null : (from ?? addresses[0] ?? null),
    text: textOf(message),
    sent_at: epochIn(attributes.date, 'milliseconds'),
    position,
    kind: box === DRAFT ? 'draft' : 'message',
    attachments,
    source_id: writtenIn(attributes.m_id),
    more: { subject: writtenIn(attributes.subject) ?? writtenIn(attributes.sub), is_from_me: isOwn },
  })
}

/** `&#55357;&#56832;`: a surrogate pair, written as two character references. */
const HALVES =
  /&#(5(?:529[6-9]|5[3-9]\d\d|6[0-2]\d\d|63[01]\d));&#(5(?:632\d|63[3-9]\d|6[4-9]\d\d|7[0-2]\d\d|73[0-3]\d|734[0-3]));/g
const LONGEST = '&#55357;&#56832;'.length

/**
 * Replaces surrogate pairs, which the app writes for emoji, by the characters themselves, because they are not valid
 * in XML.
 */
export async function* withWholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = ''
  for await (const chunk of chunks) {
    const text = mended(held + Buffer.from(chunk).toString('latin1'))
    const last = text.indexOf('&', Math.max(0, text.length - LONGEST + 1))
    held = last === -1 ? '' : text.slice(last)
    yield Buffer.from(last === -1 ? text : text.slice(0, last), 'latin1')
  }
  if (held !== '') yield Buffer.from(held, 'latin1')
}

function mended(text: string): string {
  return text.replace(HALVES, (_, high, low) =>
    Buffer.from(String.fromCharCode(Number(high), Number(low))).toString('latin1'),
  )
}
