import type { JsonObject } from '../../model/json.ts'
import type { Handle } from './reference.ts'

/** A call that a model can make unchanged. */
export interface Call extends JsonObject {
  tool: string
  args: JsonObject
}

/** Where a text continues (LA-1). */
export function readCall(handle: Handle, field_path: string, selector: JsonObject = {}): Call {
  return { tool: 'read_record_field', args: { ...handle, field_path, ...selector } }
}

export function fetchCall(handle: Handle): Call {
  return { tool: 'fetch', args: { ...handle } }
}
