import { isObject, parseJson } from '../../model/json.ts'
import type { Finding, Importer } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
import { CHATGPT } from './declaration.ts'
import { chatGptFilesOf } from './files.ts'
import { readChatGpt } from './read.ts'

const MESSAGE_BYTES = 1800
const USER_FILE_BYTES = 64 * 1024

export const chatgpt: Importer = {
  format: 'chatgpt',
  label: 'ChatGPT export',
  stage: 'export',
  async recognise(source) {
    const files = await chatGptFilesOf(source)
    if (files.lookalike !== null) return { lookalike: files.lookalike, files: files.conversations }
    if (files.conversations.length === 0) return null
    const bytes = files.conversations.reduce((sum, { size }) => sum + size, 0)
    return {
      files: [...files.conversations, ...files.assets.values(), ...(files.user ? [files.user] : [])],
      items: Math.max(1, Math.round(bytes / MESSAGE_BYTES)),
      exact: false,
      span: null,
      declaration: CHATGPT,
      account: files.user === null ? null : await accountOf(files.user),
      name: null,
      read: from => readChatGpt(files, from),
    } satisfies Finding
  },
}

async function accountOf(file: SourceFile): Promise<string | null> {
  try {
    const user = parseJson((await startOf(file, USER_FILE_BYTES)).bytes.toString('utf8'))
    return isObject(user) && typeof user.id === 'string' ? user.id : null
  } catch {
    return null
  }
}
