import { isObject, type JsonObject } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { findingOf, type ItemsOf } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { type FoundObject, listedObjects, objectItems, wholeObject } from '../reading/json-objects.ts'
import { instantIn, textIn } from '../reading/json-values.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { CLAUDE } from './declaration.ts'
import { conversationEvents, memoryEvents, projectEvents } from './records.ts'

const MESSAGE_BYTES = 1800

export const recognise: Recognise = async (_, source) => {
  const files = await claudeFilesOf(source)
  if (files.lookalike !== null) return { lookalike: files.lookalike, files: files.conversations }
  const read = [...files.conversations, ...files.projects, ...files.memories]
  if (read.length === 0) return null
  const begin = async (): Promise<ItemsOf> => {
    const isNewest = await newestVersions(files.conversations)
    return file =>
      objectItems(conversationItems(file), (value, { place }) => eventsOf(value, place, isNewest))
  }
  return findingOf(CLAUDE, read, MESSAGE_BYTES, begin, {
    beside: files.users ? [files.users] : [],
    account: files.conversations[0] ? await accountOf(files.conversations[0]) : null,
    name: files.users && (await userIn(files.users)),
  })
}

async function accountOf(file: SourceFile): Promise<string | null> {
  for await (const { value, index } of conversationItems(file)) {
    if (isObject(value?.account) && typeof value.account.uuid === 'string') return value.account.uuid
    if (index > 0) break
  }
  return null
}

/** The mail address of the person, or the name; null if the list has several people. */
async function userIn(file: SourceFile): Promise<string | null> {
  const users = await Array.fromAsync(conversationItems(file), ({ value }) => value)
  return users.length === 1 ? (textIn(users[0]?.email_address) ?? textIn(users[0]?.full_name)) : null
}

function* eventsOf(
  value: JsonObject,
  place: string,
  isNewest: Awaited<ReturnType<typeof newestVersions>>,
): Generator<ImportEvent> {
  if (isProject(value)) yield* projectEvents(value, place)
  else if ('conversations_memory' in value || 'project_memories' in value) yield* memoryEvents(value, place)
  else if (!isConversation(value)) {
    const message = 'The item is not a conversation: it has no "uuid" or no list of messages.'
    yield rejection(place, { code: 'not_a_conversation', message })
  } else if (isNewest(place, value)) yield* conversationEvents(value, place)
}

interface ClaudeFiles {
  conversations: SourceFile[]
  projects: SourceFile[]
  memories: SourceFile[]
  users: SourceFile | null
  /** Why a file that looks like an export cannot be read; null if any file can be read. */
  lookalike: string | null
}

const ITEMS_TO_TRY = 20
const MEMORY = /^\s*(?:\[\s*)?\{[\s\S]*"(?:conversations_memory|project_memories)"\s*:/

async function claudeFilesOf(source: Source): Promise<ClaudeFiles> {
  const found: ClaudeFiles = { conversations: [], projects: [], memories: [], users: null, lookalike: null }
  let readable = 0
  for (const file of source.files) {
    if (!/\.json$/i.test(file.path)) continue
    const head = await headText(file)
    if (MEMORY.test(head)) found.memories.push(file)
    if (!/"uuid"\s*:/.test(head)) continue
    if (/"(email_address|verified_phone_number)"\s*:/.test(head) && !/"chat_messages"/.test(head)) {
      found.users = file
      continue
    }
    const kind = await kindOf(file, head)
    if (kind === null) continue
    if (typeof kind === 'string') {
      readable++
      found[kind].push(file)
    } else {
      found.lookalike ??= `${file.path} has the layout of a Claude export but cannot be read: ${kind.broken}`
      found.conversations.push(file)
    }
  }
  return readable === 0 ? { ...found, memories: [], users: null } : { ...found, lookalike: null }
}

/** Null if the file is not part of an export; `broken` is the reason if it looks like one but cannot be read. */
async function kindOf(
  file: SourceFile,
  head: string,
): Promise<'conversations' | 'projects' | { broken: string } | null> {
  const mayBe = /"(chat_messages|prompt_template|docs)"\s*:/.test(head)
  if (!mayBe && file.size <= Buffer.byteLength(head)) return null
  let reason: string | null = null
  for await (const { value, problem, index } of conversationItems(file)) {
    if (index >= ITEMS_TO_TRY) break
    if (value && isConversation(value)) return 'conversations'
    if (value && isProject(value)) return 'projects'
    if (problem && /"chat_messages"\s*:/.test(head)) reason ??= problem.message
  }
  return reason === null ? null : { broken: reason }
}

/** The objects of a file, which is a list of objects or a single one. */
async function* conversationItems(file: SourceFile): AsyncGenerator<FoundObject> {
  if (/^\s*\{/.test(await headText(file))) yield await wholeObject(file)
  else yield* listedObjects(file, 'conversation')
}

function isConversation(value: JsonObject): boolean {
  return typeof value.uuid === 'string' && Array.isArray(value.chat_messages)
}

function isProject(value: JsonObject): boolean {
  return typeof value.uuid === 'string' && (Array.isArray(value.docs) || 'prompt_template' in value)
}

/** If several exports side by side contain a conversation, only the most recently changed version is used. */
async function newestVersions(
  files: readonly SourceFile[],
): Promise<(place: string, value: JsonObject) => boolean> {
  if (files.length < 2) return () => true
  const newest = new Map<string, { place: string; at: string; messages: number }>()
  for (const file of files) {
    for await (const { value, place } of conversationItems(file)) {
      const id = textIn(value?.uuid)
      if (!isObject(value) || id === null) continue
      const at = instantIn(value.updated_at) ?? ''
      const messages = Array.isArray(value.chat_messages) ? value.chat_messages.length : 0
      const known = newest.get(id)
      const isNewer = !known || at > known.at || (at === known.at && messages > known.messages)
      if (isNewer) newest.set(id, { place, at, messages })
    }
  }
  return (place, value) => newest.get(textIn(value.uuid) ?? '')?.place === place
}
