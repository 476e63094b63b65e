import { parse } from 'yaml'
import { isObject, isTooDeep, type Json, type JsonObject } from '../../model/json.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime, type WrittenTime } from '../written-time.ts'
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

interface FrontMatter {
  properties: JsonObject
  /** Why the block at the top cannot be parsed; it is then kept in the text. */
  problem: string | null
  body: string
}

const BLOCK = /^---[ \t]*\n([\s\S]*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)/
/** The YAML parser takes quadratic time for some texts. Real properties are far shorter than this. */
const MOST_CHARS = 16 * 1024
const MOST_ALIASES = 50
const TOO_DEEP = 'The properties are nested too deeply.'

/** The properties at the top of a note, between lines of `---`, and the text below them. */
export function frontMatterOf(text: string): FrontMatter {
  const none = { properties: {}, problem: null, body: text }
  if (!text.startsWith('---')) return none
  const match = BLOCK.exec(text)
  if (!match) return none
  if ((match[1] ?? '').length > MOST_CHARS) {
    return {
      ...none,
      problem: `The properties are longer than ${MOST_CHARS.toLocaleString('en-US')} characters.`,
    }
  }
  const body = text.slice(match[0].length).replace(/^\n+/, '')
  try {
    const options = { maxAliasCount: MOST_ALIASES, logLevel: 'error', uniqueKeys: false } as const
    const value: unknown = parse(match[1] ?? '', options)
    if (value === null || value === undefined) return { properties: {}, problem: null, body }
    const properties = JSON.parse(JSON.stringify(value)) as Json
    // A line of text between two rules is not a list of properties.
    if (!isObject(properties)) return none
    if (isTooDeep(properties, 50)) return { ...none, problem: TOO_DEEP }
    return { properties, problem: null, body }
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    // The parser reports where the stack ended, which differs from one reading to the next.
    if (/call stack/.test(reason)) return { ...none, problem: TOO_DEEP }
    return { ...none, problem: `The properties are not YAML: ${reason.replace(/:$/, '.')}` }
  }
}

/** Below the title of a page, as Notion writes them: `Created: January 5, 2026`. */
function notionPropertiesOf(text: string): JsonObject {
  const [, lines = ''] = /^# [^\n]*\n\n((?:[^\n:]{1,100}: [^\n]*\n)+)/.exec(text.slice(0, MOST_CHARS)) ?? []
  return Object.fromEntries(
    lines.split('\n').flatMap(line => {
      const colon = line.indexOf(': ')
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)]] : []
    }),
  )
}

/** A property by any of these names, ignoring case, spaces, `_` and `-`. */
function propertyNamed(properties: JsonObject, names: readonly string[]): Json | undefined {
  const known = new Map(Object.entries(properties).map(([name, value]) => [simple(name), value]))
  for (const name of names) {
    const value = known.get(simple(name))
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

function simple(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '')
}

/** A list that may be written as one text: `a, b` or `#a #b`. */
function listOf(value: Json | undefined, separator: RegExp): string[] {
  const items = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(separator)
      : [value ?? null]
  return items
    .filter(item => typeof item === 'string' || typeof item === 'number')
    .map(item => String(item).trim())
    .filter(item => item !== '')
}
