import type { MatchWindow, Reason } from '../../api/search.ts'
import { visibleFields } from '../../model/access/enforce.ts'
import { fieldWithRole, timeField } from '../../model/declaration/declaration.ts'
import { parseFieldPath } from '../../model/declaration/field-path.ts'
import { type FieldValue, firstValues, foundFiles } from '../../model/reading/field-values.ts'
import type { CompiledCondition } from '../../model/reading/filter.ts'
import { peopleFields } from '../../model/reading/people.ts'
import {
  authorOf,
  FIRST_WORDS_FROM,
  firstWords,
  headField,
  isTitle,
  longTextOf,
  type Projection,
  project,
  textSize,
  titleOf,
} from '../../model/reading/record.ts'
import type { SearchQuery } from '../../model/search/search-query.ts'
import { HIT_FILE_BYTES, HIT_TITLE_BYTES, HIT_TITLE_CHARS, WINDOWS_APART } from '../../model/search/tuning.ts'
import { allEnded, BudgetExceeded } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import { readStart, TextReplaced } from '../records/long-text.ts'
import { createProver, type ProofOptions } from './proof.ts'
import { type RowPlace, recordPlace } from './search-rows.ts'
import type { SearchScope } from './search-scope.ts'
import { piecesOfRows } from './searched-texts.ts'

/** The title, author and time of a hit, and the fields that they disclose. */
export interface HitHead {
  record_id: string
  /** When the visible part of the record last changed. */
  emitted_at: string
  title: string | null
  author: string | null
  occurred_at: string | null
  fields: string[]
  /** If the title is the start of a text, the range that is shown. */
  ranges: Record<string, [number, number][]>
  values: FieldValue[]
  /** The names of the files that `has` or `type` found. */
  files: FieldValue[]
}

/** A hit as data: the index of its source among the selected ones, its title and time, and its verified windows. */
export interface FoundHit {
  source: number
  head: HitHead
  windows: MatchWindow[]
  /** Windows of which only the places are shown. */
  also: MatchWindow[]
  /** The fields that contain a match; never empty. */
  matched_fields: string[]
  /** The start of the record's text, if it was requested and no window shows any of it. */
  beginning: Beginning | null
  /** Only in a search by rank. */
  reasons: readonly Reason[]
  /** How many more hits of its conversation follow the page. */
  further: number
  /** How many rows of the page come before it; some of them may not have become a hit. */
  before: number
}

export type Beginning = FieldValue

/** The row that a record ranks by, and the rows that its windows come from, if there are others. */
export interface RowToProve extends RowPlace {
  rows?: readonly RowPlace[]
  reasons?: readonly Reason[]
  further?: number
}

/**
 * Reads the records of the rows and finds the windows of each. A record is left out if it was changed in the meantime,
 * or if the budget did not reach it.
 */
export async function proveHits(
  scope: SearchScope,
  rows: readonly RowToProve[],
  options: ProofOptions,
  rarities: readonly number[] | null,
): Promise<FoundHit[]> {
  const { database, owner_id } = scope
  const records = await scope.records.of(database, owner_id, rows)
  const prove = createProver(options, rarities)
  const hits = rows.map(async (row, before): Promise<FoundHit[]> => {
    const entry = scope.sourceOf(row)
    const record = records.get(recordPlace(row))
    const visible = entry && record && visibleFields(entry.source, record)
    if (!entry || !record || visible === undefined) return []
    try {
      await scope.budget.pause()
      const projection = project(entry.source, record, visible)
      const numbers = (row.rows ?? [row]).map(({ row_no }) => row_no)
      const pieces = await piecesOfRows(scope, projection, numbers, entry.title)
      const people = new Set(peopleFields(entry.source.stream))
      const { windows, also, fields } = prove(pieces, people, numbers.length > 1 ? WINDOWS_APART : 0)
      if (fields.length === 0) return []
      const head = await headOf(database, owner_id, projection, entry.conditions, options.query)
      const { index: source } = entry
      const isTitled = head.title !== null && windows.length > 0
      const beginning = isTitled ? await beginningOutside(scope, projection, windows, options) : null
      return [
        {
          source,
          head,
          windows,
          also,
          matched_fields: fields,
          beginning,
          reasons: row.reasons ?? [],
          further: row.further ?? 0,
          before,
        },
      ]
    } catch (error) {
      if (error instanceof BudgetExceeded) scope.isTruncated = true
      else if (!(error instanceof TextReplaced)) throw error
      return []
    }
  })
  return (await allEnded(hits)).flat()
}

export async function headOf(
  database: View,
  owner_id: string,
  projection: Projection,
  /** The conditions that the record passed. */
  conditions: readonly CompiledCondition[] = [],
  query: Pick<SearchQuery, 'words'> = { words: [] },
): Promise<HitHead> {
  const { source, record_id, emitted_at, data, long_texts } = projection
  const { stream } = source
  const titled = headField(stream, data, long_texts)
  const timed = fieldWithRole(stream, 'event-time') ?? timeField(stream)
  const size = textSize(projection, titled)
  const isWords = titled !== undefined && !isTitle(stream, titled)
  const end = Math.min(isWords ? FIRST_WORDS_FROM : HIT_TITLE_CHARS, size)
  const isLong = longTextOf(long_texts, titled) !== undefined
  const start = isLong ? `${await readStart(database, owner_id, projection, titled, end)}…` : null
  const title = start === null ? titleOf(stream, data, HIT_TITLE_CHARS) : isWords ? firstWords(start) : start
  const occurred = timed === undefined ? undefined : data[timed]
  const author = authorOf(stream, data)
  const shown = [title === null ? undefined : titled, timed, author?.field]
  return {
    record_id,
    emitted_at,
    title: title === null ? null : cutBytes(title, HIT_TITLE_BYTES),
    author: author?.name ?? null,
    occurred_at: typeof occurred === 'string' ? occurred : null,
    fields: [
      ...new Set(shown.filter(field => field !== undefined && Object.hasOwn(data, field))),
    ] as string[],
    ranges: title !== null && titled !== undefined && end < size ? { [titled]: [[0, end]] } : {},
    values: firstValues(stream, data, long_texts, title, new Set(query.words)),
    files: foundFiles(conditions, data).map(({ field, text }) => ({
      field,
      text: cutBytes(text, HIT_FILE_BYTES),
    })),
  }
}

/** As many whole characters as fit into the bytes. */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const whole = new TextDecoder().decode(bytes.subarray(0, most - 3), { stream: true })
  return `${whole}…`
}

/** The first characters of a record's text, for a hit that was not found in it; null if it shows no text. */
export async function beginningOf(
  database: View,
  owner_id: string,
  projection: Projection,
  chars: number,
): Promise<Beginning | null> {
  const field = fieldWithRole(projection.source.stream, 'primary-text')
  const text = await readStart(database, owner_id, projection, field, chars)
  return field === undefined || text === '' ? null : { field, text }
}

/** Null if a window, or the title, shows a part of the text. */
async function beginningOutside(
  { database, owner_id }: SearchScope,
  projection: Projection,
  windows: readonly MatchWindow[],
  { text_chars = 0 }: ProofOptions,
): Promise<Beginning | null> {
  const { stream } = projection.source
  const field = fieldWithRole(stream, 'primary-text')
  const titled = headField(stream, projection.data, projection.long_texts)
  if (text_chars === 0 || field === undefined || titled === field) return null
  if (windows.some(({ field_path }) => parseFieldPath(field_path).field === field)) return null
  return beginningOf(database, owner_id, projection, text_chars)
}
