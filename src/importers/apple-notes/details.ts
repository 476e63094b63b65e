import type { SourceFile } from '../source/source.ts'
import { csvRows } from '../table/csv.ts'
import { parseWrittenTime } from '../written-time.ts'

/** What the list of the export says about a note. */
export interface Detail {
  /** The time at which the note was made, if no other note was made then; null if it does not name the note. */
  id: string | null
  title: string
  created: string | null
  modified: string | null
  isPinned: boolean
  isDeleted: boolean
}

/**
 * The details of notes by the names of their folders. The list has titles and no paths: what it says counts only for a
 * title that one note has.
 */
export async function detailsIn(
  lists: readonly SourceFile[],
  names: readonly string[],
): Promise<(name: string) => Detail | null> {
  const rows: Omit<Detail, 'id'>[] = []
  for (const list of lists) {
    let header: string[] | null = null
    for await (const { cells, problem } of csvRows(list.open(), ',')) {
      if (problem) continue
      if (header) rows.push(rowOf(header, cells))
      else header = cells
    }
  }
  const byName = Map.groupBy(rows, ({ title }) => comparable(title))
  const byTime = Map.groupBy(rows, ({ created }) => created)
  const folders = Map.groupBy(names, comparable)
  return name => {
    const found = byName.get(comparable(name)) ?? []
    const [row] = found
    if (!row || found.length > 1 || (folders.get(comparable(name)) ?? []).length > 1) return null
    return { ...row, id: row.created !== null && byTime.get(row.created)?.length === 1 ? row.created : null }
  }
}

function rowOf(header: readonly string[], cells: readonly string[]): Omit<Detail, 'id'> {
  const cell = (name: string) => cells[header.indexOf(name)] ?? ''
  const time = (name: string) => parseWrittenTime(cell(name), 'month-first')?.utc ?? null
  return {
    title: cell('Title'),
    created: time('Created On'),
    modified: time('Modified On'),
    isPinned: /^yes$/i.test(cell('Pinned')),
    isDeleted: /^yes$/i.test(cell('Deleted')),
  }
}

/** A folder is named like its note, without what a name of a file cannot hold, and perhaps cut off. */
function comparable(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()
    .slice(0, 40)
}
