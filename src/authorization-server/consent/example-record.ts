import { html } from 'hono/html'
import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { isRawNumber, type Json, type JsonObject } from '../../model/json.ts'
import type { Html } from '../../pages/layout.ts'
import { fieldLabel } from './consent-parts.ts'

const VALUE_CHARS = 240

/** A record as a client receives it, field by field. Long texts are cut only here, not for the client. */
export function exampleRecord(stream: StreamDeclaration, data: JsonObject, caption: string): Html {
  return html`<figure class="example"><figcaption>${caption}</figcaption>
<dl>${Object.entries(data).map(
    ([name, value]) => html`<dt>${fieldLabel(stream, name)}</dt><dd>${valueText(value)}</dd>`,
  )}</dl></figure>`
}

function valueText(value: Json): string {
  if (value === null) return '–'
  if (isRawNumber(value)) return value.rawJSON
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const characters = Array.from(text.slice(0, 2 * VALUE_CHARS))
  return text.length > VALUE_CHARS ? `${characters.slice(0, VALUE_CHARS).join('')}…` : text
}
