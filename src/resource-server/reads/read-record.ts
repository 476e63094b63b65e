import type { Source } from '../../model/access/enforce.ts'
import { assertField } from '../../model/reading/filter.ts'
import { project } from '../../model/reading/record.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { etagOf, holds, notModified, type Reply, tagged } from '../request/responses.ts'
import { findOne, retried } from './find-record.ts'
import { presentCut, presentWhole } from './present.ts'

const MOST_CHARS = 1_000_000

export async function readRecord(context: RequestContext): Promise<Reply> {
  const sources = context.sources()
  const asked = askedFields(context, sources)
  const maxChars = maxFieldChars(context, MOST_CHARS)
  return retried(() => readOnce(context, sources, asked, maxChars))
}

async function readOnce(
  context: RequestContext,
  sources: Source[],
  asked: ReadonlySet<string> | null,
  maxChars: number | undefined,
): Promise<Reply> {
  const { source, record, visible } = await findOne(context, sources)
  const projection = project(source, record, visible, asked)
  const digests = projection.long_texts.map(long => JSON.stringify([long.path, long.digest]))
  if (maxChars !== undefined || projection.long_texts.length === 0) {
    const { body, shown } = await presentCut(context, projection, record, maxChars ?? Number.MAX_SAFE_INTEGER)
    const etag = etagOf(JSON.stringify(body), ...digests)
    if (holds(context.request, etag)) return notModified(etag)
    context.disclose([shown])
    return tagged(body, etag)
  }
  const etag = etagOf(
    JSON.stringify(project(source, record, visible, asked).data),
    source.display_name,
    projection.emitted_at,
    context.isOwner ? String(record.version) : '',
    ...digests,
  )
  if (holds(context.request, etag)) return notModified(etag)
  const whole = await presentWhole(context, projection, record)
  context.disclose([whole.shown])
  const stream = ReadableStream.from(whole.chunks()).pipeThrough(new TextEncoderStream())
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'private, no-cache',
      ETag: etag,
    },
    body: context.request.method === 'HEAD' ? null : stream,
  }
}

/** The fields that the request asks for; each must be open in at least one source. */
export function askedFields(context: RequestContext, sources: Source[]): Set<string> | null {
  const names = context.parameters.names('fields')
  if (!names) return null
  for (const name of names) assertField(name, sources, context.isOwner, 'fields')
  return new Set(names)
}

export function maxFieldChars(context: RequestContext, most: number): number | undefined {
  const asked = context.parameters.integer('max_field_chars')
  if (asked === undefined) return undefined
  if (asked < 1) throw invalid('max_field_chars is a whole number from 1.', 'max_field_chars')
  return Math.min(asked, most)
}
