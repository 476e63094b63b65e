import { html } from 'hono/html'
import { recordImports } from '../../api/owner-imports.ts'
import type { Html } from '../../pages/layout.ts'
import { orNull, type Visit } from '../visit.ts'
import type { Place } from './record-text.ts'

const MOST_SHOWN = 10

/** The imports that contained the record, and where it was in their files. */
export async function originPart(visit: Visit, place: Place): Promise<Html | ''> {
  const { connection_id } = place
  const answer = await orNull(visit.call(recordImports, place, { query: { connection_id } }))
  if (!answer || answer.data.length === 0) return ''
  const rows = answer.data.slice(0, MOST_SHOWN)
  return html`<section class="stack-tight" aria-label="Where it comes from"><h2>Where it comes from</h2>
<ul class="plain small">${rows.map(
    ({ import_id, place: inside, source, started_at }) =>
      html`<li><span dir="auto">${inside === '' ? source : `${inside} in ${source}`}</span>, <a href="/sources/${connection_id}/imports/${import_id}">imported ${visit.times.at(started_at)}</a></li>`,
  )}</ul></section>`
}
