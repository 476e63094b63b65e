import { type JsonObject, objectsIn } from '../../model/json.ts'
import { record, rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import { findingOf, itemPerFile } from '../reading/exported-files.ts'
import { wholeObject } from '../reading/json-objects.ts'
import { epochIn, idIn, linesIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { KEEP } from './declaration.ts'

const MEDIA = /\.(png|jpe?g|gif|webp|heic|3gp|m4a|mp3|amr|html)$/i

export const recognise: Recognise = async (notes, source) => {
  const folders = new Set(notes.map(({ path }) => folderIn(path)))
  const beside = source.files.filter(({ path }) => folders.has(folderIn(path)) && MEDIA.test(path))
  const byPath = new Map(source.files.map(file => [file.path, file]))
  const begin = async () => {
    const ids = await noteIds(notes)
    return itemPerFile(file => noteEvents(file, ids.get(file) ?? null, byPath))
  }
  return findingOf(KEEP, notes, 500, begin, { beside, items: notes.length, exact: true })
}

function createdIn(note: JsonObject): string | null {
  return idIn(note.createdTimestampUsec) ?? idIn(note.userEditedTimestampUsec)
}

/**
 * The id of each note: its creation time, plus the file name if another note has the same time. If two exports side
 * by side contain a note, only the most recently edited version gets an id.
 */
async function noteIds(notes: readonly SourceFile[]): Promise<Map<SourceFile, string>> {
  const firstName = new Map<string, string>()
  const newest = new Map<string, { file: SourceFile; edited: number }>()
  for (const file of notes) {
    const { value } = await wholeObject(file)
    if (!value) continue
    const created = createdIn(value) ?? file.path
    const name = nameIn(file.path)
    if (!firstName.has(created)) firstName.set(created, name)
    const id = firstName.get(created) === name ? created : `${created} ${name}`
    const edited = Number(idIn(value.userEditedTimestampUsec) ?? 0)
    const known = newest.get(id)
    if (!known || edited > known.edited) newest.set(id, { file, edited })
  }
  return new Map([...newest].map(([id, { file }]) => [file, id]))
}

async function* noteEvents(
  file: SourceFile,
  ownId: string | null,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const { value, problem } = await wholeObject(file)
  if (problem) yield rejection(file.path, problem)
  if (!value || ownId === null) return
  const created = createdIn(value)
  const items = objectsIn(value.listContent)
  const checklist = items.map(
    ({ text, isChecked }) => `${isChecked === true ? '[x]' : '[ ]'} ${textIn(text) ?? ''}`,
  )
  const named = objectsIn(value.attachments).filter(({ filePath }) => textIn(filePath) !== null)
  const attachments = yield* storedFiles(
    named.map(({ filePath, mimetype }) => {
      const name = String(filePath)
      // The note may say .jpeg while the file is named .jpg, or the reverse.
      const paths = [name, name.replace(/\.jpeg$/, '.jpg'), name.replace(/\.jpg$/, '.jpeg')]
      const found = paths.map(path => byPath.get(folderIn(file.path) + path)).find(each => each !== undefined)
      return [found, { name, mime_type: textIn(mimetype) }]
    }),
  )
  const id = recordIdOf('keep note', ownId)
  yield record('keep_notes', file.path, {
    id,
    title: textIn(value.title),
    text: linesIn(textIn(value.textContent), ...checklist),
    labels: objectsIn(value.labels).flatMap(({ name }) => textIn(name) ?? []),
    noted_at: epochIn(created ?? undefined, 'microseconds'),
    updated_at: epochIn(idIn(value.userEditedTimestampUsec) ?? undefined, 'microseconds'),
    open_items: items.filter(({ isChecked }) => isChecked !== true).length,
    is_pinned: value.isPinned === true,
    is_archived: value.isArchived === true,
    is_deleted: value.isTrashed === true,
    links: objectsIn(value.annotations).flatMap(({ url }) => textIn(url) ?? []),
    people: objectsIn(value.sharees).flatMap(({ email }) => textIn(email) ?? []),
    attachments,
    source_id: created ?? file.path,
  })
}
