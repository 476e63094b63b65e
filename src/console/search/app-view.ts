import { html } from 'hono/html'
import { readRecord } from '../../api/records.ts'
import { type SearchHit, search } from '../../api/search.ts'
import { counted } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import type { AppAccess } from '../apps/app-access.ts'
import { orNull, type Visit } from '../visit.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { hitCard } from './hit-card.ts'
import type { Asked } from './search-form.ts'

/** How many of the owner's own hits are compared with what the app gets. */
export const COMPARED = 10

/** How many of the app's hits are examined before each missing hit is requested separately. */
export const MOST_FOUND = 25

/** One of the owner's hits that the app does not get. */
interface Missing {
  hit: SearchHit
  /** Whether it may open the record. If so, the words are in a part that it cannot see. */
  opens: boolean
}

/** A visit that reads with the access of an app. Its reads add no line to the app's ledger. */
export function asApp(visit: Visit, { grants }: AppAccess): Visit {
  return visit.as(grants.flatMap(({ grant }) => grant ?? []))
}

/** Which of the owner's best hits the app does not find, and the hits it does find. */
export async function whatDisappears(
  visit: Visit,
  app: AppAccess,
  { own, theirs }: { own: readonly SearchHit[]; theirs: readonly SearchHit[] },
  { q }: Asked,
  vocabulary: Vocabulary,
): Promise<Html> {
  const seen = asApp(visit, app)
  const found = new Set(theirs.map(handleOf))
  const compared = await Promise.all(
    own.map(async (hit): Promise<Missing | null> => {
      if (found.has(handleOf(hit))) return null
      const { connection_id, stream, record_key } = hit
      const record = `${stream}:${record_key}`
      const one = await orNull(seen.call(search, {}, { query: { q, record, connection_id, limit: 1 } }))
      if (one && one.data.length > 0) return null
      const query = { connection_id, max_field_chars: 1 }
      const opened = await orNull(seen.call(readRecord, { stream, record_id: record_key }, { query }))
      return { hit, opens: opened !== null }
    }),
  )
  const missing = compared.filter(each => each !== null)
  const first = own.length === 1 ? 'your result' : `your first ${counted(own.length, 'result')}`
  if (missing.length === 0) return html`<p class="notice">${app.name} finds all of ${first}.</p>`
  return html`<section class="stack" aria-label="What it does not find"><h2>What it does not find</h2>
<p class="soft">${app.name} does not find ${missing.length} of ${first}.</p>
<ol class="rows card">${missing.map(
    ({ hit, opens }) =>
      html`${hitCard(hit, vocabulary, visit.times, opens ? 'The words are in fields that it cannot see' : 'Hidden from it')}`,
  )}</ol></section>`
}

function handleOf({ connection_id, stream, record_key }: SearchHit): string {
  return JSON.stringify([connection_id, stream, record_key])
}
