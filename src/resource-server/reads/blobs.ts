import * as api from '../../api/blobs.ts'
import { grantsField, readableSources } from '../../model/access/enforce.ts'
import { blobDigest, isBlobId, UNKNOWN_TYPE } from '../../model/declaration/blob.ts'
import { fieldNames } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { findBlob, readBlob } from '../../store/records/blobs.ts'
import { bytesOf } from '../request/body.ts'
import { serve } from '../request/context.ts'
import { holds, json, notModified } from '../request/responses.ts'

export const uploadBlob = serve(api.uploadBlob, async context => {
  const mime_type = context.request.headers.get('Content-Type') ?? UNKNOWN_TYPE
  if (!/^[\w.+-]{1,100}\/[\w.+-]{1,100}(;[\x20-\x7e]{0,200})?$/.test(mime_type))
    throw new CodedError('unsupported_media_type', 'Content-Type must be a media type such as image/png.')
  const blob = await context.store.writer.pour(
    'blob',
    { owner_id: context.owner_id, mime_type },
    bytesOf(context.request),
  )
  const { blob_id, size_bytes } = blob
  return json(
    { object: 'blob', blob_id, mime_type: blob.mime_type, size_bytes, digest: blobDigest(blob_id) },
    201,
  )
})

export const downloadBlob = serve(api.readBlob, async context => {
  const { blob_id } = context.path
  const { store, owner_id, request } = context
  const sources = context.isOwner ? [] : readableSources(context.access, context.catalog)
  const blob = isBlobId(blob_id)
    ? await findBlob(store.database, owner_id, blob_id, sources, context.isOwner, context.budget)
    : null
  if (!blob) {
    // A blob can be anywhere in a record, so its absence depends on every open field.
    for (const source of sources)
      context.decideBy(
        source,
        fieldNames(source.stream).filter(field => grantsField(source, field)),
      )
    throw new CodedError('blob_not_found', 'There is no such blob in a record that you may read.')
  }
  if (blob.seen_in) {
    const { source, record_id, field } = blob.seen_in
    const place = { connection_id: source.connection_id, stream: source.stream.name, record_ids: [record_id] }
    context.disclose([{ ...place, fields: [field] }])
  }
  const etag = context.etag(blob_id)
  if (holds(request, etag)) return notModified(etag)
  const ifRange = request.headers.get('If-Range')
  const isSame = ifRange === null || ifRange === etag
  const range = isSame ? rangeOf(request.headers.get('Range'), blob.size_bytes) : null
  const { start, end } = range ?? { start: 0, end: blob.size_bytes }
  const headers: Record<string, string> = {
    'Content-Type': blob.mime_type,
    'Content-Length': String(end - start),
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Disposition': 'attachment',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    ETag: etag,
  }
  if (range) headers['Content-Range'] = `bytes ${start}-${end - 1}/${blob.size_bytes}`
  const bytes =
    request.method === 'HEAD'
      ? null
      : ReadableStream.from(readBlob(store.database, owner_id, blob.upload_id, start, end))
  return { status: range ? 206 : 200, headers, body: bytes }
})

/** A single byte range; null means the whole blob. Several ranges at once are answered with the whole (RFC 9110). */
function rangeOf(header: string | null, size: number): { start: number; end: number } | null {
  const match = header && /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (!match || (match[1] === '' && match[2] === '')) return null
  const [first, last] = [match[1] ?? '', match[2] ?? '']
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start >= size || end <= start)
    throw new CodedError('range_not_satisfiable', `The blob has ${size} bytes.`, { size_bytes: size })
  return { start, end }
}
