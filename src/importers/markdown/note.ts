import type { Json, JsonObject } from '../../model/json.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime, type WrittenTime } from '../written-time.ts'
import { frontMatterOf, listOf, notionPropertiesOf, propertyNamed } from './front-matter.ts'
import { headingOf, linksOf } from './links.ts'
import { folderOf, isNote, isView, nameOf, noteKey, sourceIdOf } from './note-names.ts'
import type { Vault } from './vault.ts'

const CREATED = [
  'created',
  'created at',
  'created time',
  'date created',
  'creation date',
  'date',
  'published',
  'day',
]
const UPDATED = [
  'updated',
  'updated at',
  'modified',
  'modified at',
  'date modified',
  'lastmod',
  'last modified',
  'last edited time',
]
const DAY_IN_NAME = /(?:^|[^\d])(\d{4})[-_]?(\d{2})[-_]?(\d{2})(?:[T _-]?\d{4,6})?(?=[^\d]|$)/

interface Note {
  key: string
  data: JsonObject
  attachments: SourceFile[]
}

export function noteOf(written: string, file: SourceFile, vault: Vault): Note {
  const path = vault.pathOf(file)
  const text = written.replace(/\r\n?/g, '\n')
  const { properties: above, problem, body } = frontMatterOf(text)
  const source_id = sourceIdOf(path)
  const properties = /^[0-9a-f]{32}$/.test(source_id) ? { ...notionPropertiesOf(body), ...above } : above
  const links = linksOf(body)
  const inProperties = linksOf(textsOf(properties).join('\n'))
  const key = noteKey(path)

  const attachments = new Map<string, SourceFile>()
  const missing: string[] = []
  const notes: string[] = []
  const linked = new Set<string>()
  for (const target of new Set([...links.internal, ...inProperties.internal])) {
    const found = vault.find(target, file)
    if (found && !isNote(found.path)) attachments.set(found.path, found)
    else if (found || !hasEnding(target)) {
      notes.push(nameOf(target))
      if (found && found !== file) linked.add(noteKey(vault.pathOf(found)))
    } else if (!isView(target)) missing.push(target)
  }
  const title = propertyNamed(properties, ['title'])
  const dates = datesOf(properties, path, file, vault)
  const tagged = listOf(propertyNamed(properties, ['tags', 'tag']), /[,\s]+/).map(tag =>
    tag.replace(/^#/, ''),
  )
  return {
    key,
    attachments: [...attachments.values()],
    data: {
      id: key,
      title: titleText(title) ?? headingOf(body) ?? nameOf(path),
      text: body.trim() === '' ? null : body,
      author:
        listOf(propertyNamed(properties, ['author', 'authors']), /,\s*/)
          .map(unlinked)
          .join(', ') || null,
      tags: [...new Set([...tagged, ...links.tags])],
      aliases: listOf(propertyNamed(properties, ['aliases', 'alias']), /,\s*/),
      folder: folderOf(path),
      path,
      ...dates,
      properties,
      properties_problem: problem,
      links: [...new Set(notes)],
      linked_ids: [...linked],
      urls: [...new Set([...links.urls, ...inProperties.urls])],
      attachments: [],
      missing_attachments: missing,
      word_count: body.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
      source_id,
    },
  }
}

function hasEnding(target: string): boolean {
  return /\.[a-z0-9]{2,5}$/i.test(target) && !isNote(target)
}

function titleText(title: Json | undefined): string | null {
  const text = typeof title === 'number' ? String(title) : title
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null
}

function unlinked(text: string): string {
  return text.replace(/\[\[(?:[^|[\]]*\|)?([^[\]]+)\]\]/g, '$1')
}

/** When the note was written: from its properties, or its name, or the time of the file. */
function datesOf(properties: JsonObject, path: string, file: SourceFile, vault: Vault): JsonObject {
  const updated = timeIn(propertyNamed(properties, UPDATED), vault.timeZone)
  const written = timeIn(propertyNamed(properties, CREATED), vault.timeZone)
  const named = written === null ? timeInName(nameOf(path)) : null
  const time = written ?? named ?? updated
  if (time) {
    const date_from = named ? 'file name' : 'properties'
    return { noted_at: time.utc, noted_at_local: time.local, date_from, updated_at: updated?.utc ?? null }
  }
  const writtenAt = vault.writtenAt(file)
  const date_from = writtenAt === null ? null : 'file'
  return { noted_at: writtenAt, noted_at_local: null, date_from, updated_at: null }
}

function timeIn(value: Json | undefined, timeZone: string | undefined): WrittenTime | null {
  const first = Array.isArray(value) ? value[0] : value
  if (typeof first !== 'string') return null
  // Of a period, its beginning: `January 5, 2026 → January 7, 2026`
  return parseWrittenTime(unlinked(first).replace(/ → .*/, ''), null, timeZone)
}

function timeInName(name: string): WrittenTime | null {
  const match = DAY_IN_NAME.exec(name)
  // `@April 1, 2025`, as Notion writes it
  if (!match) return parseWrittenTime(name.replace(/^@/, ''), null)
  if (Number(match[1]) < 1900) return null
  return parseWrittenTime(`${match[1]}-${match[2]}-${match[3]}`, null)
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(child => textsOf(child))
    : []
}
