import { WARNINGS } from './list.ts'
import * as p from './parameter.ts'
import { ownerRoute } from './route.ts'
import * as s from './schema.ts'

export const ingest = ownerRoute('POST', '/v1/ingest/:stream', {
  summary: 'Stores records of one stream and one connection, sent as JSON lines',
  parameters: { connection_id: p.required(p.text()), import_id: p.text() },
  body: 'application/x-ndjson',
  reply: s.object({
    ...s.each(
      s.COUNT,
      'seen',
      'added',
      'updated',
      'unchanged',
      'deleted',
      'rejected',
      'records_accepted',
      'records_rejected',
    ),
    rejections: s.listOf(s.object({ line: s.COUNT, ...s.each(s.TEXT, 'code', 'message') })),
    meta: s.object({ warnings: WARNINGS }),
  }),
})
