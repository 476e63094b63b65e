import { createHash, type Hash } from 'node:crypto'
import { define, isObject, type Json, type JsonObject } from '../json.ts'

const BLOB_ID = /^sha256-[0-9a-f]{64}$/

/** The id of a blob: the checksum of its bytes. They are given as a whole, or as a hash that has read all of them. */
export function blobIdOf(bytes: Uint8Array | Hash): string {
  const hash = bytes instanceof Uint8Array ? createHash('sha256').update(bytes) : bytes
  return `sha256-${hash.digest('hex')}`
}

/** The checksum of a blob as it is written for texts. */
export function blobDigest(blob_id: string): string {
  return blob_id.replace('sha256-', 'sha256:')
}

export function isBlobId(text: string): boolean {
  return BLOB_ID.test(text)
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s*;.*)?$/

/** The first `mime_type` of a blob reference that is not a media type. */
export function badMediaType(value: Json): Json | undefined {
  if (!Array.isArray(value) && !isObject(value)) return undefined
  if (isObject(value) && typeof value.blob_id === 'string') {
    const { mime_type } = value
    if (mime_type !== undefined && !(typeof mime_type === 'string' && MEDIA_TYPE.test(mime_type)))
      return mime_type
  }
  for (const child of Object.values(value)) {
    const bad = badMediaType(child)
    if (bad !== undefined) return bad
  }
  return undefined
}

export const UNKNOWN_TYPE = 'application/octet-stream'

/** The media type that a value gives for a blob, in its first reference to it. */
export function mediaTypeOfBlob(value: Json | undefined, blob_id: string): string {
  const look = (part: Json | undefined): string | undefined => {
    if (Array.isArray(part)) return part.map(look).find(type => type !== undefined)
    if (!isObject(part)) return undefined
    const { mime_type } = part
    if (part.blob_id === blob_id && typeof mime_type === 'string') return mime_type
    return look(Object.values(part))
  }
  const type = look(value)
  return type !== undefined && MEDIA_TYPE.test(type) && /^[\x20-\x7e]*$/.test(type) ? type : UNKNOWN_TYPE
}

/**
 * The data with a URL for each blob that it refers to. A URL that the producer sent is dropped, because a client would
 * send its token there.
 */
export function withFetchUrls(value: Json, urlOf: (blob_id: string) => string): Json {
  if (Array.isArray(value)) return value.map(item => withFetchUrls(item, urlOf))
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  const { blob_id } = value
  const isReference = typeof blob_id === 'string'
  for (const [key, child] of Object.entries(value))
    if (!isReference || key !== 'fetch_url') define(copy, key, withFetchUrls(child, urlOf))
  if (isReference && isBlobId(blob_id)) copy.fetch_url = urlOf(blob_id)
  return copy
}

/** The blobs that a record refers to (any object with a `blob_id`), with the top-level field that contains each. */
export function blobReferences(data: JsonObject): { field: string; blob_id: string }[] {
  const found = new Map<string, { field: string; blob_id: string }>()
  const look = (value: Json, field: string): void => {
    if (Array.isArray(value)) for (const item of value) look(item, field)
    else if (isObject(value)) {
      if (typeof value.blob_id === 'string' && isBlobId(value.blob_id))
        found.set(`${field} ${value.blob_id}`, { field, blob_id: value.blob_id })
      for (const child of Object.values(value)) look(child, field)
    }
  }
  for (const [field, value] of Object.entries(data)) look(value, field)
  return [...found.values()]
}
