import { type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import { DEEPSEEK } from '../chat/messengers.ts'
import { type Placed, placedMessages } from '../chatgpt/tree.ts'
import { rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import { listedObjects, objectItems, wholeObject } from '../reading/json-objects.ts'
import { idIn, instantIn, objectIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'

const MESSAGE_BYTES = 1800

export const recognise: Recognise = async (read, source) => {
  const user = source.files.find(({ path }) => /(?:^|\/)user\.json$/.test(path))
  const about = user ? objectIn((await wholeObject(user)).value) : {}
  const itemsOf = (file: SourceFile) =>
    objectItems(listedObjects(file, 'conversation'), (value, { place }) => conversationEvents(value, place))
  return findingOf(DEEPSEEK, read, MESSAGE_BYTES, () => itemsOf, {
    beside: user ? [user] : [],
    account: idIn(about.user_id) ?? idIn(about.id),
    name: textIn(about.email),
  })
}

function* conversationEvents(conversation: JsonObject, place: string): Generator<ImportEvent> {
  const id = idIn(conversation.id) ?? textIn(conversation.inserted_at)
  if (id === null) {
    const message = 'The item is not a conversation: it has no id.'
    yield rejection(place, { code: 'not_a_conversation', message })
    return
  }
  for (const placed of placedMessages(objectIn(conversation.mapping), null)) {
    const keyOf = (nodeId: string) => recordIdOf('deepseek message', id, nodeId)
    const { thinking, text, sender } = contentOf(placed)
    yield chatRecord('deepseek_messages', `${place}, message ${placed.nodeId}`, {
      id: keyOf(placed.nodeId),
      chat: textIn(conversation.title),
      chat_id: recordIdOf('deepseek conversation', id),
      sender,
      text,
      sent_at: instantIn(placed.message.inserted_at) ?? instantIn(conversation.inserted_at),
      position: placed.position,
      kind: 'message',
      reply_to_id: placed.parent === null ? null : keyOf(placed.parent),
      attachments: objectsIn(placed.message.files).map(({ file_name }) => ({ name: textIn(file_name) })),
      source_id: placed.nodeId,
      more: { thinking, model: textIn(placed.message.model) },
    })
  }
}

/** A message is a list of fragments. Older exports have its text and reasoning, and the two write in turn. */
function contentOf({ message, position }: Placed) {
  const fragments = objectsIn(message.fragments)
  if (fragments.length === 0) {
    const sender = position % 2 === 1 ? 'user' : 'assistant'
    return { text: textIn(message.content), thinking: textIn(message.reasoning_content), sender }
  }
  const written = (...types: string[]) =>
    textIn(
      fragments
        .filter(({ type }) => types.some(each => each === type))
        .flatMap(({ content }) => textIn(content) ?? [])
        .join('\n\n'),
    )
  const isAsked = fragments.some(({ type }) => type === 'REQUEST')
  return {
    text: written('REQUEST', 'RESPONSE'),
    thinking: written('THINK'),
    sender: isAsked ? 'user' : 'assistant',
  }
}
