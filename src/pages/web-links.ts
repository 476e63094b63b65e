import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** A web address in a text, without the punctuation after it; brackets are part of it in pairs. */
export const ADDRESS = /https?:\/\/(?:\([^\s()<>"\p{C}]*\)|[^\s()<>"\p{C}])+(?<![.,;:!?…'’”»*_\]])/giu

/**
 * A plain text in which web addresses are links. Each shows exactly where it leads, so an address that begins with the
 * name of a user, or that may be cut off, is not made a link.
 */
export function withLinks(text: string): Html {
  const parts: (Html | string)[] = []
  let from = 0
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    const end = index + address.length
    const url = URL.canParse(address) ? new URL(address) : null
    if (url?.username !== '' || text.slice(end) === ' …') continue
    parts.push(
      text.slice(from, index),
      html`<a href="${address}" rel="noreferrer noopener nofollow">${address}</a>`,
    )
    from = end
  }
  return html`${[...parts, text.slice(from)]}`
}
