import { isObject, type Json, type JsonObject, parseJson } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { jsonItems } from '../json-items.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import { findingOf, type ItemsOf, inOrder } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems, wholeObject } from '../reading/json-objects.ts'
import { objectIn, textIn, writtenIn } from '../reading/json-values.ts'
import { versionsSoFar } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { CHATGPT } from './declaration.ts'
import { conversationOf } from './records.ts'

const MESSAGE_BYTES = 1800

export const recognise: Recognise = async (signed, source) => {
  const files = await chatGptFilesOf(signed, source)
  if (files.lookalike !== null) return { lookalike: files.lookalike, files: files.conversations }
  const { conversations, user } = files
  if (conversations.length === 0) return null
  const beside = [...files.assets.values(), ...files.others, ...(user ? [user] : [])]
  const about = user ? objectIn((await wholeObject(user)).value) : {}
  return findingOf(CHATGPT, conversations, MESSAGE_BYTES, () => conversationReader(files), {
    beside,
    account: textIn(about.id),
    name: textIn(about.email),
  })
}

/** Two exports side by side may have different conversations with the same id, so all are read from the first. */
function conversationReader({ conversations, assets }: ChatGptFiles): ItemsOf {
  const versionOf = versionsSoFar()
  return inOrder(conversations, file =>
    objectItems(listedObjects(file, 'conversation'), (value, { place, text }) => {
      if (!isConversation(value)) {
        const message = 'The item is not a conversation: it has no "mapping" of messages.'
        return [rejection(place, { code: 'not_a_conversation', message })]
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
    yield rejection(`${place}, message ${nodeId}`, { code: 'not_a_message', message })
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

interface ChatGptFiles {
  conversations: SourceFile[]
  /** Pictures, recordings and uploads, by their id at OpenAI. */
  assets: Map<string, SourceFile>
  user: SourceFile | null
  /** Lists and settings beside the conversations, and the page that shows the conversations again. */
  others: SourceFile[]
  /** Why a file that looks like an export cannot be read; null if any file can be read. */
  lookalike: string | null
}

async function chatGptFilesOf(signed: readonly SourceFile[], source: Source): Promise<ChatGptFiles> {
  const conversations: SourceFile[] = []
  const assets = new Map<string, SourceFile>()
  let user: SourceFile | null = null
  let lookalike: string | null = null
  let readable = 0
  for (const file of source.files) {
    const name = nameIn(file.path)
    const asset = /^(file[-_][A-Za-z0-9]{8,})/.exec(name)?.[1]
    if (asset) assets.set(asset, file)
    if (name === 'user.json') user = file
  }
  for (const file of signed) {
    const verdict = await verdictOn(file)
    if (verdict === null) continue
    if (verdict.broken === null) readable++
    else lookalike ??= `${file.path} has the layout of a ChatGPT export but cannot be read: ${verdict.broken}`
    conversations.push(file)
  }
  if (readable === 0) return { conversations, assets: new Map(), user: null, others: [], lookalike }
  const folders = new Set(conversations.map(({ path }) => folderIn(path)))
  const others = source.files.filter(({ path }) => folders.has(folderIn(path)) && OTHERS.test(nameIn(path)))
  return { conversations, assets, user, others, lookalike: null }
}

const OTHERS =
  /^(?:chat\.html|(?:shared_conversations|message_feedback|model_comparisons|group_chats|shopping|sora|user_settings|export_manifest|conversation_asset_file_names)\.json)$/

const ITEMS_TO_TRY = 20

/** Null if the file is not a list of conversations; `broken` is the reason if such a list cannot be read. */
async function verdictOn(file: SourceFile): Promise<{ broken: string | null } | null> {
  const head = await headText(file)
  const mapped = /"mapping"\s*:\s*\{/.test(head)
  const longer = file.size > Buffer.byteLength(head)
  if (!mapped && !longer) return null
  let broken: string | null = null
  try {
    for await (const item of jsonItems(file.open())) {
      if (item.index >= ITEMS_TO_TRY) break
      try {
        if (item.text !== null && isConversation(parseJson(item.text))) return { broken: null }
      } catch (error) {
        if (mapped) broken ??= `item ${item.index + 1} is not JSON (${(error as Error).message}).`
      }
    }
  } catch (error) {
    return mapped || nameIn(file.path) === 'conversations.json' ? { broken: (error as Error).message } : null
  }
  return broken === null ? null : { broken }
}

/** A conversation is a tree of messages: `mapping` holds nodes that name their parents. DeepSeek's have other times. */
function isConversation(value: Json): boolean {
  if (!isObject(value) || !isObject(value.mapping) || 'inserted_at' in value) return false
  return Object.values(value.mapping).every(node => isObject(node) && ('message' in node || 'parent' in node))
}
