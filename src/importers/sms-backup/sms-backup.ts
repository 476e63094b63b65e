import type { Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import type { FileItem } from '../reading/file-items.ts'
import { elementItems } from '../reading/xml-elements.ts'
import { repeatCounter, repeatedIds } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import { SMS_BACKUP } from './declaration.ts'
import { messageEvents, messageFacts } from './message.ts'
import { withWholeCharacters } from './whole-characters.ts'

const MESSAGE_BYTES = 500
const ELEMENTS = new Set(['sms', 'mms'])

export const recognise: Recognise = async files =>
  findingOf(SMS_BACKUP, files, MESSAGE_BYTES, () => messageItems)

function messageItems(file: SourceFile): AsyncGenerator<FileItem> {
  const idOf = repeatedIds('sms message')
  const before = repeatCounter()
  const mended = { ...file, open: () => withWholeCharacters(file.open()) }
  return elementItems(mended, ELEMENTS, 'message', (element, place) => {
    const facts = messageFacts(element)
    const position = before(`${facts[0]} ${facts[1]}`) + 1
    return messageEvents(element, { id: idOf(...facts).id, position, place })
  })
}
