import { hash } from 'node:crypto'
import { blobDigest, isBlobId } from '../../model/declaration/blob.ts'
import { pathOf } from '../../model/declaration/field-path.ts'
import { define, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { digestOf } from '../../model/reading/record.ts'
import { advance, countCodePoints } from '../../model/text/code-points.ts'
import { isPosition } from './window-shape.ts'

/** A text of which only the start is shown. */
export interface CutText {
  path: string
  size_chars: number
  shown_chars: number
  digest?: string
  /** As declared by the stream. */
  mime_type?: string
}

/** A field that is not text: bytes by reference, or bytes as base64. */
export interface Binary {
  path: string
  type: 'object' | 'string'
  mime_type?: string
  size_bytes?: number
  digest?: string
  blob_id?: string
}

/** A list or object that is too large to be shown at all. */
export interface Omitted {
  path: string
  type: 'array' | 'object'
  size_chars: number
}

export interface Preview {
  data: JsonObject
  cuts: CutText[]
  binaries: Binary[]
  omitted: Omitted[]
}

export const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,200};base64,/

/** A list or object with more values would not fit, however its texts are cut, and takes long to cut. */
const MOST_NESTED_VALUES = 16_384

/**
 * A record's data with every string cut at `mostChars`, and base64 taken out (LA-6). What the resource server has
 * already cut is listed in `truncated`, which takes precedence, because the server saw the whole text.
 */
export function previewOf(
  data: JsonObject,
  truncated: Json | undefined,
  mostChars: number,
  mostNestedBytes = Number.POSITIVE_INFINITY,
  /** The declared media types of texts that were not cut before. */
  mediaTypes: ReadonlyMap<string, string> = new Map(),
): Preview {
  const known = new Map<string, JsonObject>()
  for (const item of Array.isArray(truncated) ? truncated : []) {
    if (isObject(item) && typeof item.field_path === 'string') known.set(item.field_path, item)
  }
  const cuts: CutText[] = []
  const binaries: Binary[] = []
  const omitted: Omitted[] = []
  const visit = (value: Json, path: string[]): Json => {
    if (typeof value === 'string') return visitText(value, pathOf(path[0] ?? '', path.slice(1)).text)
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, String(index)]))
    if (!isObject(value)) return value
    const binary = binaryOf(value, path)
    if (binary) binaries.push(binary)
    const copy: JsonObject = {}
    for (const [key, child] of Object.entries(value)) define(copy, key, visit(child, [...path, key]))
    return copy
  }
  const visitText = (text: string, path: string): string => {
    const encoded = DATA_URI.exec(text)
    if (encoded) {
      const mime_type = encoded[1] ?? 'application/octet-stream'
      binaries.push({ path, type: 'string', mime_type, ...bytesOf(text, encoded[0], known.get(path)) })
      return `[${mime_type} as base64, left out]`
    }
    const before = known.get(path)
    const end = text.length <= mostChars ? text.length : advance(text, 0, mostChars)
    if (end === text.length && !before) return text
    const digest = before ? before.digest : digestOf(text)
    const mime_type = before ? before.mime_type : mediaTypes.get(path)
    cuts.push({
      path,
      size_chars: isPosition(before?.size_chars) ? before.size_chars : countCodePoints(text),
      shown_chars: end === text.length ? countCodePoints(text) : mostChars,
      ...(typeof digest === 'string' ? { digest } : {}),
      ...(typeof mime_type === 'string' ? { mime_type } : {}),
    })
    return text.slice(0, end)
  }
  const shown: JsonObject = {}
  for (const [field, value] of Object.entries(data)) {
    const type = Array.isArray(value) ? 'array' : 'object'
    const json = typeof value === 'object' ? JSON.stringify(value) : ''
    const bytes = Buffer.byteLength(json)
    if (bytes <= mostNestedBytes && !hasMoreValues(value, MOST_NESTED_VALUES))
      define(shown, field, visit(value, [field]))
    else {
      omitted.push({ path: pathOf(field).text, type, size_chars: countCodePoints(json) })
      define(shown, field, `[${type} of ${Object.keys(value as object).length}, ${bytes} bytes, left out]`)
    }
  }
  return { data: shown, cuts, binaries, omitted }
}

function hasMoreValues(value: Json, most: number): boolean {
  let count = 0
  const pending: Json[] = [value]
  for (let next = pending.pop(); next !== undefined && count <= most; next = pending.pop()) {
    count++
    if (typeof next !== 'object' || next === null) continue
    const children = Object.values(next)
    if (children.length > most) return true
    pending.push(...children)
  }
  return count > most
}

/** Size and digest of the decoded base64; for a text that was cut, only the approximate size is known. */
function bytesOf(
  text: string,
  head: string,
  cut: JsonObject | undefined,
): Pick<Binary, 'size_bytes' | 'digest'> {
  if (isPosition(cut?.size_chars))
    return { size_bytes: Math.max(0, Math.floor(((cut.size_chars - head.length) * 3) / 4)) }
  const bytes = Buffer.from(text.slice(head.length), 'base64')
  return { size_bytes: bytes.length, digest: `sha256:${hash('sha256', bytes)}` }
}

function binaryOf(value: JsonObject, path: string[]): Binary | null {
  const { blob_id } = value
  if (typeof blob_id !== 'string' || blob_id === '' || path.length === 0) return null
  const mime_type = value.mime_type ?? value.content_type
  const size_bytes = value.size_bytes ?? value.size
  return {
    path: pathOf(path[0] ?? '', path.slice(1)).text,
    type: 'object',
    ...(typeof mime_type === 'string' ? { mime_type } : {}),
    ...(isPosition(size_bytes) ? { size_bytes } : {}),
    ...(isBlobId(blob_id) ? { digest: blobDigest(blob_id) } : {}),
    blob_id,
  }
}

/** An object without the members that are larger than the given number of bytes. */
export function smallMembers(object: JsonObject, mostBytes: number): JsonObject {
  const isSmall = (value: Json) =>
    isShort(value, mostBytes) || Buffer.byteLength(JSON.stringify(value)) <= mostBytes
  if (Object.values(object).every(isSmall)) return object
  return Object.fromEntries(Object.entries(object).filter(([, value]) => isSmall(value)))
}

const MOST_CHAR_BYTES = 6

/** Whether a value certainly has no more bytes than this, whatever its characters are. */
function isShort(value: Json, mostBytes: number): boolean {
  return typeof value === 'string' && value.length * MOST_CHAR_BYTES + 2 <= mostBytes
}
