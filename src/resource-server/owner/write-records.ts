import { sourcesOf } from '../../model/access/enforce.ts'
import { CodedError } from '../../model/errors.ts'
import { findOne } from '../reads/find-record.ts'
import { assertMediaType, plainBytesOf } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { empty, json, type Reply } from '../request/responses.ts'

export async function ingest(context: RequestContext): Promise<Reply> {
  const target = targetOf(context, context.parameters.required('connection_id'))
  assertMediaType(context.request, 'application/x-ndjson')
  const { cleaned, ...outcome } = await context.store.writer.pour(
    'ingest',
    target,
    plainBytesOf(context.request),
  )
  const warnings = []
  if (cleaned > 0) {
    const message = `${cleaned} characters that cannot be stored (U+0000, lone surrogates) became U+FFFD.`
    warnings.push({ code: 'text_cleaned', message, detail: { count: cleaned } })
  }
  if (outcome.rejected > outcome.rejections.length) {
    const message = `Only the first ${outcome.rejections.length} of ${outcome.rejected} rejections are listed.`
    warnings.push({ code: 'rejections_cut', message })
  }
  return json({ ...outcome, meta: { warnings } })
}

export async function deleteRecord(context: RequestContext): Promise<Reply> {
  const { source, record } = await findOne(context, context.sources())
  const target = targetOf(context, source.connection_id)
  await context.store.writer.call('deleteRecord', { target, record_id: record.record_id })
  return empty(204)
}

function targetOf(context: RequestContext, connection_id: string) {
  const [source] = sourcesOf(context.access, context.catalog, context.path.stream ?? '', connection_id)
  if (!source) throw new CodedError('stream_not_found', `Connection ${connection_id} has no such stream.`)
  return { owner_id: context.owner_id, connection_id, stream: source.stream }
}
