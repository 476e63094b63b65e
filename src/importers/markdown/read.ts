import type { JsonObject } from '../../model/json.ts'
import type { ImportEvent } from '../importer.ts'
import { storedFile } from '../reading/attached-files.ts'
import { wholeFile } from '../reading/exported-files.ts'
import { type ItemsOf, itemPerFile } from '../reading/file-items.ts'
import type { SourceFile } from '../source/source.ts'
import { decodeText, isText } from '../utf8.ts'
import { noteOf } from './note.ts'
import type { Vault } from './vault.ts'

const MOST_NOTE_BYTES = 64 * 1024 * 1024

/** A file that several notes use is stored once. */
export function noteReader(vault: Vault): ItemsOf {
  const stored = new Map<string, JsonObject>()
  return itemPerFile(file => readNote(file, vault, stored))
}

async function* readNote(
  file: SourceFile,
  vault: Vault,
  stored: Map<string, JsonObject>,
): AsyncGenerator<ImportEvent> {
  const reject = (code: string, message: string): ImportEvent => ({
    kind: 'rejection',
    place: file.path,
    code,
    message,
  })
  const bytes = await wholeFile(file, MOST_NOTE_BYTES)
  if (bytes === null) {
    yield reject('item_too_large', `The note is larger than ${MOST_NOTE_BYTES / 1024 / 1024} MB.`)
    return
  }
  if (!isText(bytes)) {
    yield reject('not_text', 'The file is named like a note but is not text.')
    return
  }
  const note = noteOf(decodeText(bytes), file, vault)
  const attachments: JsonObject[] = []
  for (const attachment of note.attachments) {
    let known = stored.get(attachment.path)
    if (!known) {
      known = (yield* storedFile(attachment)) ?? undefined
      if (!known) continue
      stored.set(attachment.path, known)
    }
    attachments.push(known)
  }
  const data = { ...note.data, attachments }
  yield { kind: 'record', stream: 'notes', key: note.key, data, place: file.path }
}
