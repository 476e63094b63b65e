import { CodedError } from '../../model/errors.ts'
import { isObject, isTooDeep, type Json, parseJson } from '../../model/json.ts'
import type { ImportEvent } from '../importer.ts'
import { jsonItems, problemOf } from '../json-items.ts'
import { storedFile } from '../reading/attached-files.ts'
import { writtenIn } from '../reading/json-values.ts'
import { type VersionOf, versionsSoFar } from '../reading/versions.ts'
import type { SourceFile } from '../source/source.ts'
import { type ChatGptFiles, isConversation } from './files.ts'
import { conversationOf, type MessageRecord } from './records.ts'

const MOST_DEPTH = 100

export async function* readChatGpt(files: ChatGptFiles, from: Json | null): AsyncGenerator<ImportEvent> {
  const start = isObject(from) ? { file: Number(from.file), item: Number(from.item) } : { file: 0, item: 0 }
  const all = files.conversations.reduce((sum, { size }) => sum + size, 0) || 1
  const versionOf = versionsSoFar()
  let before = 0
  for (const [index, file] of files.conversations.entries()) {
    const isDone = (item: number) => index < start.file || (index === start.file && item < start.item)
    try {
      for await (const { index: item, text, problem, end } of jsonItems(file.open())) {
        const place = `${file.path}, conversation ${item + 1}`
        if (problem) {
          if (!isDone(item)) yield { kind: 'rejection', place, ...problemOf(problem) }
          continue
        }
        // Conversations that are already stored are read too, to detect later ones with the same id.
        for await (const event of readConversation(text ?? '', place, files, versionOf)) {
          if (isDone(item)) break
          yield event
        }
        if (isDone(item)) continue
        const done = Math.min(1, (before + end) / all)
        yield { kind: 'checkpoint', state: { file: index, item: item + 1 }, done }
      }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      yield { kind: 'rejection', place: file.path, code: error.code, message: error.message }
    }
    before += file.size
  }
}

async function* readConversation(
  text: string,
  place: string,
  files: ChatGptFiles,
  versionOf: VersionOf,
): AsyncGenerator<ImportEvent> {
  let value: Json
  try {
    value = parseJson(text)
  } catch (error) {
    const message = `The conversation is not JSON: ${(error as Error).message}.`
    yield { kind: 'rejection', place, code: 'not_json', message }
    return
  }
  if (!isObject(value) || !isConversation(value)) {
    const message = 'The item is not a conversation: it has no "mapping" of messages.'
    yield { kind: 'rejection', place, code: 'not_a_conversation', message }
    return
  }
  if (isTooDeep(value, MOST_DEPTH)) {
    yield {
      kind: 'rejection',
      place,
      code: 'too_deep',
      message: `The conversation is nested deeper than ${MOST_DEPTH} levels.`,
    }
    return
  }
  const id = [value.conversation_id, value.id].find(known => typeof known === 'string' && known !== '')
  const sourceId = typeof id === 'string' ? id : `${writtenIn(value.create_time)} ${writtenIn(value.title)}`
  const conversation = conversationOf(
    value,
    sourceId,
    versionOf(sourceId, () => text),
  )
  yield {
    kind: 'record',
    stream: 'chatgpt_conversations',
    key: conversation.key,
    data: conversation.data,
    place,
  }
  for (const nodeId of conversation.unreadable) {
    const message = 'The message has neither an author nor content.'
    yield { kind: 'rejection', place: `${place}, message ${nodeId}`, code: 'not_a_message', message }
  }
  for (const message of conversation.messages) {
    yield* storedAttachments(message, files.assets)
    yield {
      kind: 'record',
      stream: 'chatgpt_messages',
      key: message.key,
      data: message.data,
      place: `${place}, message ${message.nodeId}`,
    }
  }
}

/** Attached files that the export includes become blobs; for others only the name is kept. */
async function* storedAttachments(
  message: MessageRecord,
  assets: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const attachments: (typeof message.data)[] = []
  for (const attachment of message.attachments) {
    const file = attachment.file_id === null ? undefined : assets.get(attachment.file_id)
    if (!file) {
      attachments.push({ ...attachment })
      continue
    }
    const stored = yield* storedFile(file, attachment.name ?? undefined, attachment.mime_type ?? undefined)
    attachments.push({ ...attachment, ...stored })
  }
  message.data.attachments = attachments
}
