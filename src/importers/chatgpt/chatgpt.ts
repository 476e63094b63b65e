import type { Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import { wholeObject } from '../reading/json-objects.ts'
import { objectIn, textIn } from '../reading/json-values.ts'
import { CHATGPT } from './declaration.ts'
import { chatGptFilesOf } from './files.ts'
import { conversationReader } from './read.ts'

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
