import type { FetchMessageObject } from 'imapflow'
import type { SyncFolder } from '../api/owner/syncs.ts'
import type { ImportEvent } from '../importers/importer.ts'
import { readMail } from '../importers/mail/read.ts'
import { labelsOf } from './folder-changes.ts'
import type { KnownMessages } from './known-messages.ts'
import type { MailAccount } from './mail-account.ts'

const KIB = 1024
const FACTS_AT_ONCE = 200
const SMALL_BYTES = 512 * KIB
const BYTES_AT_ONCE = 4 * KIB * KIB
/** Sizes reported by servers are not always exact. */
const MOST_BYTES_AT_ONCE = 4 * BYTES_AT_ONCE
const MOST_MESSAGE_BYTES = 512 * KIB * KIB

/** A message to read, with the server's facts about it. */
type Facts = Pick<FetchMessageObject, 'uid' | 'flags' | 'labels' | 'size' | 'emailId' | 'threadId'>

/**
 * Reads messages of the open folder like an importer. The record of a message is the same as from an mbox file of the
 * account; its mailbox and labels are those of all its copies. Each message is added to `known` before it is yielded.
 */
export async function* mailEvents(
  account: MailAccount,
  folder: SyncFolder,
  uids: readonly number[],
  known: KnownMessages,
): AsyncGenerator<ImportEvent | { kind: 'read'; uid: number }> {
  for (let start = 0; start < uids.length; start += FACTS_AT_ONCE) {
    const part = uids.slice(start, start + FACTS_AT_ONCE)
    for await (const { facts, bytes } of messagesOf(account, part)) {
      yield* eventsOf(account, folder, facts, bytes, known)
      yield { kind: 'read', uid: facts.uid }
    }
  }
}

interface FetchedMessage {
  facts: Facts
  bytes: AsyncIterable<Uint8Array> | Uint8Array[] | null
}

/** The messages with their bytes: small ones several at a time, large ones in parts. */
async function* messagesOf(account: MailAccount, uids: readonly number[]): AsyncGenerator<FetchedMessage> {
  const query = { uid: true, flags: true, size: true, labels: true, threadId: account.isGmail }
  const facts = new Map<number, Facts>()
  for await (const message of account.facts(uids.join(','), query, uids.length))
    facts.set(message.uid, { ...facts.get(message.uid), ...message })
  const wanted = uids.flatMap(uid => facts.get(uid) ?? [])
  const small = wanted.filter(({ size = 0 }) => size <= SMALL_BYTES)
  for (const group of groupsOf(small)) {
    const sources = new Map<number, Uint8Array>()
    const range = group.map(({ uid }) => uid).join(',')
    let bytes = 0
    for await (const { uid, source } of account.facts(range, { uid: true, source: true }, group.length)) {
      bytes += source?.length ?? 0
      if (bytes > MOST_BYTES_AT_ONCE) throw account.endless()
      if (source) sources.set(uid, source)
    }
    for (const each of group) {
      const source = sources.get(each.uid)
      if (source) yield { facts: each, bytes: [source] }
    }
  }
  for (const each of wanted) {
    const { uid, size = 0 } = each
    if (size <= SMALL_BYTES) continue
    yield { facts: each, bytes: size > MOST_MESSAGE_BYTES ? null : account.large(uid, size * 2) }
  }
}

function* groupsOf(messages: readonly Facts[]): Generator<Facts[]> {
  let group: Facts[] = []
  let bytes = 0
  for (const message of messages) {
    const { size = 0 } = message
    if (group.length > 0 && bytes + size > BYTES_AT_ONCE) {
      yield group
      group = []
      bytes = 0
    }
    group.push(message)
    bytes += size
  }
  if (group.length > 0) yield group
}

async function* eventsOf(
  account: MailAccount,
  folder: SyncFolder,
  facts: Facts,
  bytes: FetchedMessage['bytes'],
  known: KnownMessages,
): AsyncGenerator<ImportEvent> {
  const { uid } = facts
  const message = { folder_no: folder.no, uid, labels: labelsOf(facts) }
  const place = `${folder.path}, message ${uid}`
  known.set({ ...message, record_id: '' })
  if (bytes === null) {
    const reason = `The message has more than ${MOST_MESSAGE_BYTES / KIB / KIB} MiB.`
    yield { kind: 'rejection', place, code: 'message_too_large', message: reason }
    return
  }
  const gmail = account.isGmail && /^\d{12,20}$/.test(facts.emailId ?? '')
  let failure: unknown = null
  const file = {
    path: place,
    size: facts.size ?? 0,
    modified_at: null,
    head: async () => Buffer.alloc(0),
    async *open() {
      if (gmail) yield gmailHead(facts)
      try {
        yield* bytes
      } catch (error) {
        failure = error
        throw error
      }
    },
  }
  for await (const event of readMail([{ file, kind: 'eml', mailbox: null, lineEnds: 'usual' }], null)) {
    // A lost connection is not the fault of the message.
    if (failure !== null) throw failure
    if (event.kind === 'checkpoint') continue
    if (event.kind !== 'record') {
      yield event
      continue
    }
    known.set({ ...message, record_id: event.key })
    const { mailbox, labels } = known.whereabouts(event.key)
    const own = Array.isArray(event.data.labels) ? event.data.labels : []
    const all = [...new Set([...own, ...labels])]
    const data = { ...event.data, ...(gmail ? {} : { mailbox }), ...(all.length > 0 ? { labels: all } : {}) }
    yield { ...event, data }
  }
}

/** Gmail's own ids, as in its export, so that both yield the same records. */
function gmailHead({ emailId, threadId }: Facts): Uint8Array {
  const thread = /^\d{1,20}$/.test(threadId ?? '') ? `X-GM-THRID: ${threadId}\r\n` : ''
  return Buffer.from(`From ${emailId}@xxx\r\n${thread}`)
}
