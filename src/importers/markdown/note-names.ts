import { nameIn } from '../reading/attached-files.ts'
import { recordIdOf } from '../record-id.ts'

export const NOTE = /\.(md|markdown|mdown|mdx)$/i
/** Obsidian's queries and canvases; they show notes but are not notes. */
const VIEW = /\.(base|canvas)$/i
/** Notion appends its id to the name of each page: 32 hexadecimal digits. */
const NOTION_ID = /[ _-]([0-9a-f]{32})(?=\.[a-z]+$|$)/i

export function isView(target: string): boolean {
  return VIEW.test(target)
}

export function isNote(path: string): boolean {
  return NOTE.test(path)
}

/** A note keeps its id when its text changes. A Notion page also keeps it when it is moved or renamed. */
export function noteKey(path: string): string {
  const notion = NOTION_ID.exec(path)?.[1]
  return notion ? recordIdOf('notion page', notion.toLowerCase()) : recordIdOf('note', path)
}

export function sourceIdOf(path: string): string {
  return NOTION_ID.exec(path)?.[1]?.toLowerCase() ?? path
}

export function nameOf(path: string): string {
  const name = nameIn(path).replace(NOTE, '')
  return name.replace(NOTION_ID, '') || name
}

/** The folder, without Notion's ids. */
export function folderOf(path: string): string {
  return path
    .split('/')
    .slice(0, -1)
    .map(part => part.replace(NOTION_ID, ''))
    .join('/')
}
