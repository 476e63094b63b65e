import { isObject, type JsonObject } from '../../model/json.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import type { ItemsOf } from '../reading/file-items.ts'
import { objectItems } from '../reading/json-objects.ts'
import { textIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'
import { CLAUDE } from './declaration.ts'
import {
  claudeFilesOf,
  conversationItems,
  isConversation,
  isMemory,
  isProject,
  newestVersions,
} from './files.ts'
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
  else if (isMemory(value)) yield* memoryEvents(value, place)
  else if (!isConversation(value)) {
    const message = 'The item is not a conversation: it has no "uuid" or no list of messages.'
    yield { kind: 'rejection', place, code: 'not_a_conversation', message }
  } else if (isNewest(place, value)) yield* conversationEvents(value, place)
}
