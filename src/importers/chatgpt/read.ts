import type { JsonObject } from '../../model/json.ts'
import type { ImportEvent } from '../importer.ts'
import { storedFile } from '../reading/attached-files.ts'
import { type ItemsOf, inOrder } from '../reading/file-items.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { textIn, writtenIn } from '../reading/json-values.ts'
import { versionsSoFar } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import { type ChatGptFiles, isConversation } from './files.ts'
import { conversationOf } from './records.ts'

/** Two exports side by side may have different conversations with the same id, so all are read from the first. */
export function conversationReader({ conversations, assets }: ChatGptFiles): ItemsOf {
  const versionOf = versionsSoFar()
  return inOrder(conversations, file =>
    objectItems(listedObjects(file, 'conversation'), (value, { place, text }) => {
      if (!isConversation(value)) {
        const message = 'The item is not a conversation: it has no "mapping" of messages.'
        return [{ kind: 'rejection', place, code: 'not_a_conversation', message }]
      }
      const sourceId =
        textIn(value.conversation_id) ??
        textIn(value.id) ??
        `${writtenIn(value.create_time)} ${writtenIn(value.title)}`
      const id = recordIdOf('chatgpt conversation', sourceId, ...versionOf(sourceId, () => text))
      return conversationEvents(value, { id, sourceId, place }, assets)
    }),
  )
}

async function* conversationEvents(
  value: JsonObject,
  { id, sourceId, place }: { id: string; sourceId: string; place: string },
  assets: ChatGptFiles['assets'],
): AsyncGenerator<ImportEvent> {
  const { data, unreadable, messages } = conversationOf(value, id, sourceId)
  yield { kind: 'record', stream: 'chatgpt_conversations', key: id, data, place }
  for (const nodeId of unreadable) {
    const message = 'The message has neither an author nor content.'
    yield { kind: 'rejection', place: `${place}, message ${nodeId}`, code: 'not_a_message', message }
  }
  for (const { key, nodeId, data } of messages) {
    const attachments: JsonObject[] = []
    for (const attachment of data.attachments) {
      const file = attachment.file_id === null ? undefined : assets.get(attachment.file_id)
      const stored = yield* storedFile(file, attachment.name, attachment.mime_type)
      attachments.push({ ...attachment, ...stored })
    }
    const at = `${place}, message ${nodeId}`
    yield { kind: 'record', stream: 'chatgpt_messages', key, data: { ...data, attachments }, place: at }
  }
}
