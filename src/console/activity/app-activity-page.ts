import { html } from 'hono/html'
import { CodedError } from '../../model/errors.ts'
import { pageResponse } from '../../pages/layout.ts'
import { clientNames } from '../app-names.ts'
import { type Disclosure, disclosuresOf } from '../apps/app-reads.ts'
import type { Visit } from '../visit.ts'
import { readVocabulary } from '../vocabulary.ts'
import { sittingCard, sittingsOf } from './sittings.ts'
import { weekName } from './weeks.ts'

const PAGE_REQUESTS = 100

/** What one app did, newest first; in one week if the address names one. */
export async function showAppActivity(visit: Visit): Promise<Response> {
  const { path, query, times } = visit
  const { client_id = '' } = path
  const week = query.get('week') ?? ''
  const bounds = times.weekBounds(week)
  const before = query.get('before') ?? undefined
  const [{ disclosures, next }, names, vocabulary] = await Promise.all([
    disclosuresOf(visit, {
      client_id,
      ...bounds,
      ...(before === undefined ? {} : { until: before }),
      cursor: query.get('from') ?? undefined,
      most: PAGE_REQUESTS,
    }),
    clientNames(visit),
    readVocabulary(visit),
  ])
  const name = names.get(client_id)
  if (name === undefined) throw new CodedError('not_found', 'There is no such app.')
  const { sittings, earlier } = pageOf(disclosures, next, before)
  const cards = await Promise.all(sittings.map(requests => sittingCard(visit, requests, vocabulary)))
  const link = earlier && new URLSearchParams({ ...(bounds ? { week } : {}), ...earlier }).toString()
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/activity">Activity</a></p><h1>${name}</h1>
<p class="lede">${bounds ? weekName(week, times) : 'Everything it asked for, newest first'}. <a href="/apps/${encodeURIComponent(client_id)}">What it may read</a></p></header>
${
  sittings.length === 0
    ? html`<p class="card soft">No requests.</p>`
    : html`<ol class="rows card">${cards}</ol>`
}
${link ? html`<p><a class="button" href="?${link}">Earlier requests</a></p>` : ''}</div>`
  return pageResponse({ title: `${name} · Activity`, body, section: 'activity' })
}

/** Requests that belong together are not split between two pages, unless they fill more than a page. */
function pageOf(
  disclosures: readonly Disclosure[],
  next: string | undefined,
  before: string | undefined,
): { sittings: Disclosure[][]; earlier: Record<string, string> | null } {
  const sittings = sittingsOf(disclosures)
  if (next === undefined) return { sittings, earlier: null }
  if (sittings.length === 1) return { sittings, earlier: { ...(before ? { before } : {}), from: next } }
  const whole = sittings.slice(0, -1)
  return { sittings: whole, earlier: { before: whole.at(-1)?.at(-1)?.at ?? '' } }
}
