import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { epochIn, instantIn, objectIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import { parseWrittenTime } from '../written-time.ts'
import { contentOf, linksOf } from './content.ts'
import { type Placed, placedMessages } from './tree.ts'

interface Attachment extends JsonObject {
  file_id: string | null
  name: string | null
  mime_type: string | null
  size_bytes: number | null
}

interface MessageRecord {
  key: string
  nodeId: string
  data: JsonObject & { attachments: Attachment[] }
}

interface Conversation {
  data: JsonObject
  messages: MessageRecord[]
  /** Nodes whose message cannot be read. */
  unreadable: string[]
}

/** The records of a conversation; `id` is its record id, `sourceId` that of the export. */
export function conversationOf(conversation: JsonObject, id: string, sourceId: string): Conversation {
  const title = textIn(conversation.title)
  const placed = placedMessages(conversation.mapping as JsonObject, textIn(conversation.current_node))
  const readable = placed.filter(isReadable)
  const unreadable = placed.filter(entry => !isReadable(entry)).map(({ nodeId }) => nodeId)
  const created_at = timeOf(conversation.create_time)
  const keyOf = (nodeId: string) => recordIdOf('chatgpt message', id, nodeId)
  const times = timesOfMessages(readable, created_at)

  const messages = readable.map((entry): MessageRecord => {
    const { message, nodeId } = entry
    const author = objectIn(message.author)
    const metadata = objectIn(message.metadata)
    const content = contentOf(message.content)
    const role = textIn(author.role) ?? 'unknown'
    const recipient = textIn(message.recipient)
    const attachments = attachmentsOf(metadata, content.assets)
    const isEmpty = content.text === null && attachments.length === 0
    const isHidden =
      metadata.is_visually_hidden_from_conversation === true || (role === 'system' && !content.text)
    const time = times.get(nodeId) ?? { at: null, from: null }
    return {
      key: keyOf(nodeId),
      nodeId,
      data: {
        id: keyOf(nodeId),
        text: content.text,
        // A search for the title should not find a message that says nothing.
        conversation_title: isEmpty ? null : title,
        conversation_id: id,
        role,
        author: textIn(author.name) ?? role,
        created_at: time.at,
        time_from: time.from,
        position: entry.position,
        is_shown: entry.branch === 0 && !isHidden,
        branch: entry.branch,
        parent_id: entry.parent === null ? null : keyOf(entry.parent),
        is_hidden: isHidden,
        content_type: content.type,
        language: content.language,
        recipient: recipient === 'all' ? null : recipient,
        model: textIn(metadata.model_slug),
        links: linksOf(metadata),
        attachments,
        attachment_count: attachments.length,
        source_id: nodeId,
      },
    }
  })
  const shown = messages.filter(({ data }) => data.is_shown === true)
  // A project has the same kind of id as a custom GPT.
  const gizmo = textIn(conversation.gizmo_id)
  const isInProject = gizmo?.startsWith('g-p-') === true
  const models = messages.map(({ data }) => textIn(data.model)).filter(model => model !== null)
  return {
    messages,
    unreadable,
    data: {
      id,
      title,
      opening: textIn(shown.find(isQuestion)?.data.text),
      created_at: created_at ?? textIn(messages[0]?.data.created_at),
      updated_at: timeOf(conversation.update_time),
      model: textIn(conversation.default_model_slug) ?? models.at(-1) ?? null,
      custom_gpt: isInProject ? null : gizmo,
      project_id: isInProject ? gizmo : null,
      message_count: messages.length,
      shown_count: shown.length,
      branch_count: new Set(messages.map(({ data }) => data.branch)).size,
      is_archived: conversation.is_archived === true,
      is_starred: conversation.is_starred === true,
      source_id: sourceId,
    },
  }
}

/** Instructions that the owner gave to all conversations are a hidden message of the owner. */
function isQuestion({ data }: MessageRecord): boolean {
  return data.role === 'user' && data.text !== null && data.is_hidden !== true
}

function isReadable({ message }: Placed): boolean {
  return isObject(message.author) || isObject(message.content)
}

type TimeFrom = 'message' | 'neighbour' | 'conversation' | null

/** A message without a time gets the time of the previous message in its branch, or of the conversation. */
function timesOfMessages(placed: Placed[], created: string | null) {
  const times = new Map<string, { at: string | null; from: TimeFrom }>()
  for (const { nodeId, message, parent } of placed) {
    const own = timeOf(message.create_time)
    const above = parent === null ? undefined : times.get(parent)
    if (own !== null) times.set(nodeId, { at: own, from: 'message' })
    else if (above && above.from !== 'conversation' && above.at !== null) {
      times.set(nodeId, { at: above.at, from: 'neighbour' })
    } else times.set(nodeId, { at: created, from: created === null ? null : 'conversation' })
  }
  return times
}

/** Seconds since 1970, as ChatGPT writes them, or a date as text; one without a zone is read in UTC. */
function timeOf(value: Json | undefined): string | null {
  if (typeof value !== 'string') return epochIn(value, 'seconds')
  if (!/^\d{4}-\d{2}-\d{2}T/.test(value)) return null
  return instantIn(value) ?? parseWrittenTime(value, null)?.utc ?? null
}

function attachmentsOf(
  metadata: JsonObject,
  assets: { pointer: string; size: number | null }[],
): Attachment[] {
  const attachments = objectsIn(metadata.attachments).map(
    (file): Attachment => ({
      file_id: textIn(file.id),
      name: textIn(file.name),
      mime_type: textIn(file.mimeType) ?? textIn(file.mime_type),
      size_bytes: Number.isInteger(file.size) ? (file.size as number) : null,
    }),
  )
  const known = new Set(attachments.map(({ file_id }) => file_id))
  for (const { pointer, size } of assets) {
    const file_id = fileIdOf(pointer)
    if (known.has(file_id)) continue
    known.add(file_id)
    attachments.push({
      file_id,
      name: null,
      mime_type: null,
      size_bytes: Number.isInteger(size) ? size : null,
    })
  }
  return attachments
}

/** `file-service://file-abc` and `sediment://file_abc#x` name a file by its id. */
function fileIdOf(pointer: string): string {
  return pointer.replace(/^[a-z-]+:\/\//, '').replace(/[#?].*$/, '')
}
