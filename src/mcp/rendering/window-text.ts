import type { JsonObject } from '../../model/json.ts'
import { fence, visible } from '../text/quote.ts'

/** A window as text: one line of JSON, the window between lines that record text cannot forge, and its link (RF-6). */
export function windowText(header: JsonObject, text: string, url: string): string {
  const { boundary, fenced } = fence(text)
  return `${visible(JSON.stringify({ ...header, boundary }))}\n${fenced}\nCite: ${url}`
}
