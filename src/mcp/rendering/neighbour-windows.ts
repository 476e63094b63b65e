import { fieldWindowUri } from '../../model/ids/window-uri.ts'
import type { JsonObject } from '../../model/json.ts'
import type { SelectorInput } from '../../model/reading/window.ts'
import type { FieldWindow } from '../reading/window-shape.ts'

/** URIs of a window and of its neighbours, for hosts that read resources (LA-5), and the pages that it is on. */
export function windowMeta({ record, field, window }: FieldWindow, selector: SelectorInput): JsonObject {
  const uri = (by: SelectorInput) =>
    fieldWindowUri({ record, field_path: field.path, selector: by, digest: field.digest ?? null })
  const { start_chars, end_chars, limit_chars } = window
  const limit = Math.max(1, limit_chars)
  const shown = Math.max(1, end_chars - start_chars)
  const before = Math.max(0, start_chars - limit)
  const { q, before_chars, after_chars } = selector
  return {
    uri: uri(
      q === undefined
        ? { offset_chars: start_chars, limit_chars: end_chars === field.size_chars ? limit : shown }
        : defined({ q, before_chars, after_chars }),
    ),
    next_uri: window.next_cursor === null ? null : uri({ offset_chars: end_chars, limit_chars: limit }),
    previous_uri:
      window.previous_cursor === null
        ? null
        : uri({ offset_chars: before, limit_chars: start_chars - before }),
    ...(window.pages === undefined ? {} : { pages: window.pages }),
  }
}

function defined(selector: SelectorInput): SelectorInput {
  return Object.fromEntries(Object.entries(selector).filter(([, value]) => value !== undefined))
}
