import type { RecordBody } from '../../api/records.ts'
import * as api from '../../api/records.ts'
import { type Source, visibleFields } from '../../model/access/enforce.ts'
import { requiredFields } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { assertField } from '../../model/reading/filter.ts'
import { project, type StoredRecord } from '../../model/reading/record.ts'
import { TextReplaced } from '../../store/records/long-text.ts'
import { findRecords } from '../../store/records/records.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { holds, notModified, type Reply, tagged } from '../request/responses.ts'
import { presentCut, presentWhole, shownOf } from './present.ts'

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

export const readRecord = serve(api.readRecord, async context => {
  const { fields, connection_id, max_field_chars } = context.parameters
  const { stream, record_id } = context.path
  const sources = context.sources(stream, connection_id)
  const asked = askedFields(context, sources, fields)
  return readFrom(context, sources, record_id, found => show(context, found, asked, max_field_chars))
})

async function show(
  context: RequestContext,
  { source, record, visible }: FoundRecord,
  asked: ReadonlySet<string> | null,
  maxChars: number | undefined,
): Promise<Reply<RecordBody>> {
  const projection = project(source, record, visible, asked)
  const digests = projection.long_texts.map(long => JSON.stringify([long.path, long.digest]))
  if (maxChars !== undefined || projection.long_texts.length === 0) {
    const { body, shown } = await presentCut(context, projection, record, maxChars ?? Number.MAX_SAFE_INTEGER)
    context.disclose([shown])
    const text = JSON.stringify(body)
    const etag = context.etag(text, ...digests)
    return holds(context.request, etag) ? notModified(etag) : tagged(body, etag, text)
  }
  context.disclose([shownOf(projection, [])])
  const etag = context.etag(
    JSON.stringify(projection.data),
    source.display_name,
    projection.emitted_at,
    context.isOwner ? String(record.version) : '',
    ...digests,
  )
  if (holds(context.request, etag)) return notModified(etag)
  const whole = await presentWhole(context, projection, record)
  const stream = ReadableStream.from(whole.chunks()).pipeThrough(new TextEncoderStream())
  return { ...tagged(null, etag), body: context.request.method === 'HEAD' ? null : stream } as Reply<never>
}

/** The requested fields, and those that a schema requires; each must be open in at least one source. */
export function askedFields(
  { isOwner }: RequestContext,
  sources: Source[],
  names: readonly string[] | undefined,
): Set<string> | null {
  if (!names) return null
  for (const name of names) assertField(name, sources, isOwner, 'fields')
  return new Set([...names, ...sources.flatMap(({ stream }) => requiredFields(stream))])
}
