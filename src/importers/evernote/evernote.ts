import { blobIdOf } from '../../model/declaration/blob.ts'
import type { JsonObject } from '../../model/json.ts'
import { mimeTypeOf } from '../blob.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { problemOf } from '../json-items.ts'
import { nameIn } from '../reading/attached-files.ts'
import { findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { childText, type XmlElement, xmlElements } from '../reading/xml-elements.ts'
import { repeatCounter, repeatedId } from '../repeats.ts'
import { parseWrittenTime } from '../written-time.ts'
import { EVERNOTE } from './declaration.ts'

const NOTE = new Set(['note'])

export const recognise: Recognise = async files => {
  return findingOf(EVERNOTE, files, 5000, from =>
    readFileItems(files, from, async function* (file) {
      const notebook = nameIn(file.path).replace(/\.enex$/i, '')
      const repeats = repeatCounter()
      for await (const { element, problem, index, end } of xmlElements(file, NOTE)) {
        const place = `${file.path}, note ${index + 1}`
        if (!element) {
          yield { events: () => [{ kind: 'rejection', place, ...problemOf(problem ?? 'cut_off') }], end }
          continue
        }
        const facts = [childText(element, 'title') ?? '', childText(element, 'created') ?? '']
        const repeat = repeats(facts.join('\n'))
        const id = repeatedId(repeat, 'evernote note', ...facts)
        yield { events: () => noteEvents(element, id, notebook, place), end }
      }
    }),
  )
}

function* noteEvents(note: XmlElement, id: string, notebook: string, place: string): Generator<ImportEvent> {
  const attributes = note.children.find(({ name }) => name === 'note-attributes')
  const attachments: JsonObject[] = []
  for (const resource of note.children.filter(({ name }) => name === 'resource')) {
    const bytes = Buffer.from(childText(resource, 'data') ?? '', 'base64')
    const described = resource.children.find(({ name }) => name === 'resource-attributes')
    const mime_type = mimeTypeOf(childText(resource, 'mime') ?? '')
    const blob_id = blobIdOf(bytes)
    yield { kind: 'blob', mime_type, blob_id, bytes }
    const name = described ? childText(described, 'file-name') : null
    attachments.push({ name, mime_type, size_bytes: bytes.length, blob_id })
  }
  const data = {
    id,
    title: childText(note, 'title'),
    text: textOf(note),
    notebook,
    author: attributes ? childText(attributes, 'author') : null,
    tags: note.children.filter(({ name }) => name === 'tag').map(({ text }) => text.trim()),
    noted_at: timeOf(childText(note, 'created')),
    updated_at: timeOf(childText(note, 'updated')),
    url: attributes ? childText(attributes, 'source-url') : null,
    attachments,
  }
  yield { kind: 'record', stream: 'evernote_notes', key: id, data, place }
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

/** `20240131T101500Z` */
function timeOf(text: string | null): string | null {
  const written = (text ?? '').replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})/, '$1-$2-$3T$4:$5:$6')
  return parseWrittenTime(written, null)?.utc ?? null
}
