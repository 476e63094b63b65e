import { type JsonObject, objectsIn } from '../../model/json.ts'
import { record, rejection } from '../events.ts'
import type { ImportEvent } from '../importer.ts'
import { instantIn, integerIn, objectIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import { contentOf } from './content.ts'

export function* conversationEvents(conversation: JsonObject, place: string): Generator<ImportEvent> {
  const sourceId = String(conversation.uuid)
  const id = recordIdOf('claude conversation', sourceId)
  const listed = Array.isArray(conversation.chat_messages) ? conversation.chat_messages : []
  const messages = objectsIn(listed)
  const keyOf = (uuid: string) => recordIdOf('claude message', sourceId, uuid)
  const known = new Set(messages.map(({ uuid }) => uuid))
  const shown = shownIds(messages, textIn(conversation.current_leaf_message_uuid))
  const title = textIn(conversation.name)
  const created_at = instantIn(conversation.created_at)
  let opening: string | null = null
  const records: ImportEvent[] = []
  for (const [index, message] of messages.entries()) {
    const uuid = textIn(message.uuid)
    const key = keyOf(uuid ?? `no uuid ${index}`)
    const parent = textIn(message.parent_message_uuid)
    const content = contentOf(message)
    const attachments = attachmentsOf(message)
    if (opening === null && message.sender === 'human') opening = content.text
    const data = {
      id: key,
      ...content,
      conversation_title: title,
      conversation_id: id,
      sender: textIn(message.sender),
      created_at: instantIn(message.created_at) ?? created_at,
      position: index + 1,
      is_shown: shown === null || (uuid !== null && shown.has(uuid)),
      parent_id: parent !== null && known.has(parent) ? keyOf(parent) : null,
      attachments,
      attachment_count: attachments.length,
      source_id: uuid,
    }
    const at = `${place}, message ${uuid ?? index + 1}`
    records.push(record('claude_messages', at, data))
  }
  yield record('claude_conversations', place, {
    id,
    title,
    summary: textIn(conversation.summary),
    opening,
    created_at,
    updated_at: instantIn(conversation.updated_at),
    model: textIn(conversation.model),
    message_count: messages.length,
    is_starred: conversation.is_starred === true,
    source_id: sourceId,
  })
  for (let missing = messages.length; missing < listed.length; missing++)
    yield rejection(place, { code: 'not_a_message', message: 'A message is not an object.' })
  yield* records
}

/** The messages of the branch that Claude shows; null if the export has one branch. */
function shownIds(messages: readonly JsonObject[], leaf: string | null): Set<string> | null {
  const parents = new Map(messages.map(({ uuid, parent_message_uuid }) => [uuid, parent_message_uuid]))
  if (
    leaf === null ||
    !parents.has(leaf) ||
    ![...parents.values()].some(parent => parents.has(parent ?? null))
  )
    return null
  const shown = new Set<string>()
  for (let id = leaf; parents.has(id) && !shown.has(id); id = String(parents.get(id))) shown.add(id)
  return shown
}

/** Files whose text Claude extracted, and files for which the export has only the name. */
function attachmentsOf(message: JsonObject): JsonObject[] {
  const attachments = objectsIn(message.attachments).map(file => ({
    name: textIn(file.file_name),
    mime_type: textIn(file.file_type),
    size_bytes: integerIn(file.file_size),
    text: textIn(file.extracted_content),
  }))
  const known = new Set(attachments.map(({ name }) => name))
  for (const file of [...objectsIn(message.files), ...objectsIn(message.files_v2)]) {
    const name = textIn(file.file_name)
    if (name === null || known.has(name)) continue
    known.add(name)
    attachments.push({ name, mime_type: null, size_bytes: null, text: null })
  }
  return attachments
}

export function* projectEvents(project: JsonObject, place: string): Generator<ImportEvent> {
  const sourceId = String(project.uuid)
  const id = recordIdOf('claude project', sourceId)
  const name = textIn(project.name)
  yield record('claude_projects', place, {
    id,
    kind: 'project',
    title: name,
    text: textIn(project.description),
    instructions: textIn(project.prompt_template),
    project: name,
    project_id: id,
    created_at: instantIn(project.created_at),
    updated_at: instantIn(project.updated_at),
    source_id: sourceId,
  })
  for (const [index, document] of objectsIn(project.docs).entries()) {
    const uuid = textIn(document.uuid) ?? `document ${index + 1}`
    const key = recordIdOf('claude document', sourceId, uuid)
    yield record('claude_projects', `${place}, ${uuid}`, {
      id: key,
      kind: 'document',
      title: textIn(document.filename),
      text: textIn(document.content),
      instructions: null,
      project: name,
      project_id: id,
      created_at: instantIn(document.created_at),
      updated_at: null,
      source_id: uuid,
    })
  }
}

/** What Claude remembers about the owner from all conversations, and from those of each project. */
export function* memoryEvents(memory: JsonObject, place: string): Generator<ImportEvent> {
  const account = textIn(memory.account_uuid) ?? ''
  const texts: [string | null, string | null][] = [
    [null, textIn(memory.conversations_memory)],
    ...Object.entries(objectIn(memory.project_memories)).map(([project, text]): [string, string | null] => [
      project,
      textIn(text),
    ]),
  ]
  for (const [project, text] of texts) {
    if (text === null) continue
    const id = recordIdOf('claude memory', account, project ?? '')
    const project_id = project === null ? null : recordIdOf('claude project', project)
    yield record('claude_memories', place, { id, text, project_id, updated_at: instantIn(memory.updated_at) })
  }
}
