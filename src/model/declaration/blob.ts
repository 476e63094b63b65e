import { isObject, type Json, type JsonObject } from '../json.ts'

const BLOB_ID = /^sha256-[0-9a-f]{64}$/

export function isBlobId(text: string): boolean {
  return BLOB_ID.test(text)
}

/** The blobs that a record refers to, by top-level field: any object with a `blob_id`. */
export function blobReferences(data: JsonObject): { field: string; blob_id: string }[] {
  const found = new Map<string, { field: string; blob_id: string }>()
  const look = (value: Json, field: string): void => {
    if (Array.isArray(value)) for (const item of value) look(item, field)
    else if (isObject(value)) {
      if (typeof value.blob_id === 'string' && isBlobId(value.blob_id)) {
        found.set(`${field} ${value.blob_id}`, { field, blob_id: value.blob_id })
      }
      for (const child of Object.values(value)) look(child, field)
    }
  }
  for (const [field, value] of Object.entries(data)) look(value, field)
  return [...found.values()]
}
