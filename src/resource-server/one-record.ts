import type { Source } from '../model/enforce.ts'
import { visibleFields } from '../model/enforce.ts'
import { CodedError } from '../model/errors.ts'
import type { StoredRecord } from '../model/record.ts'
import { findRecords } from '../store/records.ts'
import type { RequestContext } from './context.ts'

export interface FoundRecord {
  source: Source
  record: StoredRecord
  visible: ReadonlySet<string> | null
}

/** The one visible record that the route names: none is 404, several are 409 with the connections to choose from. */
export async function findOne(context: RequestContext, sources: Source[]): Promise<FoundRecord> {
  const id = context.path.record_id ?? ''
  const candidates = await findRecords(context.store.database, context.owner_id, sources, id)
  const found = candidates.flatMap(({ source, record }): FoundRecord[] => {
    const visible = record.record_id === id ? visibleFields(source, record) : undefined
    return visible === undefined ? [] : [{ source, record, visible }]
  })
  const [only] = found
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
