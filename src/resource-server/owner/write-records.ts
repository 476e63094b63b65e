import * as contracts from '../../api/records.ts'
import * as records from '../../api/records.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'
import { readImport } from '../../store/records/imports.ts'
import { findOne } from '../reads/read-record.ts'
import { assertMediaType, plainBytesOf } from '../request/body.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'

export const ingest = serve(contracts.ingest, async context => {
  const { connection_id, import_id } = context.parameters
  const target = targetOf(context, context.path.stream, connection_id)
  if (import_id !== undefined) await assertImport(context, import_id, connection_id)
  assertMediaType(context.request, 'application/x-ndjson')
  const bytes = plainBytesOf(context.request)
  const { cleaned, ...outcome } = await context.store.writer.pour(
    'ingest',
    { ...target, ...(import_id === undefined ? {} : { import_id }) },
    bytes,
  )
  const { warnings } = context
  if (cleaned > 0) {
    const message = `${cleaned} characters that cannot be stored (U+0000, lone surrogates) became U+FFFD.`
    warnings.push({ code: 'text_cleaned', message, detail: { count: cleaned } })
  }
  if (outcome.rejected > outcome.rejections.length) {
    const message = `Only the first ${outcome.rejections.length} of ${outcome.rejected} rejections are listed.`
    warnings.push({ code: 'rejections_cut', message })
  }
  const { seen, rejected } = outcome
  const told = { records_accepted: seen - rejected, records_rejected: rejected }
  return json({ ...outcome, ...told, meta: { warnings } })
})

export const deleteRecord = serve(records.deleteRecord, async context => {
  const { stream, record_id } = context.path
  const sources = context.sources(stream, context.parameters.connection_id)
  const { source } = await findOne(context, sources, record_id)
  const target = targetOf(context, stream, source.connection_id)
  await context.store.writer.call('deleteRecord', { target, record_id })
  return empty(204)
})

async function assertImport(
  { store, owner_id }: RequestContext,
  import_id: string,
  connection_id: string,
): Promise<void> {
  const run = await readImport(store.database, { owner_id, import_id })
  if (run.connection_id !== connection_id)
    throw invalidRequest('The import belongs to another connection.', 'import_id')
}

function targetOf(context: RequestContext, name: string, connection_id: string) {
  const [source] = context.sources(name, connection_id)
  if (!source)
    throw new CodedError('not_found', `Connection ${connection_id} has no such stream.`, { param: 'stream' })
  return { owner_id: context.owner_id, connection_id, stream: source.stream }
}
