import type { fieldWindow } from '../../api/records.ts'
import type { ReplyOf } from '../../api/route.ts'
import { CodedError } from '../../model/errors.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'

/** A window of a text field, whichever server it came from. */
export interface FieldWindow {
  record: RecordReference
  /** Opens what was read, for people. */
  url: string
  field: { path: string; mime_type?: string; text_like: boolean; size_chars?: number; digest?: string }
  window: Omit<ReplyOf<typeof fieldWindow>['window'], 'pages'> & {
    /** `page 3 of 12` */
    pages?: string
  }
}

export function fieldFacts({
  mime_type,
  size_chars,
  digest,
}: JsonObject): Omit<FieldWindow['field'], 'path'> {
  return {
    text_like: true,
    ...(typeof mime_type === 'string' ? { mime_type } : {}),
    ...(isPosition(size_chars) ? { size_chars } : {}),
    ...(typeof digest === 'string' ? { digest } : {}),
  }
}

export function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

const MOST_NAME_CHARS = 1_024

export function filled(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MOST_NAME_CHARS ? value : null
}

export function whole(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0
}

export function unreadable(): CodedError {
  return new CodedError('provider_unavailable', 'The answer of the resource server is not a window.')
}
