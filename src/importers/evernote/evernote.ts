import type { JsonObject } from '../../model/json.ts'
import { record } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { nameIn, storedBase64 } from '../reading/attached-files.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { childText, elementItems, type XmlElement } from '../reading/xml-elements.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { basicTime } from '../written-time.ts'
import { EVERNOTE } from './declaration.ts'

const NOTE = new Set(['note'])

export const recognise: Recognise = async files => findingOf(EVERNOTE, files, 5000, () => noteItems)

function noteItems(file: SourceFile): AsyncGenerator<FileItem> {
  const notebook = nameIn(file.path).replace(/\.enex$/i, '')
  const idOf = repeatedIds('evernote note')
  return elementItems(file, NOTE, 'note', (note, place) => {
    const { id } = idOf(childText(note, 'title') ?? '', childText(note, 'created') ?? '')
    return noteEvents(note, id, notebook, place)
  })
}

function* noteEvents(note: XmlElement, id: string, notebook: string, place: string): Generator<ImportEvent> {
  const attributes = note.children.find(({ name }) => name === 'note-attributes')
  const attachments: JsonObject[] = []
  for (const resource of note.children.filter(({ name }) => name === 'resource')) {
    const described = resource.children.find(({ name }) => name === 'resource-attributes')
    const name = described ? childText(described, 'file-name') : null
    const data = childText(resource, 'data') ?? ''
    attachments.push(yield* storedBase64(data, childText(resource, 'mime') ?? '', name))
  }
  yield record('evernote_notes', place, {
    id,
    title: childText(note, 'title'),
    text: textOf(note),
    notebook,
    author: attributes ? childText(attributes, 'author') : null,
    tags: note.children.filter(({ name }) => name === 'tag').map(({ text }) => text.trim()),
    noted_at: basicTime(childText(note, 'created')),
    updated_at: basicTime(childText(note, 'updated')),
    url: attributes ? childText(attributes, 'source-url') : null,
    attachments,
  })
}

/** The text of a note, with its checkboxes and below it its tasks. */
function textOf(note: XmlElement): string | null {
  const content = (childText(note, 'content') ?? '')
    .replace(/<en-crypt\b(?:(?!<en-crypt\b)[\s\S])*?<\/en-crypt>/g, '[encrypted]')
    .replace(/<en-todo\b[^<>]*>/g, tag => (tag.includes('checked="true"') ? '[x] ' : '[ ] '))
    .replace(/(<li\b[^<>]*>)\s*(?:<div\b[^<>]*>)?/g, (whole, item: string) => {
      const checked = /--en-checked:\s*(true|false)/.exec(item)?.[1]
      return checked === undefined ? whole : `<li>${checked === 'true' ? '[x]' : '[ ]'} `
    })
  const tasks = note.children
    .filter(({ name }) => name === 'task')
    .map(
      task =>
        `${childText(task, 'taskStatus') === 'completed' ? '[x]' : '[ ]'} ${childText(task, 'title') ?? ''}`,
    )
  return [textOfHtml(content), ...tasks].filter(line => line !== '').join('\n') || null
}
