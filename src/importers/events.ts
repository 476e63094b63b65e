import type { JsonObject } from '../model/json.ts'
import type { RecordEvent, RejectionEvent } from './importer.ts'

/** A record under its own id. */
export function record(stream: string, place: string, data: JsonObject & { id: string }): RecordEvent {
  return { kind: 'record', stream, key: data.id, data, place }
}

/** Why an item is not imported. */
export interface Problem {
  code: string
  message: string
}

export function rejection(place: string, { code, message }: Problem): RejectionEvent {
  return { kind: 'rejection', place, code, message }
}

/** No conversation or row is nearly this large. A larger item is skipped and not held in memory. */
export const MOST_ITEM_BYTES = 64 * 1024 * 1024

export const TOO_LARGE: Problem = {
  code: 'item_too_large',
  message: `The item is larger than ${MOST_ITEM_BYTES / 1024 / 1024} MB.`,
}
export const CUT_OFF: Problem = {
  code: 'file_cut_off',
  message: 'The file is cut off; everything after this point is missing.',
}
export const NO_LIST: Problem = {
  code: 'no_list',
  message: 'The file has no list of items where one is expected.',
}
