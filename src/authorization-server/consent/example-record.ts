import { html } from 'hono/html'
import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { isObject, isRawNumber, type Json, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import type { Html } from '../../pages/layout.ts'
import { humanName } from '../../pages/words.ts'
import { fieldLabel } from './consent-parts.ts'

const VALUE_CHARS = 240
const NONE = '–'

/**
 * A record as a client receives it, field by field; those without a value are named together. Long texts are cut only
 * here, not for the client.
 */
export function exampleRecord(stream: StreamDeclaration, data: JsonObject, caption: string): Html {
  const fields = Object.entries(data).map(([name, value]) => ({
    label: fieldLabel(stream, name),
    text: cutText(words(value), VALUE_CHARS),
  }))
  const empty = fields.filter(({ text }) => text === NONE).map(({ label }) => label)
  return html`<figure class="example"><figcaption>${caption}</figcaption>
<dl>${fields
    .filter(({ text }) => text !== NONE)
    .map(
      ({ label, text }) => html`<dt>${label}</dt><dd>${text}</dd>`,
    )}${empty.length === 0 ? '' : html`<dt>Without a value</dt><dd class="soft">${empty.join(', ')}</dd>`}</dl></figure>`
}

/** A value as people read it: no brackets, and a dash for what is empty. */
function words(value: Json): string {
  if (value === null || value === '') return NONE
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value))
    return value.length === 0 ? NONE : value.map(words).join(value.some(isObject) ? '\n' : ', ')
  if (!isObject(value)) return String(value)
  const members = Object.entries(value).map(([name, child]) => `${humanName(name)}: ${words(child)}`)
  return members.join(', ') || NONE
}
