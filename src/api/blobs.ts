import { ownerRoute, readRoute } from './route.ts'
import { COUNT, constant, object, TEXT } from './schema.ts'

export const readBlob = readRoute('GET', '/v1/blobs/:blob_id', {
  summary: 'The bytes of a blob that a readable record names',
  reply: 'application/octet-stream',
})

export const uploadBlob = ownerRoute('POST', '/v1/blobs', {
  summary: 'Stores the body as a blob',
  body: 'application/octet-stream',
  reply: object({
    object: constant('blob'),
    blob_id: TEXT,
    mime_type: TEXT,
    size_bytes: COUNT,
    digest: TEXT,
  }),
})
