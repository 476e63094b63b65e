import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-stream.ts'
import type { ImportEvent } from '../importer.ts'
import { storedFile } from '../reading/attached-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { idIn, instantIn, textIn, textsIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'

interface Place {
  key: string
  position: number
  chat: { id: string; sourceId: string; name: string }
  place: string
}

export async function* messageEvents(
  message: JsonObject,
  { key, position, chat, place }: Place,
  media: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const type = textIn(message.messagetype) ?? 'Text'
  const content = textIn(message.content) ?? ''
  const from = idIn(message.from)
  // In a chat of two, the other person has the id of the chat.
  const name = from === chat.sourceId ? chat.name : (from?.replace(/^\d+:/, '') ?? null)
  const isSystem = type.startsWith('ThreadActivity/')
  yield chatRecord(
    'skype_messages',
    {
      id: key,
      chat: chat.name,
      chat_id: chat.id,
      sender: isSystem ? null : (textIn(message.displayName) ?? name),
      sender_id: from,
      text: textOf(type, content),
      sent_at: instantIn(message.originalarrivaltime),
      position,
      kind: isSystem ? 'system' : type === 'Event/Call' ? 'call' : 'message',
      attachments: yield* attachmentsOf(message, content, media),
      source_id: idIn(message.id),
    },
    place,
  )
}

function textOf(type: string, content: string): string | null {
  if (type === 'Text') return textIn(content)
  // Who joined or left, and who called whom for how long, are ids and numbers in XML.
  if (!type.startsWith('RichText')) return null
  if (/^\s*<URIObject\b/.test(content)) return null
  const html = content
    .replace(/<legacyquote>(?:(?!<legacyquote>)[\s\S])*?<\/legacyquote>/g, '\n')
    .replace(/\r?\n/g, '<br>')
  return textIn(textOfHtml(html))
}

async function* attachmentsOf(
  message: JsonObject,
  content: string,
  media: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent, JsonObject[]> {
  const written = /<OriginalName\b[^<>]*\bv="([^"]+)"/.exec(content)?.[1]
  const attachments: JsonObject[] = []
  for (const id of textsIn(message.amsreferences)) {
    const stored = yield* storedFile(media.get(id), written)
    if (stored) attachments.push(stored)
  }
  return attachments.length === 0 && written !== undefined ? [{ name: written }] : attachments
}
