import type { Source } from '../../model/access/enforce.ts'
import { visibleFields } from '../../model/access/enforce.ts'
import { CodedError } from '../../model/errors.ts'
import type { StoredRecord } from '../../model/reading/record.ts'
import { TextReplaced } from '../../store/records/long-text.ts'
import { findRecords } from '../../store/records/records.ts'
import type { RequestContext } from '../request/context.ts'

export interface FoundRecord {
  source: Source
  record: StoredRecord
  visible: ReadonlySet<string> | null
}

/** The only visible record with an id: none is 404, several are 409 with the connections to choose from. */
export async function findOne(context: RequestContext, sources: Source[], id: string): Promise<FoundRecord> {
  const candidates = await findRecords(context.store.database, context.owner_id, sources, id)
  const found = candidates.flatMap(({ source, record }): FoundRecord[] => {
    const visible = record.record_id === id ? visibleFields(source, record) : undefined
    return visible === undefined ? [] : [{ source, record, visible }]
  })
  const [only] = found
  if (found.length !== 1) for (const source of sources) context.decideBy(source, source.stream.primary_key)
  if (!only) throw new CodedError('not_found', 'There is no such record.')
  if (found.length === 1) return only
  throw new CodedError('ambiguous_connection', 'Several connections have a record with this id. Name one.', {
    available_connections: found.map(({ source: { connection_id, connector_key, display_name } }) => ({
      connection_id,
      connector_key,
      display_name,
    })),
    retry_with: 'connection_id',
  })
}

const TRIES = 3

/** Finds a record and reads from it; starts again if its text was replaced in between. */
export async function readFrom<T>(
  context: RequestContext,
  sources: Source[],
  id: string,
  read: (found: FoundRecord) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read(await findOne(context, sources, id))
    } catch (error) {
      if (!(error instanceof TextReplaced) || attempt === TRIES) throw error
      context.note.clear()
    }
  }
}
