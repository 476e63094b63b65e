import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { record, rejection, TOO_LARGE } from '../events.ts'
import type { ImportEvent, Recognise, RejectionEvent } from '../importer.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import { findingOf, type ItemsOf, itemPerFile } from '../reading/exported-files.ts'
import { recordIdOf } from '../record-id.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { csvRecords } from '../table/csv.ts'
import { startOf } from '../utf8.ts'
import { parseWrittenTime } from '../written-time.ts'
import { APPLE_NOTES } from './declaration.ts'

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
    yield rejection(text.path, TOO_LARGE)
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
  yield record('apple_notes', text.path, {
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
  })
}

/** A row of the list of notes in the export (`Notes Details.csv`). */
interface Detail {
  /** The creation time as it is written, if no other note has the same one; otherwise null. */
  id: string | null
  title: string
  created: string | null
  modified: string | null
  isPinned: boolean
  isDeleted: boolean
}

/**
 * Finds the details of a note by the name of its folder. The list has titles but no paths, so a row is used only if
 * no other note has the same title.
 */
async function detailsIn(
  lists: readonly SourceFile[],
  names: readonly string[],
  timeZone: string | undefined,
): Promise<{ detailOf: (name: string) => Detail | null; unread: RejectionEvent[] }> {
  const rows: Detail[] = []
  const unread: RejectionEvent[] = []
  for (const list of lists) {
    try {
      for await (const { row } of csvRecords(list.open())) rows.push(detailIn(row, timeZone))
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      unread.push(rejection(list.path, error))
    }
  }
  const byName = Map.groupBy(rows, ({ title }) => comparable(title))
  const byTime = Map.groupBy(rows, ({ id }) => id)
  const folders = Map.groupBy(names, comparable)
  const detailOf = (name: string) => {
    const found = byName.get(comparable(name)) ?? []
    const [row] = found
    if (!row || found.length > 1 || (folders.get(comparable(name)) ?? []).length > 1) return null
    return { ...row, id: byTime.get(row.id)?.length === 1 ? row.id : null }
  }
  return { detailOf, unread }
}

function detailIn(row: Record<string, string>, timeZone: string | undefined): Detail {
  const cell = (name: string) => row[name] ?? ''
  const time = (name: string, zone = timeZone) =>
    parseWrittenTime(cell(name), 'month-first', zone)?.utc ?? null
  return {
    id: time('Created On', 'UTC'),
    title: cell('Title'),
    created: time('Created On'),
    modified: time('Modified On'),
    isPinned: /^yes$/i.test(cell('Pinned')),
    isDeleted: /^yes$/i.test(cell('Deleted')),
  }
}

/** A folder has the title of its note, without characters that file names cannot contain, and possibly cut off. */
function comparable(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()
    .slice(0, 40)
}
