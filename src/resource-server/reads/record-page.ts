import type { RecordBody, Tombstone } from '../../api/records.ts'
import { type Source, visibleFields } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { project, type StoredRecord } from '../../model/reading/record.ts'
import type { Budget } from '../../store/budget/budget.ts'
import { TextReplaced } from '../../store/records/long-text.ts'
import type { RequestContext } from '../request/context.ts'
import type { PageEnd } from '../request/responses.ts'
import { presentCut } from './present.ts'
import { askedFields } from './read-record.ts'

type PageContext = RequestContext & {
  readonly parameters: {
    readonly fields?: readonly string[] | undefined
    readonly max_field_chars?: number | undefined
  }
}

/** Above this many bytes a page ends early, because records are complete unless less is requested. */
const MOST_PAGE_BYTES = 8 * 1024 * 1024
/** A stored character is shown with at most this many: numbers may be written out, characters escaped, links added. */
const MOST_GROWTH = 8

/** Shows records one after the other until the page is full, and notes what it showed. */
export class RecordPage {
  readonly #context: PageContext
  readonly #budget: Budget
  readonly #asked: ReadonlySet<string> | null
  readonly #shown: Shown[] = []
  /** Data whose size was not needed yet. */
  #unmeasured: object[] = []
  #bytes = 0
  #storedChars = 0

  constructor(context: PageContext, sources: Source[]) {
    this.#context = context
    this.#budget = context.budget
    this.#asked = askedFields(context, sources, context.parameters.fields)
  }

  /** Decided by what is shown: the size of stored records would reveal how much is hidden (RS-5). */
  get isFull(): boolean {
    if (this.#storedChars * MOST_GROWTH <= MOST_PAGE_BYTES) return false
    for (const data of this.#unmeasured) this.#bytes += JSON.stringify(data).length
    this.#unmeasured = []
    return this.#bytes > MOST_PAGE_BYTES
  }

  /**
   * Empty if the record was hidden or replaced meanwhile; it is on a later page or in the next read. Others are served
   * between two records, because one can be very large.
   */
  async show({ source, record }: Found): Promise<RecordBody[]> {
    if (this.#budget.isDue) await this.#budget.pause()
    const visible = visibleFields(source, record)
    if (visible === undefined) return []
    const { max_field_chars = Number.MAX_SAFE_INTEGER } = this.#context.parameters
    try {
      const projection = project(source, record, visible, this.#asked)
      const { body, shown } = await presentCut(this.#context, projection, record, max_field_chars)
      this.#shown.push(shown)
      this.#unmeasured.push(body.data)
      this.#storedChars += record.data.length
      for (const { size_chars } of record.long_texts) this.#storedChars += size_chars
      return [body]
    } catch (error) {
      if (!(error instanceof TextReplaced)) throw error
      return []
    }
  }

  /** Shows the rows of a page. If it is full before its last row, it ends after the last one that is shown. */
  async showAll<Row extends Found>(
    rows: readonly Row[],
    end: PageEnd,
    position: (row: Row) => unknown,
  ): Promise<{ data: RecordBody[]; end: PageEnd }> {
    const data: RecordBody[] = []
    for (const [index, row] of rows.entries()) {
      data.push(...(await this.show(row)))
      if (this.isFull && index + 1 < rows.length)
        return { data, end: { next_cursor: this.#context.page.seal(position(row)) } }
    }
    return { data, end }
  }

  /** A record that was deleted, or that is no longer in the grant's view. */
  showGone(found: Found, seq: number): Tombstone {
    const shown = tombstone(this.#context, found, seq)
    const { connection_id, stream, id } = shown
    this.#shown.push({ connection_id, stream, record_ids: [id], fields: [] })
    return shown
  }

  disclose(): void {
    this.#context.disclose(grouped(this.#shown))
  }
}

/** Records that showed the same fields completely are noted together. */
function grouped(shown: Shown[]): Shown[] {
  const groups = new Map<string, Shown>()
  for (const entry of shown) {
    const ranges = entry.ranges ? JSON.stringify(entry.ranges) : ''
    const key = `${entry.connection_id}\n${entry.stream}\n${entry.fields.join('\n')}\n${ranges}`
    const group = groups.get(key)
    if (group) group.record_ids.push(...entry.record_ids)
    else groups.set(key, entry)
  }
  return [...groups.values()]
}

export interface Found {
  source: Source
  record: StoredRecord
}

/**
 * For a record that left the grant's view, the time is that of the response, which reveals nothing. For one that was
 * deleted it is that of the deletion, even if the record exists again where the grant does not show it.
 */
function tombstone({ now }: PageContext, { source, record }: Found, seq: number): Tombstone {
  const [, , , deleted_at] =
    record.history?.states.find(([from, , alive]) => from === seq && alive === 0) ?? []
  const isDeletion = record.deleted && record.seq === seq
  const at = deleted_at ?? (isDeletion ? record.emitted_at : now.toISOString())
  const { connection_id, stream } = source
  return {
    object: 'record',
    id: record.record_id,
    stream: stream.name,
    connection_id,
    deleted: true,
    deleted_at: at,
    emitted_at: at,
  }
}
