import type { JsonObject } from '../../model/json.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { problemOf } from '../json-items.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import { findingOf } from '../reading/exported-files.ts'
import { type ItemsOf, itemPerFile } from '../reading/file-items.ts'
import { recordIdOf } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
import { APPLE_NOTES } from './declaration.ts'
import { type Detail, detailsIn } from './details.ts'

const MOST_NOTE_BYTES = 64 * 1024 * 1024

/** A note is a folder with its text and its files. */
interface Note {
  text: SourceFile
  /** The folder of the note, below the root of the export. */
  path: string
  files: SourceFile[]
}

export const recognise: Recognise = async (lists, source) => {
  const [list] = lists
  if (!list) return null
  const root = folderIn(list.path)
  const notes = notesIn(source, root)
  if (notes.length === 0) return null
  const texts = notes.map(({ text }) => text)
  const beside = [...lists, ...notes.flatMap(({ files }) => files)]
  return findingOf(APPLE_NOTES, texts, 1, () => noteReader(notes, lists, source.timeZone), {
    beside,
    items: notes.length,
    exact: true,
  })
}

function notesIn({ files }: Source, root: string): Note[] {
  const folders = Map.groupBy(
    files.filter(({ path }) => path.startsWith(root) && folderIn(path) !== root),
    ({ path }) => folderIn(path),
  )
  return [...folders].flatMap(([folder, inside]) => {
    const text = inside.find(({ path }) => /\.txt$/i.test(path))
    if (!text) return []
    return [{ text, path: folder.slice(root.length, -1), files: inside.filter(file => file !== text) }]
  })
}

async function noteReader(
  notes: readonly Note[],
  lists: readonly SourceFile[],
  timeZone: string | undefined,
): Promise<ItemsOf> {
  const names = notes.map(({ path }) => nameIn(path))
  const { detailOf, unread } = await detailsIn(lists, names, timeZone)
  const byText = new Map(notes.map(note => [note.text, note]))
  return itemPerFile(async function* (file) {
    if (file === notes[0]?.text) yield* unread
    const note = byText.get(file)
    if (note) yield* noteEvents(note, detailOf(nameIn(note.path)))
  })
}

async function* noteEvents({ text, path, files }: Note, detail: Detail | null): AsyncGenerator<ImportEvent> {
  const { bytes, whole } = await startOf(text, MOST_NOTE_BYTES)
  if (!whole) {
    yield { kind: 'rejection', place: text.path, ...problemOf('too_large') }
    return
  }
  const attachments: JsonObject[] = []
  for (const file of files) {
    const stored = yield* storedFile(file)
    if (stored) attachments.push(stored)
  }
  const source_id = detail?.id ?? path
  const id = recordIdOf('apple note', source_id)
  // `Notes/Kitchen/Bread`: the first folder holds all notes.
  const folder = path.split('/').slice(1, -1).join('/')
  const data = {
    id,
    title: detail?.title ?? nameIn(path),
    text: bytes.toString('utf8').trim() || null,
    folder: folder || null,
    noted_at: detail?.created ?? null,
    updated_at: detail?.modified ?? null,
    is_pinned: detail?.isPinned ?? false,
    is_deleted: (detail?.isDeleted ?? false) || /deleted/i.test(path.split('/')[0] ?? ''),
    attachments,
    source_id,
  }
  yield { kind: 'record', stream: 'apple_notes', key: id, data, place: text.path }
}
