import { WARNINGS } from './list.ts'
import { required, text } from './parameter.ts'
import { ownerRoute } from './route.ts'
import { COUNT, listOf, object, TEXT } from './schema.ts'

export const ingest = ownerRoute('POST', '/v1/ingest/:stream', {
  summary: 'Takes records of one stream of one connection as lines of JSON',
  parameters: { connection_id: required(text()) },
  body: 'application/x-ndjson',
  reply: object({
    seen: COUNT,
    added: COUNT,
    updated: COUNT,
    unchanged: COUNT,
    deleted: COUNT,
    rejected: COUNT,
    rejections: listOf(object({ line: COUNT, code: TEXT, message: TEXT })),
    meta: object({ warnings: WARNINGS }),
  }),
})
