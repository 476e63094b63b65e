import { project } from '../../model/reading/record.ts'
import type { PieceText } from '../../model/search/index-rows.ts'
import { TextReplaced } from '../records/long-text.ts'
import { piecesOfRow } from './proof.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import type { SearchScope } from './search-scope.ts'

/** The visible texts of each row, with its index; a row whose text was replaced in the meantime has none. */
export async function* textsOfRows(
  scope: SearchScope,
  rows: readonly RowPlace[],
): AsyncGenerator<{ n: number; texts: PieceText[] }> {
  const records = await scope.records.of(scope.database, scope.owner_id, rows)
  for (const [n, row] of rows.entries()) {
    const [entry, record, visible] = [
      scope.sourceOf(row),
      records.get(recordPlace(row)),
      scope.visibleFields(row),
    ]
    if (!entry || !record || visible === undefined) continue
    await scope.budget.pause()
    yield { n, texts: await textsOf(scope, project(entry.source, record, visible), row.row_no, entry.title) }
  }
}

async function textsOf(
  { database, owner_id }: SearchScope,
  projection: ReturnType<typeof project>,
  row_no: number,
  title: string | null,
): Promise<PieceText[]> {
  try {
    const pieces = await piecesOfRow(database, owner_id, projection, row_no, title)
    return pieces.map(({ piece }) => piece)
  } catch (error) {
    if (error instanceof TextReplaced) return []
    throw error
  }
}
