import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** Facts beside each other. A name that is written from right to left does not turn around the date after it. */
export function inOneLine(facts: readonly string[]): Html {
  return html`${facts.map((fact, index) => html`${index > 0 ? ' · ' : ''}<bdi>${fact}</bdi>`)}`
}
