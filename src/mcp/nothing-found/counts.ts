import { isObject, type JsonObject } from '../../model/json.ts'

/** How many records an answer says there are; null if it does not say. */
export function countIn({ meta }: JsonObject): number | null {
  return isObject(meta) && typeof meta.count === 'number' ? meta.count : null
}

/** `3 records`. */
export function recordsText(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'record' : 'records'}`
}

/** `3 records match`. */
export function matchText(count: number): string {
  return count === 0 ? 'no record matches' : `${recordsText(count)} ${count === 1 ? 'matches' : 'match'}`
}
