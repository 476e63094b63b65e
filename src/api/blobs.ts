import { ownerRoute, readRoute } from './route.ts'
import * as s from './schema.ts'

export const readBlob = readRoute('GET', '/v1/blobs/:blob_id', {
  summary: 'The bytes of a blob that a readable record names',
  reply: '*/*',
  conditional: true,
})

export const uploadBlob = ownerRoute('POST', '/v1/blobs', {
  summary: 'Stores the body as a blob',
  body: '*/*',
  reply: s.object({
    object: s.constant('blob'),
    blob_id: s.TEXT,
    mime_type: s.TEXT,
    size_bytes: s.COUNT,
    digest: s.TEXT,
  }),
})
