import { chatItems } from '../chat/written-chat.ts'
import { folderIn, nameIn } from '../reading/attached-files.ts'
import type { ItemsOf } from '../reading/exported-files.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { messagesOf } from './messages.ts'

/** `<attached: photo.jpg>` and `photo.jpg (file attached)`, in every language. */
const ATTACHED = [
  /^<[^<>:]{2,30}:\s?([^<>/\\]{1,200}\.\w{2,5})>$/u,
  /^([^/\\<>]{1,200}\.\w{2,5}) \([^()]{3,40}\)$/u,
]
/** On an iPhone the caption comes before: `Our bread \u200e<attached: photo.jpg>`. */
const ATTACHED_AFTER = /^([\s\S]*?)\s?\u200e(<[^<>:]{2,30}:[^<>/\\]{1,200}\.\w{2,5}>)$/u

export function chatReader(source: Source): ItemsOf {
  return file => {
    const name = chatNameOf(file, source)
    const chat = { kind: 'whatsapp', stream: 'whatsapp_messages', name, file, source, contentOf }
    return chatItems(chat, messagesOf(file, source.timeZone))
  }
}

/** The text without the name of the attached file. */
function contentOf(written: string): { name: string | null; text: string } {
  const [first = '', ...rest] = written.split('\n')
  const name = attachedIn(first)
  if (name !== null) return { name, text: rest.join('\n') }
  const [, caption = '', after = ''] = ATTACHED_AFTER.exec(written) ?? []
  return after === '' ? { name: null, text: written } : { name: attachedIn(after), text: caption }
}

export function attachedIn(line: string): string | null {
  const plain = line.replace(/[\u200e\u200f]/g, '').trim()
  return ATTACHED.map(pattern => pattern.exec(plain)?.[1]).find(name => name !== undefined) ?? null
}

const OF_CHAT =
  /^(?=.*(?:whatsapp|واتساب)).*?\s(?:-|with|mit|con|com|avec|met|med|ile|с|z|kanssa|と|与|與|עם|مع)\s+(.+)$/iu

/** Whether WhatsApp has named the file: `_chat.txt`, `WhatsApp Chat with Ben.txt`. */
export function isNamedChat({ path }: SourceFile): boolean {
  return /^_chat\.txt$/.test(nameIn(path)) || OF_CHAT.test(nameIn(path))
}

/** The name of a chat comes from the name of its file, or of the archive or folder that contains `_chat.txt`. */
export function chatNameOf(file: SourceFile, source: Source): string {
  const name = nameIn(file.path).replace(/\.txt$/i, '')
  const folder = nameIn(folderIn(file.path).slice(0, -1))
  const around = folder === '' && source.kind !== 'file' ? source.name : folder
  const told = /^_chat$/.test(name) && around !== '' ? around : name
  const plain = told.normalize('NFC').replace(/\s?\(\d+\)$/, '')
  return OF_CHAT.exec(plain)?.[1] ?? plain
}
