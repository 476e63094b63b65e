import type { RecordBody } from '../../api/records.ts'
import * as api from '../../api/records.ts'
import type { Source } from '../../model/access/enforce.ts'
import { requiredFields } from '../../model/declaration/declaration.ts'
import { assertField } from '../../model/reading/filter.ts'
import { project } from '../../model/reading/record.ts'
import type { RequestContext } from '../request/context.ts'
import { holds, notModified, type Reply, tagged } from '../request/responses.ts'
import { serve } from '../request/serve.ts'
import { type FoundRecord, readFrom } from './find-record.ts'
import { presentCut, presentWhole, shownOf } from './present.ts'

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
