import type { RecordEvent } from '../importer.ts'
import { bounded, type DatabaseCopy } from '../reading/database-copy.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { epochIn, textIn } from '../reading/json-values.ts'
import { linesOf } from '../reading/text-lines.ts'
import type { SourceFile } from '../source/source.ts'
import { MOST_ADDRESS_BYTES } from './history-databases.ts'
import { bookmarkRecords } from './page-record.ts'

/** All browsers write one bookmark per line. */
export async function* bookmarkItems(file: SourceFile): AsyncGenerator<FileItem> {
  const folders: string[] = []
  let next = ''
  const recordOf = bookmarkRecords()
  for await (const { text, number, end } of linesOf(file.open())) {
    const line = text ?? ''
    const heading = /^<H3\b[^>]*>(.*?)<\/H3>/i.exec(from(line, /<H3\b/i))?.[1]
    if (heading !== undefined) next = textOfHtml(heading)
    const link = /^<A\b([^>]*)>(.*?)<\/A>/i.exec(from(line, /<A\b/i))
    if (link) {
      const attribute = (name: string) =>
        new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(link[1] ?? '')?.[1]?.replaceAll('&amp;', '&') ?? null
      const event = recordOf({
        title: textOfHtml(link[2] ?? '') || null,
        url: attribute('HREF'),
        folder: folders.filter(name => name !== '').join('/'),
        tags: (attribute('TAGS') ?? '')
          .split(',')
          .map(tag => tag.trim())
          .filter(tag => tag !== ''),
        occurred_at: epochIn(attribute('ADD_DATE') ?? undefined, 'seconds'),
        place: `${file.path}, line ${number}`,
      })
      yield { events: () => [event], end }
    }
    for (const [tag] of line.matchAll(/<\/?DL\b/gi)) {
      if (tag.startsWith('</')) folders.pop()
      else {
        folders.push(next)
        next = ''
      }
    }
  }
}

/** The rest of a line from its first such tag. If that one is not closed, no later one is, so they need not be tried. */
function from(line: string, tag: RegExp): string {
  const start = line.search(tag)
  return start === -1 ? '' : line.slice(start)
}

interface Folder {
  name: string
  parent: string
}

const MOST_NAME_BYTES = 4_096
const MOST_LEVELS = 100
const MOST_TAGS = 100
const TAGS = 'tags________'
/**
 * The folders that every profile has, with the names that an English Firefox gives them in an export. The menu is the
 * root.
 */
const ROOTS = new Map([
  ['root________', ''],
  ['menu________', ''],
  ['toolbar_____', 'Bookmarks Toolbar'],
  ['unfiled_____', 'Other Bookmarks'],
  ['mobile______', 'Mobile Bookmarks'],
])

/**
 * Tags are also folders: each contains the addresses with that tag. Queries that Firefox stores as bookmarks are left
 * out.
 */
export function* firefoxBookmarks(database: DatabaseCopy, path: string): Generator<RecordEvent> {
  const { folders, tagsFolder } = foldersIn(database)
  indexTags(database)
  const recordOf = bookmarkRecords()
  const rows = database.rows(
    `SELECT CAST(b.id AS TEXT) AS number, CAST(b.parent AS TEXT) AS parent, CAST(b.fk AS TEXT) AS page,
       CAST(b.dateAdded / 1000000 AS TEXT) AS time, ${bounded('b.title', MOST_ADDRESS_BYTES)} AS title,
       ${bounded('p.url', MOST_ADDRESS_BYTES)} AS url
     FROM moz_bookmarks b JOIN moz_places p ON p.id = b.fk WHERE b.type = 1 ORDER BY b.id`,
  )
  for (const { number, parent, page, time, title, url } of rows) {
    if (folders.get(String(parent))?.parent === tagsFolder || String(url).startsWith('place:')) continue
    yield recordOf({
      title: textIn(title),
      url: textIn(url),
      folder: pathOf(String(parent), folders),
      tags: tagsOf(database, String(page)),
      // Exports write times in seconds.
      occurred_at: epochIn(textIn(time) ?? undefined, 'seconds'),
      place: `${path}, bookmark ${number}`,
    })
  }
}

function foldersIn(database: DatabaseCopy): { folders: Map<string, Folder>; tagsFolder: string | null } {
  const folders = new Map<string, Folder>()
  let tagsFolder: string | null = null
  const rows = database.rows(
    `SELECT CAST(id AS TEXT) AS id, CAST(parent AS TEXT) AS parent, ${bounded('guid', MOST_NAME_BYTES)} AS guid,
       ${bounded('title', MOST_NAME_BYTES)} AS name
     FROM moz_bookmarks WHERE type = 2`,
  )
  for (const { id, parent, guid, name } of rows) {
    if (guid === TAGS) tagsFolder = String(id)
    folders.set(String(id), { name: ROOTS.get(String(guid)) ?? textIn(name) ?? '', parent: String(parent) })
  }
  return { folders, tagsFolder }
}

function pathOf(id: string, folders: ReadonlyMap<string, Folder>): string {
  const names: string[] = []
  for (let at = folders.get(id); at && names.length < MOST_LEVELS; at = folders.get(at.parent))
    names.unshift(at.name)
  return names.filter(name => name !== '').join('/')
}

/** The tags of each address, indexed: this file need not have the indexes of a profile. */
function indexTags(database: DatabaseCopy): void {
  database.exec(
    `CREATE TEMP TABLE tag AS SELECT b.fk AS page, ${bounded('t.title', MOST_NAME_BYTES)} AS tag
       FROM moz_bookmarks b JOIN moz_bookmarks t ON t.id = b.parent
       WHERE t.parent = (SELECT max(id) FROM moz_bookmarks WHERE type = 2 AND guid = '${TAGS}');
     CREATE INDEX temp.tag_by_page ON tag (page, tag)`,
  )
}

function tagsOf(database: DatabaseCopy, page: string): string[] {
  const sql = `SELECT tag FROM tag WHERE page = CAST(? AS INTEGER) ORDER BY tag LIMIT ${MOST_TAGS}`
  return [...database.rows(sql, page)].flatMap(({ tag }) => textIn(tag) ?? [])
}
