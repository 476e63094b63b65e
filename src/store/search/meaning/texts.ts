import type { readMeaning } from '../../../api/owner/meaning.ts'
import type { ReplyOf } from '../../../api/route.ts'
import type { Catalog } from '../../../model/access/enforce.ts'
import { type StreamDeclaration, searchedFields } from '../../../model/declaration/declaration.ts'
import { isObject, parseJson } from '../../../model/json.ts'
import { MEANING_CHARS, meaningFields, meaningVersion } from '../../../model/search/meaning.ts'
import type { Queryable, View } from '../../engine/database.ts'
import { listRows } from '../../engine/rows.ts'
import { columnsOf } from '../../engine/table.ts'
import { TextReplaced } from '../../records/long-text.ts'
import { CONTENT_COLUMNS, type ContentRow, contentOf } from '../../records/records.ts'
import { MEANING_STATE } from '../../records/tables.ts'
import { liveRecords } from '../../records/tallies.ts'
import { knownFieldCodes } from '../open-fields.ts'
import { COUNTS, loadRows, type RowCounts } from '../search-rows.ts'
import { searchedTexts } from '../searched-texts.ts'
import { digestOfWords, loadDigests, type MeaningProgress } from './vectors.ts'

/** A text that needs a vector. */
export interface TextToEmbed {
  row_id: number
  digest: string
  text: string
}

/** A stream that gets vectors, and how far that has come. */
export interface MeaningTarget {
  progress: MeaningProgress
  stream: StreamDeclaration
}

/** Every stream that has searchable texts. */
export async function meaningTargets(
  database: Queryable,
  owner_id: string,
  { connections }: Catalog,
): Promise<MeaningTarget[]> {
  const states = await listRows(database, MEANING_STATE, columnsOf(MEANING_STATE), { owner_id })
  return connections.flatMap(({ connection_id, declaration }) =>
    declaration.streams
      .filter(stream => searchedFields(stream).length > 0)
      .map(stream => {
        const version = meaningVersion(stream)
        const known = states.find(
          state =>
            state.connection_id === connection_id &&
            state.stream === stream.name &&
            state.version === version,
        )
        const place = { owner_id, connection_id, stream: stream.name }
        return { progress: known ?? { ...place, version, done_to: 0, made: 0, spent_ms: 0 }, stream }
      }),
  )
}

/** The next records of a stream, in the order of their changes, some of which need a vector; null if all are done. */
export async function nextTexts(
  database: View,
  { progress, stream }: MeaningTarget,
  limit: number,
): Promise<{ texts: TextToEmbed[]; emptied: number[]; done_to: number } | null> {
  const { owner_id, connection_id, done_to } = progress
  const rows = await database.all<ContentRow & { deleted: number; first_row: number; row_count: number }>(
    `SELECT ${CONTENT_COLUMNS}, deleted, first_row, row_count FROM records
     WHERE owner_id = ? AND connection_id = ? AND stream = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [owner_id, connection_id, stream.name, done_to, limit],
  )
  const last = rows.at(-1)
  if (!last) return null
  const living = rows.filter(row => row.deleted === 0 && row.row_count > 0)
  const numbers = living.map(({ first_row }) => first_row)
  const fields = meaningFields(stream)
  const codes = await knownFieldCodes(database, owner_id, fields)
  const known = await loadDigests(database, owner_id, numbers)
  const indexed = new Map(
    (await loadRows<RowCounts>(database, owner_id, COUNTS, numbers)).map(row => [row.row_id, row]),
  )
  const texts: TextToEmbed[] = []
  const emptied: number[] = []
  for (const row of living) {
    const digest = digestOfWords(stream, indexed.get(row.first_row)?.sections ?? '', codes)
    if (known.get(row.first_row) === digest) continue
    const text = await textOf(database, owner_id, stream, fields, row)
    if (text !== '') texts.push({ row_id: row.first_row, digest, text })
    else if (known.has(row.first_row)) emptied.push(row.first_row)
  }
  return { texts, emptied, done_to: last.seq }
}

/** The start of each field, title first. */
async function textOf(
  database: View,
  owner_id: string,
  stream: StreamDeclaration,
  fields: readonly string[],
  row: ContentRow,
): Promise<string> {
  const parsed = parseJson(row.data)
  const data = isObject(parsed) ? parsed : {}
  const { long_texts } = contentOf(row)
  const texts = searchedTexts(database, owner_id, { source: { stream }, data, long_texts })
  const found: string[] = []
  for (const field of fields)
    for (const text of texts.filter(each => each.field === field)) {
      if (found.join('\n').length >= MEANING_CHARS) break
      try {
        found.push((await text.piece(0)).text.slice(0, MEANING_CHARS))
      } catch (error) {
        if (!(error instanceof TextReplaced)) throw error
      }
    }
  return found.join('\n').slice(0, MEANING_CHARS).trim()
}

/** `done` counts records without a text too; `seconds_left` is null before anything was done. */
export type MeaningCoverage = Omit<ReplyOf<typeof readMeaning>, 'object' | 'model'>

/** How far the vectors of all streams have come. */
export async function meaningCoverage(
  database: Queryable,
  owner_id: string,
  catalog: Catalog,
): Promise<MeaningCoverage> {
  let [records, left, made, spent] = [0, 0, 0, 0]
  for (const { progress } of await meaningTargets(database, owner_id, catalog)) {
    const place = [owner_id, progress.connection_id, progress.stream]
    const waiting = await database.get<{ n: number }>(
      `SELECT count(*) AS n FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ? AND seq > ?
         AND deleted = 0`,
      [...place, progress.done_to],
    )
    records += await liveRecords(database, progress)
    left += waiting?.n ?? 0
    made += progress.made
    spent += progress.spent_ms
  }
  const seconds_left = left === 0 ? 0 : made === 0 ? null : Math.ceil((left * spent) / made / 1_000)
  return { records, done: Math.max(0, records - left), seconds_left }
}
