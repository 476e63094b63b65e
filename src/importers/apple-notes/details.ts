import { CodedError } from '../../model/errors.ts'
import type { RejectionEvent } from '../importer.ts'
import { rejectedFile } from '../reading/file-items.ts'
import type { SourceFile } from '../source/source.ts'
import { csvRecords } from '../table/csv.ts'
import { parseWrittenTime } from '../written-time.ts'

/** A row of the list of notes in the export (`Notes Details.csv`). */
export interface Detail {
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
export async function detailsIn(
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
      unread.push(rejectedFile(list, error))
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
