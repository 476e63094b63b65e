import type { JsonObject } from '../../model/json.ts'
import { ATTACHMENTS } from '../chat/chat-stream.ts'
import { ANY_RANGE, COUNT, FLAG, TEXT, TEXTS, TIME } from '../field-types.ts'
import type { ImportEvent, Importer } from '../importer.ts'
import { declareSource } from '../own-source.ts'
import { folderIn, storedFile } from '../reading/attached-files.ts'
import { filesWith, findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { wholeObject } from '../reading/json-objects.ts'
import { epochIn, idIn, objectsIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'

export const KEEP = declareSource('google-keep', 'Google Keep', [
  {
    name: 'keep_notes',
    semantics: 'mutable_state',
    display: {
      label: 'Your notes in Google Keep',
      detail: 'Title, text, checklists, labels, pictures and recordings.',
    },
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        labels: { ...TEXTS, x_pdpp_role: 'label' },
        noted_at: { ...TIME, x_pdpp_role: 'event-time' },
        updated_at: TIME,
        open_items: COUNT,
        is_pinned: FLAG,
        is_archived: FLAG,
        is_deleted: FLAG,
        links: TEXTS,
        people: { ...TEXTS, x_pdpp_role: 'participant' },
        attachments: { ...ATTACHMENTS, x_pdpp_role: 'attachment' },
        source_id: { type: 'string' },
      },
    },
    primary_key: ['id'],
    cursor_field: 'noted_at',
    consent_time_field: 'noted_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'titles',
        label: 'Titles, labels and dates; no text',
        fields: ['id', 'title', 'labels', 'noted_at'],
      },
    ],
    query: {
      search: { lexical_fields: ['title', 'text', 'labels', 'attachments'] },
      range_filters: { noted_at: ANY_RANGE, updated_at: ANY_RANGE },
      aggregations: {
        count: true,
        sum: ['open_items'],
        min: ['noted_at'],
        max: ['noted_at'],
        group_by: ['is_archived', 'is_deleted', 'is_pinned'],
        group_by_time: ['noted_at', 'updated_at'],
      },
    },
  },
])

const MEDIA = /\.(png|jpe?g|gif|webp|heic|3gp|m4a|mp3|amr|html)$/i

export const keep: Importer = {
  format: 'google-keep',
  label: 'Google Keep notes',
  stage: 'export',
  async recognise(source) {
    const notes = await filesWith(
      source.files,
      /\.json$/i,
      head =>
        /^\s*\{/.test(head) &&
        /"(?:userEdited|created)TimestampUsec"\s*:/.test(head) &&
        /"isTrashed"\s*:/.test(head),
    )
    if (notes.length === 0) return null
    const folders = new Set(notes.map(({ path }) => folderIn(path)))
    const beside = source.files.filter(({ path }) => folders.has(folderIn(path)) && MEDIA.test(path))
    const byPath = new Map(source.files.map(file => [file.path, file]))
    const finding = findingOf(
      KEEP,
      notes,
      500,
      from =>
        readFileItems(notes, from, async function* (file) {
          yield { events: () => noteEvents(file, byPath), end: file.size }
        }),
      beside,
    )
    return { ...finding, items: notes.length, exact: true }
  },
}

async function* noteEvents(
  file: SourceFile,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const { value, rejection } = await wholeObject(file)
  if (rejection) yield rejection
  if (!value) return
  const created = idIn(value.createdTimestampUsec) ?? idIn(value.userEditedTimestampUsec)
  const source_id = created ?? file.path
  const items = objectsIn(value.listContent)
  const checklist = items.map(
    ({ text, isChecked }) => `${isChecked === true ? '[x]' : '[ ]'} ${textIn(text) ?? ''}`,
  )
  const attachments: JsonObject[] = []
  for (const { filePath, mimetype } of objectsIn(value.attachments)) {
    const name = textIn(filePath)
    if (name === null) continue
    // Keep names pictures .jpeg and writes .jpg, or the other way round.
    const paths = [name, name.replace(/\.jpeg$/, '.jpg'), name.replace(/\.jpg$/, '.jpeg')]
    const found = paths.map(path => byPath.get(folderIn(file.path) + path)).find(each => each !== undefined)
    const stored = found ? yield* storedFile(found, name, textIn(mimetype) ?? undefined) : null
    attachments.push(stored ?? { name, mime_type: textIn(mimetype) })
  }
  const id = recordIdOf('keep note', source_id)
  const data = {
    id,
    title: textIn(value.title),
    text: textIn([textIn(value.textContent), ...checklist].filter(part => part !== null).join('\n')),
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
    source_id,
  }
  yield { kind: 'record', stream: 'keep_notes', key: id, data, place: file.path }
}
