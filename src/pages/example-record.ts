import { html } from 'hono/html'
import { isObject, isRawNumber, type Json } from '../model/json.ts'
import { cutText } from '../model/reading/record.ts'
import type { Html } from './layout.ts'
import { humanName } from './words.ts'

const VALUE_CHARS = 240
const NONE = '–'

/** A record as an example, field by field; those without a value are named together, and long texts are cut. */
export function exampleRecord(
  fields: readonly (readonly [label: string, value: Json])[],
  caption: string,
): Html {
  const told = fields.map(([label, value]) => ({ label, text: cutText(words(value), VALUE_CHARS) }))
  const empty = told.filter(({ text }) => text === NONE).map(({ label }) => label)
  return html`<figure class="example"><figcaption>${caption}</figcaption>
<dl>${told
    .filter(({ text }) => text !== NONE)
    .map(
      ({ label, text }) => html`<dt>${label}</dt><dd dir="auto">${text}</dd>`,
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
