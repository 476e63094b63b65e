import { html } from 'hono/html'
import type { RecordBody } from '../api/records.ts'
import { citationUrl } from '../model/ids/citation.ts'
import type { Html } from '../pages/layout.ts'
import type { Times } from '../pages/times.ts'
import { authorName } from './author-name.ts'
import { recordTitle } from './record-title.ts'

/** A record in a list: its title as a link, then who, when and what else the list tells about it. */
export function recordRow(
  record: RecordBody,
  times: Times,
  more: readonly string[] = [],
  /** Whoever the whole list is about is not named in each row. */
  isKnown: (author: string) => boolean = () => false,
): Html {
  const { connection_id, stream, id, author, occurred_at } = record
  const by = author && !isKnown(author) && authorName(author)
  const facts = [by, occurred_at && times.minute(occurred_at), ...more].filter(fact => fact)
  return html`<li><div class="entry"><p dir="auto"><a href="${citationUrl('', { connection_id, stream, record_id: id })}">${recordTitle(record)}</a></p>
${facts.length === 0 ? '' : html`<p class="soft small" dir="auto">${facts.join(' · ')}</p>`}</div></li>`
}
