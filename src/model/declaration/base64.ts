import { define, isObject, type Json, type JsonObject } from '../json.ts'
import { blobIdOf } from './blob.ts'
import type { StreamDeclaration } from './declaration.ts'

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
const UNKNOWN_TYPE = 'application/octet-stream'

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
      const schema = Object.hasOwn(properties, field) ? (properties[field] as Json) : undefined
      define(taken, field, kept.has(field) ? value : take(value, isEncoded ? schema : undefined))
    }
    return blobs.length === 0 ? { data, blobs } : { data: taken, blobs }
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
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
