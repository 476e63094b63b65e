import type { JsonObject } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { mediaTypeOf } from '../media-type.ts'
import { storedFile } from '../reading/attached-files.ts'
import { findingOf, type ItemsOf, itemPerFile, wholeFile } from '../reading/exported-files.ts'
import type { SourceFile } from '../source/source.ts'
import { decodeText, isText } from '../utf8.ts'
import { MARKDOWN } from './declaration.ts'
import { noteOf } from './note.ts'
import { type Vault, vaultOf } from './vault.ts'

const HEADS_TO_TRY = 20

export const recognise: Recognise = async (_, source) => {
  const vault = vaultOf(source)
  const [first] = vault.notes
  if (!first) return null
  if (!(await someAreTexts(vault.notes)))
    return { lookalike: `${first.path} is named like a note but is not text.`, files: vault.notes }
  const notes = new Set(vault.notes)
  return findingOf(MARKDOWN, vault.notes, 1, () => noteReader(vault), {
    // Which pictures the notes use is only known after reading them. Documents are also imported separately.
    files: source.files.filter(
      file => notes.has(file) || /^(image|audio|video)\//.test(mediaTypeOf(file.path)),
    ),
    items: vault.notes.length,
    exact: true,
  })
}

async function someAreTexts(notes: readonly SourceFile[]): Promise<boolean> {
  for (const note of notes.slice(0, HEADS_TO_TRY)) {
    const head = await note.head().catch(() => null)
    if (head !== null && isText(head)) return true
  }
  return notes.length > HEADS_TO_TRY
}

const MOST_NOTE_BYTES = 64 * 1024 * 1024

/** A file that several notes use is stored once. */
function noteReader(vault: Vault): ItemsOf {
  const stored = new Map<string, JsonObject>()
  return itemPerFile(file => readNote(file, vault, stored))
}

async function* readNote(
  file: SourceFile,
  vault: Vault,
  stored: Map<string, JsonObject>,
): AsyncGenerator<ImportEvent> {
  const reject = (code: string, message: string) => rejection(file.path, { code, message })
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
