import { NO_PLACE } from '../../model/declaration/conversation.ts'
import type { Operation } from '../../model/declaration/ingest-line.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import { define, type JsonObject, own, parseJson, sameJson } from '../../model/json.ts'
import { mayHoldLongText, takeLongTexts } from '../../model/reading/record.ts'
import { type History, withState } from '../../model/reading/record-history.ts'
import type { TakenText } from '../../model/text/pieces.ts'
import { longTextsOf, type RecordRow } from './records.ts'

/** A record during a batch: its stored row, its new row, and which texts are added and removed. */
export interface Draft {
  row: RecordRow
  /** The row before the batch; null for a new record. */
  before: RecordRow | null
  newTexts: TakenText[]
  data: JsonObject | null
  /** The changes of the batch that created it or moved it in time. */
  placed: readonly number[]
}

export type Effect = 'added' | 'updated' | 'unchanged' | 'deleted'

export interface Moment {
  seq: number
  now: string
}

/** Applies one operation to a record's state. Returns the state and what happened to it. */
export function applyOperation(
  draft: Draft | null,
  operation: Operation,
  { seq, now }: Moment,
): { draft: Draft | null; effect: Effect } {
  const emitted_at = operation.emitted_at ?? now
  if (operation.op === 'delete') {
    if (!draft || draft.row.deleted === 1) return { draft, effect: 'unchanged' }
    return { draft: buried(draft, seq, emitted_at), effect: 'deleted' }
  }
  const next = contentOf(operation)
  const { newTexts, data } = next
  if (!draft || draft.row.deleted === 1) {
    const version = (draft?.row.version ?? 0) + 1
    let history: string | null = null
    if (draft) {
      const states = withState(historyOf(draft.row), [seq, operation.time_key, 1, emitted_at])
      history = JSON.stringify({ born: [seq, emitted_at], fields: {}, ...states })
    }
    const row = rowOf(operation, next.text, { seq, emitted_at, version, history })
    return { draft: { row, before: draft?.before ?? null, newTexts, data, placed: [seq] }, effect: 'added' }
  }
  const changed = changedFields(draft, next)
  if (changed.length === 0) return { draft, effect: 'unchanged' }
  const history = historyOf(draft.row)
  for (const field of changed) define(history.fields as unknown as JsonObject, field, [seq, emitted_at])
  const moves = draft.row.time_key !== operation.time_key
  if (moves) Object.assign(history, withState(history, [seq, operation.time_key, 1, emitted_at]))
  const version = draft.row.version + 1
  const row = rowOf(operation, next.text, { seq, emitted_at, version, history: JSON.stringify(history) })
  // A record keeps its number until it is deleted.
  const { first_row, earliest_key, latest_key } = draft.row
  return {
    draft: {
      row: { ...row, first_row, earliest_key, latest_key },
      before: draft.before,
      newTexts,
      data,
      placed: moves ? [...draft.placed, seq] : draft.placed,
    },
    effect: 'updated',
  }
}

type Upsert = Extract<Operation, { op: 'upsert' }>

interface Content {
  data: JsonObject
  /** The data as it is stored. */
  text: string
  newTexts: TakenText[]
}

function contentOf(operation: Upsert): Content {
  const { data, texts } = mayHoldLongText(operation.line_chars)
    ? takeLongTexts(operation.data)
    : { data: operation.data, texts: [] }
  texts.push(...operation.texts)
  return { data, text: JSON.stringify(data), newTexts: texts }
}

function rowOf(
  { record_id, sort_key, time_key, conversation }: Upsert,
  data: string,
  { seq, emitted_at, version, history }: Pick<RecordRow, 'seq' | 'emitted_at' | 'version' | 'history'>,
): RecordRow {
  const record_key = recordKey(record_id)
  return {
    connection_id: '',
    record_key,
    long_id: record_key === record_id ? null : record_id,
    seq,
    version,
    deleted: 0,
    sort_key,
    time_key,
    thread_key: conversation.thread_key,
    place_key: conversation.place_key,
    order_key: conversation.order_key,
    emitted_at,
    data,
    long_texts: null,
    history,
    first_row: 0,
    row_count: 0,
    earliest_key: null,
    latest_key: null,
  }
}

function buried(draft: Draft, seq: number, emitted_at: string): Draft {
  const history: History = {
    born: [seq, emitted_at],
    fields: {},
    ...withState(historyOf(draft.row), [seq, null, 0, emitted_at]),
  }
  const row: RecordRow = {
    ...draft.row,
    seq,
    emitted_at,
    version: draft.row.version + 1,
    deleted: 1,
    sort_key: null,
    time_key: null,
    ...NO_PLACE,
    data: '',
    long_texts: null,
    history: JSON.stringify(history),
    first_row: 0,
    row_count: 0,
    earliest_key: null,
    latest_key: null,
  }
  return { row, before: draft.before, newTexts: [], data: null, placed: [] }
}

function historyOf(row: RecordRow): History {
  if (row.history) return JSON.parse(row.history) as History
  return {
    born: [row.seq, row.emitted_at],
    fields: {},
    states: [[row.seq, row.time_key, row.deleted === 1 ? 0 : 1, row.emitted_at]],
  }
}

/** The texts of a draft, whether already stored or still to be written. */
function textsOf(draft: Draft): { path: string[]; digest: string }[] {
  if (draft.newTexts.length > 0) return draft.newTexts
  return longTextsOf(draft.row)
}

function changedFields(draft: Draft, next: Content): string[] {
  const textKey = (text: { path: string[]; digest: string }) => JSON.stringify([text.path, text.digest])
  const before = new Set(textsOf(draft).map(textKey))
  const after = new Set(next.newTexts.map(textKey))
  if (draft.row.data === next.text && before.symmetricDifference(after).size === 0) return []
  const [old, fresh] = [(draft.data ?? parseJson(draft.row.data)) as JsonObject, next.data]
  const fields = new Set([...Object.keys(old), ...Object.keys(fresh)])
  const changed = new Set([...fields].filter(field => !sameJson(own(old, field), own(fresh, field))))
  for (const text of before.symmetricDifference(after))
    changed.add((JSON.parse(text) as [string[], string])[0][0] ?? '')
  return [...changed]
}
