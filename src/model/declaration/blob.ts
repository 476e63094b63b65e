import { createHash, type Hash } from 'node:crypto'
import { define, isObject, type Json, type JsonObject, own } from '../json.ts'
import type { StreamDeclaration } from './declaration.ts'

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

/** Bytes that a record contained as text. */
export interface TakenBytes {
  blob_id: string
  mime_type: string
  bytes: Buffer
}

const DATA_URI = /^data:([\w!#$&^.+-]+\/[\w!#$&^.+-]+)?(?:;[^,;]{1,100})*;base64,/i
/** JSON may contain letters as escapes. */
const MAY_HOLD_URI = /data:|\\u00[46]/i
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Takes base64 out of a record, at any depth: strings that are a `data:` URI, and those that the schema declares with
 * `contentEncoding`. Each is replaced by a blob reference, so bytes are never searched or shown as text. Fields that
 * determine the record's id or place stay unchanged.
 */
export function base64Taker(
  stream: StreamDeclaration,
): (data: JsonObject, line: string) => { data: JsonObject; blobs: TakenBytes[] } {
  const { properties } = stream.schema
  const isEncoded = Object.values(properties).some(declaresBase64)
  const { key, order = [] } = stream.schema.x_pdpp_conversation ?? {}
  const kept = new Set([...stream.primary_key, stream.cursor_field, stream.consent_time_field, key, ...order])
  return (data, line) => {
    const blobs: TakenBytes[] = []
    if (!isEncoded && !MAY_HOLD_URI.test(line)) return { data, blobs }
    const take = (value: Json, schema: Json | undefined): Json => {
      if (typeof value === 'string') {
        const found = bytesIn(value, schema)
        if (!found) return value
        blobs.push(found)
        return { blob_id: found.blob_id, mime_type: found.mime_type, size_bytes: found.bytes.length }
      }
      if (Array.isArray(value)) return value.map(item => take(item, member(schema, 'items')))
      if (!isObject(value)) return value
      const copy: JsonObject = {}
      const declared = member(schema, 'properties')
      for (const [name, child] of Object.entries(value))
        define(copy, name, take(child, member(declared, name)))
      return copy
    }
    const taken: JsonObject = {}
    for (const [field, value] of Object.entries(data)) {
      const schema = own(properties, field) as Json | undefined
      define(taken, field, kept.has(field) ? value : take(value, isEncoded ? schema : undefined))
    }
    return blobs.length === 0 ? { data, blobs } : { data: taken, blobs }
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? own(value, name) : undefined
}

/** Whether the schema of a value, or of something inside it, declares base64. */
function declaresBase64(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { contentEncoding, ...inside } = schema as Record<string, unknown>
  return isBase64(contentEncoding) || Object.values(inside).some(declaresBase64)
}

function isBase64(encoding: unknown): boolean {
  return typeof encoding === 'string' && /^base64(?:url)?$/i.test(encoding)
}

/** The bytes of a text, if it is base64 and declared or marked as such. */
function bytesIn(text: string, schema: Json | undefined): TakenBytes | null {
  const uri = /^data:/i.test(text) ? DATA_URI.exec(text.slice(0, 2_000)) : null
  if (!uri && !isBase64(member(schema, 'contentEncoding'))) return null
  const written = (uri ? decodedUri(text.slice(uri[0].length)) : text).replace(/\s+/g, '')
  if (written === '' || !BASE64.test(written)) return null
  const bytes = Buffer.from(written, 'base64')
  const declared = member(schema, 'contentMediaType')
  return {
    blob_id: blobIdOf(bytes),
    mime_type: (uri?.[1] ?? (typeof declared === 'string' ? declared : UNKNOWN_TYPE)).toLowerCase(),
    bytes,
  }
}

/** A URI may percent-encode the base64 characters that are not letters or digits. */
function decodedUri(text: string): string {
  return text.replace(/%(2B|2F|3D|0A|0D|20)/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
