import { isObject, type Json, parseJson } from '../../model/json.ts'
import type { Finding, Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import { textIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
import { CHATGPT } from './declaration.ts'
import { chatGptFilesOf } from './files.ts'
import { readChatGpt } from './read.ts'

const MESSAGE_BYTES = 1800
const USER_FILE_BYTES = 64 * 1024

export const recognise: Recognise = async (signed, source) => {
  const files = await chatGptFilesOf(signed, source)
  if (files.lookalike !== null) return { lookalike: files.lookalike, files: files.conversations }
  const { conversations, user } = files
  if (conversations.length === 0) return null
  const beside = [...files.assets.values(), ...files.others, ...(user ? [user] : [])]
  const events = (from: Json | null) => readChatGpt(files, from)
  const finding = findingOf(CHATGPT, conversations, MESSAGE_BYTES, events, beside)
  return { ...finding, ...(user && (await accountOf(user))) }
}

async function accountOf(file: SourceFile): Promise<Pick<Finding, 'account' | 'name'> | null> {
  try {
    const user = parseJson((await startOf(file, USER_FILE_BYTES)).bytes.toString('utf8'))
    if (!isObject(user)) return null
    return {
      account: typeof user.id === 'string' ? user.id : null,
      name: textIn(user.email),
    }
  } catch {
    return null
  }
}
