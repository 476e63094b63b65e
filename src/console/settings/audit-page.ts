import { html } from 'hono/html'
import { readGrant } from '../../api/owner-grants.ts'
import { exportEverything, listAudit } from '../../api/owner-ledger.ts'
import { counted } from '../../model/amounts.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { joined } from '../../pages/words.ts'
import { clientNames } from '../apps/app-reads.ts'
import { sourceNames } from '../apps/grant-words.ts'
import { orNull, type Visit } from '../visit.ts'
import { readVocabulary } from '../vocabulary.ts'
import { type Change, changesOf, changeWords, type Known } from './change-words.ts'

const PAGE = 50

/** What changed about apps, sign-ins and settings, newest first. */
export async function showAudit(visit: Visit): Promise<Response> {
  const query = { limit: PAGE, cursor: visit.query.get('from') }
  const { data, next_cursor } = await visit.call(listAudit, {}, { query })
  const changes = changesOf(data)
  const known = await readKnown(visit, changes)
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/settings">Settings</a></p><h1>Changes</h1><p class="lede">Who was given access, who was not, when you signed in, and what you set.</p></header>
${
  changes.length === 0
    ? html`<p class="card soft">Nothing has changed yet.</p>`
    : html`<ol class="rows card">${changes.map(
        change =>
          html`<li class="stack-tight"><div class="head"><span>${changeWords(change, known)}</span><span class="count small">${visit.times.at(change.event.at)}</span></div>${receipts(change, known)}</li>`,
      )}</ol>`
}
${next_cursor === undefined ? '' : html`<p><a class="button" href="?${new URLSearchParams({ from: next_cursor }).toString()}">Earlier</a></p>`}</div>`
  return pageResponse({ title: 'Changes', body, section: 'settings' })
}

/** The apps and the grants that the changes are about. */
async function readKnown(visit: Visit, changes: readonly Change[]): Promise<Known> {
  const ids = [...new Set(changes.flatMap(({ grant_ids }) => grant_ids))]
  const [apps, vocabulary, grants] = await Promise.all([
    clientNames(visit),
    readVocabulary(visit),
    Promise.all(ids.map(grant_id => orNull(visit.call(readGrant, { grant_id })))),
  ])
  const found = grants.flatMap(grant => (grant ? [[grant.grant_id, grant] as const] : []))
  return { apps, vocabulary, grants: new Map(found), shown: visit.shown }
}

/** What each grant contained, to keep. */
function receipts({ grant_ids }: Change, { grants, vocabulary }: Known): Html | '' {
  const links = grant_ids.flatMap(id => {
    const grant = grants.get(id)
    if (!grant) return []
    const href = `/apps/${encodeURIComponent(grant.client_id)}/${id}/receipt`
    return [{ href, source: joined(sourceNames(grant, vocabulary)) }]
  })
  const [first] = links
  if (!first) return ''
  if (links.length === 1) return html`<p class="small"><a href="${first.href}">Receipt</a></p>`
  return html`<details class="small"><summary>${counted(links.length, 'receipt')}</summary><ul class="plain">${links.map(
    ({ href, source }) => html`<li><a href="${href}">${source}</a></li>`,
  )}</ul></details>`
}

/** Everything of the owner as one file, generated while it is sent. */
export function sendEverything({ fetch }: Visit): Promise<Response> {
  return fetch(exportEverything, {})
}
